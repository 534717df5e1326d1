//! `loto serve`: the gRPC aggregator, and pages for browsers.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use loto_process::connection_options::BrokerOptions;
use loto_process::observation::endpoint::EndpointOption;
use loto_process::observation::readiness::{Need, Readiness};
use loto_process::shutdown;
use loto_transport::store::Store;

use super::error::CommandError;
use super::options::StoreOption;
use crate::aggregator::{self, Guard, GuardFiles, WatchedSweeps};
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
#[command(mut_arg("broker", |broker| broker.required(false)))]
pub(super) struct ServeCommand {
    #[command(flatten)]
    store: StoreOption,

    #[command(flatten)]
    broker: Option<BrokerOptions>,

    /// Address to listen on. Port 0 stands for any free port.
    #[arg(
        long,
        env = "LOTO_LISTEN",
        value_name = "ADDR",
        default_value = "127.0.0.1:50051"
    )]
    listen: SocketAddr,

    /// Address on which sweeps are shown to browsers as well, while they run. Port 0 stands for any free port.
    #[arg(long, env = "LOTO_HTTP", value_name = "ADDR")]
    http: Option<SocketAddr>,

    /// PEM file with the certificate of the service, which then takes TLS connections only.
    #[arg(
        long,
        env = "LOTO_TLS_CERTIFICATE",
        value_name = "FILE",
        requires = "tls_key"
    )]
    tls_certificate: Option<PathBuf>,

    /// PEM file with the private key of that certificate.
    #[arg(
        long,
        env = "LOTO_TLS_KEY",
        value_name = "FILE",
        requires = "tls_certificate"
    )]
    tls_key: Option<PathBuf>,

    /// PEM file with certificate authorities. Every client then has to show a certificate that
    /// one of them signed.
    #[arg(long, env = "LOTO_CLIENT_CA", value_name = "FILE")]
    client_ca: Option<PathBuf>,

    /// File with one line `NAME TOKEN` per client. Every request then has to carry one of the
    /// tokens. Who has a token with the word `control` behind it in its line may also cancel, resume and retry sweeps on the
    /// pages of --http, the last two with --broker. The file is read again when it changes.
    #[arg(long, env = "LOTO_TOKENS", value_name = "FILE")]
    tokens: Option<PathBuf>,

    /// Answer whoever asks, also on an address that other hosts reach, without tokens or certificates
    /// of clients.
    #[arg(long, env = "LOTO_ALLOW_ANYONE")]
    allow_anyone: bool,

    #[command(flatten)]
    endpoint: EndpointOption,
}

impl ServeCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let guard = Guard::read(&GuardFiles {
            identity: self.tls_certificate.zip(self.tls_key),
            client_ca: self.client_ca,
            tokens: self.tokens,
        })?;
        if !self.allow_anyone {
            guard.refuse_anyone("--listen", self.listen)?;
            if let Some(address) = self.http {
                guard.refuse_anyone("--http", address)?;
            }
        }
        let broker = self.broker.map(|broker| self.store.broker_access(&broker));
        let broker = broker.transpose()?;
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
