//! `loto serve`: the gRPC aggregator, and pages for browsers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use loto_process::connection_options::BrokerOptions;
use loto_process::observation::endpoint::EndpointOption;
use loto_process::observation::readiness::{Need, Readiness};
use loto_process::shutdown;
use loto_transport::store::Store;

use super::error::CommandError;
use super::guard_options::GuardOptions;
use super::options::StoreOption;
use crate::aggregator::{self, WatchedSweeps};
use crate::live_page;
use crate::metrics::AGGREGATOR_METRICS;

/// Time between two checks whether the store answers.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);

const EXAMPLES: &str = "\
Examples:
  loto serve --store redis://localhost --http 127.0.0.1:8080
  loto serve --store loto-results/demo/sweep.loto --listen 0.0.0.0:50051 --allow-anyone
  loto serve --store redis://localhost --tls-certificate server.pem --tls-key server.key --tokens tokens
  loto serve --store redis://localhost --broker amqp://localhost --http 127.0.0.1:8080 --tokens tokens";

/// Serves the progress and the statistics of sweeps over gRPC (loto.v1.Aggregator), and shows them to browsers.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ServeCommand {
    #[command(flatten)]
    store: StoreOption,

    #[command(flatten)]
    broker: BrokerOptions,

    /// Address to listen on. Port 0 stands for any free port.
    #[arg(
        long,
        env = "LOTO_LISTEN",
        value_name = "ADDR",
        default_value = "127.0.0.1:50051"
    )]
    listen: SocketAddr,

    /// Address on which sweeps are shown to browsers as well, while they run. Who has one of the --tokens with the word
    /// `control` behind it in its line may also cancel, resume and retry sweeps there, the last two with --broker. Port 0
    /// stands for any free port.
    #[arg(long, env = "LOTO_HTTP", value_name = "ADDR")]
    http: Option<SocketAddr>,

    #[command(flatten)]
    guard: GuardOptions,

    #[command(flatten)]
    endpoint: EndpointOption,
}

impl ServeCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let shown = self.http.map(|address| ("--http", address));
        let guard = self
            .guard
            .guard([("--listen", self.listen)].into_iter().chain(shown))?;
        let broker = self.store.broker_access_if_given(&self.broker)?;
        let readiness = Readiness::default();
        let reached = readiness.need("the store");
        self.endpoint
            .start(&[&AGGREGATOR_METRICS], &readiness)
            .await?;
        let store = self.store.open().await?;
        tokio::spawn(look_for_store(Arc::clone(&store), reached));
        let listener = aggregator::bind(self.listen).await?;
        let stopping = shutdown::on_signal()?;
        let sweeps = Arc::new(WatchedSweeps::new(Arc::clone(&store)));
        let showing = async {
            let Some(address) = self.http else {
                return Ok(());
            };
            let listener = aggregator::bind(address).await?;
            let (store, sweeps) = (Arc::clone(&store), Arc::clone(&sweeps));
            let (guard, stopping) = (guard.clone(), stopping.clone());
            live_page::serve(store, sweeps, listener, guard, broker, stopping).await
        };
        let answering = aggregator::serve(
            Arc::clone(&store),
            Arc::clone(&sweeps),
            listener,
            guard.clone(),
            stopping.clone(),
        );
        tokio::try_join!(showing, answering)?;
        Ok(())
    }
}

/// Tells all the time whether the store answers.
async fn look_for_store(store: Arc<dyn Store>, reached: Need) {
    loop {
        reached.set(store.sweeps().await.is_ok());
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}
