//! The gRPC service of the aggregator: messages, client and server, generated from
//! `proto/loto/v1/aggregator.proto`, where each call and field is documented.
//!
//! - [`wire`]: all of it; messages that workers and stores use, too, come from `loto-proto`;
//! - [`FILE_DESCRIPTOR_SET`]: its description for gRPC reflection.
//!
//! ```no_run
//! use loto_service::wire::ListSweepsRequest;
//! use loto_service::wire::aggregator_client::AggregatorClient;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut aggregator = AggregatorClient::connect("http://localhost:50051").await?;
//! let answer = aggregator.list_sweeps(ListSweepsRequest::default()).await?;
//! for sweep in answer.into_inner().sweeps {
//!     println!("{}", sweep.sweep_id);
//! }
//! # Ok(())
//! # }
//! ```

/// Messages, client and server.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod wire {
    tonic::include_proto!("loto.v1");
}

/// Encoded descriptors of the package, for gRPC reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/loto.bin"));
