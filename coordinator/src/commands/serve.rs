//! `loto serve`: the gRPC aggregator.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use loto_process::observation::endpoint::EndpointOption;
use loto_process::observation::readiness::{Need, Readiness};
use loto_process::shutdown;
use loto_transport::store::Store;

use super::options::StoreOption;
use crate::CoordinatorError;
use crate::aggregator::{self, Guard, GuardFiles};
use crate::metrics::AGGREGATOR_METRICS;

/// Time between two looks whether the store answers.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);

const EXAMPLES: &str = "\
Examples:
  loto serve --store redis://localhost
  loto serve --store loto-results/demo/sweep.loto --listen 0.0.0.0:50051
  loto serve --store redis://localhost --tls-certificate server.pem --tls-key server.key --tokens tokens";

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

    /// PEM file of the service's certificate, for TLS.
    #[arg(
        long,
        env = "LOTO_TLS_CERTIFICATE",
        value_name = "FILE",
        requires = "tls_key"
    )]
    tls_certificate: Option<PathBuf>,

    /// PEM file of that certificate's key.
    #[arg(
        long,
        env = "LOTO_TLS_KEY",
        value_name = "FILE",
        requires = "tls_certificate"
    )]
    tls_key: Option<PathBuf>,

    /// PEM file of authorities: a client has to show a certificate of one of them.
    #[arg(long, env = "LOTO_CLIENT_CA", value_name = "FILE")]
    client_ca: Option<PathBuf>,

    /// File of lines `NAME TOKEN`: a request has to bring one of the tokens. It is read again when
    /// it changes.
    #[arg(long, env = "LOTO_TOKENS", value_name = "FILE")]
    tokens: Option<PathBuf>,

    #[command(flatten)]
    endpoint: EndpointOption,
}

impl ServeCommand {
    pub(super) async fn execute(self) -> Result<(), CoordinatorError> {
        let guard = Guard::read(&GuardFiles {
            identity: self.tls_certificate.zip(self.tls_key),
            client_ca: self.client_ca,
            tokens: self.tokens,
        })?;
        let readiness = Readiness::default();
        let reached = readiness.need("the store");
        self.endpoint
            .start(&[&AGGREGATOR_METRICS], &readiness)
            .await?;
        let store = self.store.open().await?;
        tokio::spawn(look_for_store(Arc::clone(&store), reached));
        let listener = aggregator::bind(self.listen).await?;
        aggregator::serve(store, listener, guard, shutdown::on_signal()?).await
    }
}

/// Says whether the store answers, for as long as it is polled.
async fn look_for_store(store: Arc<dyn Store>, reached: Need) {
    loop {
        reached.set(store.sweeps().await.is_ok());
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}
