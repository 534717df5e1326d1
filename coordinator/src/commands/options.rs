//! Options that several commands share.

use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use loto_process::connection_options::{BrokerOptions, StoreOptions, TlsOptions, either_or_host};
use loto_process::observation::endpoint::EndpointOption;
use loto_process::observation::readiness::{Need, Readiness};
use loto_proto::identity::SweepId;
use loto_transport::connection::Access;
use loto_transport::queue::{self, Queue};
use loto_transport::store::{self, Store};
use tokio_util::sync::CancellationToken;

use super::error::CommandError;
use crate::dispatch::{
    Inventory, LONGEST_ABSENCE, LONGEST_OUTAGE, POLL_INTERVAL, Requeue, Wait, wait_until_done,
};
use crate::metrics::{COORDINATOR_METRICS, jobs_lost, jobs_published, sweep_stands_at};
use crate::progress::Tracker;
use crate::progress::display::Display;
use loto_statistics::analysis::{AnalysisOptions, Rope, RopeUnit};
use loto_statistics::practical_differences::DEFAULT_ROPE;
use loto_statistics::random_search::Baseline;

/// Where tables are.
#[derive(Debug, Args)]
pub(super) struct DataOption {
    /// Folder in which a table is looked for if it is not beside the sweep file.
    #[arg(long, env = "LOTO_DATA", value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
}

/// Where traces are.
#[derive(Debug, Args)]
pub(super) struct StoreOption {
    #[command(flatten)]
    store: StoreOptions,

    #[command(flatten)]
    tls: TlsOptions,
}

impl StoreOption {
    /// Opens the store, which must be there.
    ///
    /// # Errors
    /// [`loto_transport::TransportError`] if it is not.
    pub(super) async fn open(&self) -> Result<Arc<dyn Store>, CommandError> {
        Ok(store::open_existing(self.store.access(&self.tls)?).await?)
    }

    /// How to reach the broker, with the certificates for the store.
    ///
    /// # Errors
    /// As [`BrokerOptions::access`].
    pub(super) fn broker_access(&self, broker: &BrokerOptions) -> Result<Access, CommandError> {
        Ok(broker.access(&self.store, &self.tls)?)
    }

    /// As [`Self::broker_access`]; `None` if no broker is given, and no host that is one.
    ///
    /// # Errors
    /// As [`BrokerOptions::access_if_given`].
    pub(super) fn broker_access_if_given(
        &self,
        broker: &BrokerOptions,
    ) -> Result<Option<Access>, CommandError> {
        Ok(broker.access_if_given(&self.store, &self.tls)?)
    }

    /// The file of the store; `None` for one that a server keeps.
    ///
    /// # Errors
    /// [`loto_transport::TransportError::UnknownUrl`] if the URL is of neither.
    pub(super) fn file(&self) -> Result<Option<PathBuf>, CommandError> {
        let access = self.store.access(&self.tls)?;
        let path = store::embedded_path(access.address.expose())?;
        Ok(path.map(PathBuf::from))
    }

    /// Opens the store; a file that is not there is made.
    ///
    /// # Errors
    /// [`loto_transport::TransportError`] if it cannot be opened.
    pub(super) async fn open_or_make(&self) -> Result<Arc<dyn Store>, CommandError> {
        Ok(store::open(self.store.access(&self.tls)?).await?)
    }
}

/// Where jobs wait, and where traces are.
#[derive(Debug, Args)]
#[command(group = either_or_host("broker or host", "broker"))]
pub(super) struct ServerOptions {
    #[command(flatten)]
    broker: BrokerOptions,

    #[command(flatten)]
    pub(super) store: StoreOption,
}

impl ServerOptions {
    /// Connects to the broker.
    ///
    /// # Errors
    /// [`loto_transport::TransportError`] if it is not there.
    pub(super) async fn connect(&self) -> Result<Arc<dyn Queue>, CommandError> {
        Ok(queue::connect(self.store.broker_access(&self.broker)?).await?)
    }
}

/// Whether to wait for the end.
#[derive(Debug, Args)]
pub(super) struct WaitOption {
    /// Wait until all jobs are done or poisoned, showing the progress, and publish lost jobs again.
    #[arg(long, env = "LOTO_WAIT")]
    wait: bool,

