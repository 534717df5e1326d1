//! How processes reach the queue, where jobs wait, and the store, where finished work is kept.
//!
//! - [`queue`]: a queue in this process, in RabbitMQ, or in a host;
//! - [`store`]: a store in an SQLite file, in Redis, or in a host;
//! - [`host`]: how both are reached in another process, over gRPC, and [`hosting`] for such a process;
//! - [`connection`]: how to reach a broker or a store, as whom, and whom to trust;
//! - [`retry`]: how to outlast a restart of either;
//! - [`error`]: what goes wrong on the way; [`server`]: with which of the two;
//! - [`metrics`]: what is counted of all this.
//!
//! ```
//! use loto_transport::store;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("example.loto");
//! let store = store::open(path.to_str().unwrap()).await?;
//! store.put_blob("greeting", b"hello").await?;
//! assert_eq!(store.blob("greeting").await?, Some(b"hello".to_vec()));
//! # Ok(())
//! # }
//! ```

pub mod connection;
pub mod error;
pub mod host;
pub mod hosting;
pub mod metrics;
pub mod queue;
pub mod retry;
pub mod server;
pub mod store;

pub use error::TransportError;
