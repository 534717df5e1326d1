//! The gRPC service of the aggregator, client and server, generated from `proto/loto/v1/aggregator.proto`,
//! where each call and field is documented.

/// Messages, client and server.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod wire {
    tonic::include_proto!("loto.v1");
}

/// Encoded descriptors of the package, for gRPC reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/loto.bin"));