    #[command(flatten)]
    endpoint: EndpointOption,
}

impl WaitOption {
    /// Whether to wait.
    pub(super) fn is_wanted(&self) -> bool {
        self.wait
    }

    /// Begins to tell how this process is doing; it is ready once it waits.
    ///
    /// # Errors
    /// [`CommandError::Process`] if the address is of no use.
    pub(super) async fn observe(&self) -> Result<Need, CommandError> {
        let readiness = Readiness::default();
        let published = readiness.need("all jobs to be published");
        self.endpoint
            .start(&[&COORDINATOR_METRICS], &readiness)
            .await?;
        // A rate needs a beginning.
        jobs_published(0);
        jobs_lost(0);
        Ok(published)
    }

    /// Waits for the sweep if asked to.
    ///
    /// # Errors
    /// As [`wait_until_done`].
    pub(super) async fn follow(
        &self,
        name: &str,
        tracker: &mut Tracker,
        wait: Wait<'_>,
    ) -> Result<(), CommandError> {
        if !self.wait {
            return Ok(());
        }
        let mut display = Display::new(name);
        let waiting = wait_until_done(tracker, wait, |progress| {
            sweep_stands_at(name, &progress.total);
            display.update(progress);
        });
        Ok(waiting.await?)
    }
}

/// How to wait for a sweep on real servers.
pub(super) fn wait<'a>(
    id: SweepId,
    store: &'a dyn Store,
    inventory: Option<Inventory>,
    requeue: Option<Requeue<'a>>,
    shutdown: CancellationToken,
) -> Wait<'a> {
    Wait {
        id,
        store,
        inventory,
        requeue,
        poll_interval: POLL_INTERVAL,
        longest_outage: LONGEST_OUTAGE,
        longest_absence: LONGEST_ABSENCE,
        shutdown,
    }
}

/// Whether a report may replace another one.
#[derive(Debug, Args)]
pub(super) struct ReplaceOption {
    /// Replace the report of another sweep, or of recorded traces, in the folder.
    #[arg(long, env = "LOTO_REPLACE")]
    pub(super) replace: bool,
}

/// What scores compare with.
#[derive(Debug, Args)]
pub(super) struct ScoreOptions {
    /// Random search that methods are compared with: its exact expectation on the table,
    /// drawn without or with replacement, or the traces of the method rs.
    #[arg(
        long,
        env = "LOTO_BASELINE",
        value_name = "BASELINE",
        default_value = "exact",
        value_parser = PossibleValuesParser::new(Baseline::NAMES.map(|(_, name)| name))
            .try_map(|name| name.parse::<Baseline>())
    )]
    pub(super) baseline: Baseline,

    /// Method that all others are paired with, trace by trace [default: on each black box the one with
    /// the best average rank].
    #[arg(long, env = "LOTO_AGAINST", value_name = "METHOD")]
    pub(super) against: Option<String>,

    /// Greatest difference that is too small to matter: the rope of the Bayesian tests.
    #[arg(long, env = "LOTO_ROPE", value_name = "WIDTH", default_value_t = DEFAULT_ROPE)]
    rope: f64,

    /// What the rope is a difference of: distances to the minimum, from 0 to 1 on every task, or values of the objective.
    #[arg(long, env = "LOTO_ROPE_OF", value_enum, default_value_t = RopeOf::Distance)]
    rope_of: RopeOf,

    /// Also compare all methods with that of --against by the hierarchical test, which takes some seconds.
    #[arg(long, env = "LOTO_HIERARCHICAL")]
    hierarchical: bool,
}

/// What a rope is a difference of.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum RopeOf {
    /// Distances to the minimum.
    Distance,
    /// Values of the objective.
    Value,
}

impl ScoreOptions {
    /// What statistics are asked for.
    pub(super) fn analysis(&self) -> AnalysisOptions {
        AnalysisOptions {
            baseline: self.baseline,
            against: self.against.clone(),
            rope: Some(Rope {
                width: self.rope,
                unit: match self.rope_of {
                    RopeOf::Distance => RopeUnit::Distance,
                    RopeOf::Value => RopeUnit::Value,
                },
            }),
            hierarchical: self.hierarchical,
            ..AnalysisOptions::default()
        }
    }
}
