//! `loto serve`: the gRPC aggregator.

use std::net::SocketAddr;

use clap::Args;

use super::options::{StoreOption, on_signal};
use crate::CoordinatorError;
use crate::aggregator;

const EXAMPLES: &str = "\
Examples:
  loto serve --store redis://localhost
  loto serve --store loto-results/demo/sweep.loto --listen 0.0.0.0:50051";

/// Answers questions about sweeps over gRPC (loto.v1.Aggregator), while they run and after.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ServeCommand {
    #[command(flatten)]
    store: StoreOption,

    /// Address to listen on; port 0 is any free port.
    #[arg(
        long,
        env = "LOTO_LISTEN",
        value_name = "ADDR",
        default_value = "127.0.0.1:50051"
    )]
    listen: SocketAddr,
}

impl ServeCommand {
    pub(super) async fn execute(self) -> Result<(), CoordinatorError> {
        let store = self.store.open().await?;
        let listener = aggregator::bind(self.listen).await?;
        aggregator::serve(store, listener, on_signal()?).await
    }
}
