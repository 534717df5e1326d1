//! `loto serve`: the gRPC aggregator.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use loto_proto::observation::EndpointOption;
use loto_proto::observation::readiness::{Need, Readiness};
use loto_proto::store::Store;

use super::options::{StoreOption, on_signal};
use crate::CoordinatorError;
use crate::aggregator;
use crate::metrics::AGGREGATOR_METRICS;

/// Time between two looks whether the store answers.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);

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

    #[command(flatten)]
    endpoint: EndpointOption,
}

impl ServeCommand {
    pub(super) async fn execute(self) -> Result<(), CoordinatorError> {
        let readiness = Readiness::default();
        let reached = readiness.need("the store");
        self.endpoint
            .start(&[&AGGREGATOR_METRICS], &readiness)
            .await?;
        let store = self.store.open().await?;
        tokio::spawn(look_for_store(Arc::clone(&store), reached));
        let listener = aggregator::bind(self.listen).await?;
        aggregator::serve(store, listener, on_signal()?).await
    }
}

/// Says whether the store answers, for as long as it is polled.
async fn look_for_store(store: Arc<dyn Store>, reached: Need) {
    loop {
        reached.set(store.sweeps().await.is_ok());
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}
