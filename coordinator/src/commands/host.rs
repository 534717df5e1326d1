//! `loto host`: a queue and a store in one process, in place of RabbitMQ and Redis.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use loto_process::observation::endpoint::EndpointOption;
use loto_process::observation::readiness::Readiness;
use loto_process::shutdown;
use loto_transport::host::DEFAULT_PORT;
use loto_transport::queue::InProcessQueue;
use loto_transport::store::{EmbeddedStore, Store};

use super::error::CommandError;
use super::guard_options::GuardOptions;
use crate::aggregator;
use crate::embedded::take_lock;
use crate::host::{publish_unfinished, serve};
use crate::metrics::AGGREGATOR_METRICS;

const EXAMPLES: &str = "\
Examples:
  loto host laboratory.loto                  for workers and commands on this host
  loto host laboratory.loto --listen 0.0.0.0:50052 --tokens tokens --tls-certificate server.pem --tls-key server.key
  loto-worker --host lotos://server          with LOTO_HOST_TOKEN set
  loto submit sweep.toml --host lotos://server --wait

The jobs of a host that ends are on its queue again when it starts with the same file.";

/// Keeps the queue and the store of a laboratory in this process: no RabbitMQ and no Redis is needed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct HostCommand {
    /// File of the store, which is made if it is not there.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Address to listen on. Whoever is let in there may do everything, delete sweeps as well. Port 0 stands for any free
    /// port.
    #[arg(
        long,
        env = "LOTO_LISTEN",
        value_name = "ADDR",
        default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, DEFAULT_PORT))
    )]
    listen: SocketAddr,

    #[command(flatten)]
    guard: GuardOptions,

    #[command(flatten)]
    endpoint: EndpointOption,
}

impl HostCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let guard = self.guard.guard([("--listen", self.listen)])?;
        let stopping = shutdown::on_signal()?;
        let readiness = Readiness::default();
        let filled = readiness.need("the queue to be filled");
        self.endpoint
            .start(&[&AGGREGATOR_METRICS], &readiness)
            .await?;
        let listener = aggregator::bind(self.listen).await?;
        // Two hosts of one file would have the same jobs on two queues.
        let _lock = take_lock(&self.file)?;
        let store: Arc<dyn Store> = Arc::new(EmbeddedStore::open(&self.file).await?);
        let queue = InProcessQueue::new();
        let published = publish_unfinished(store.as_ref(), &queue).await?;
        if published > 0 {
            tracing::info!("{published} unfinished jobs are on the queue again");
        }
        filled.set(true);
        Ok(serve(store, queue, listener, guard, stopping).await?)
    }
}
