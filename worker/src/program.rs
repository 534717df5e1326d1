//! The worker's command line: takes jobs from a broker, puts traces into a store.
//!
//! A program with methods of its own is a `main` of one line over [`main`].

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use loto_process::allocation::Allocation;
use loto_process::connection_options::{BrokerOptions, StoreOptions, TlsOptions, either_or_host};
use loto_process::logs::LogOptions;
use loto_process::observation::endpoint::EndpointOption;
use loto_process::{ProcessError, command_line, program, shutdown};
use loto_proto::heartbeat::HEARTBEAT_INTERVAL;
use loto_proto::lifecycle::AttemptLimits;
use loto_transport::{queue, store};

use crate::consumer::{self, ConsumerOptions, JOBS_ARRIVE};
use crate::external::Gap;
use crate::isolation::ProcessPool;
use crate::isolation::child::{self, MakeRun};
use crate::job_options::JobOptions;
use crate::metrics::METRICS;

/// Runs the jobs of sweeps that `loto submit` put on a broker.
///
/// A worker keeps nothing: it takes tables from the store and puts traces there.
/// Start as many as you like, on as many hosts; kill them when you like.
#[derive(Parser)]
#[command(
    name = "loto-worker",
    version,
    after_help = "\
Examples:
  loto-worker --broker amqp://guest:guest@localhost:5672 --store redis://localhost:6379
  LOTO_BROKER=amqp://broker LOTO_STORE=redis://store loto-worker --jobs 8
  loto-worker --host lotos://server --host-token-file token

Exit status:
  0    it was asked to end, or there was no job for the time that --exit-when-idle says
  1    it could not start
  2    the input was wrong: an option, a file, an address; or the broker or the store was not
       there at the start, or refused this worker
  130  a second signal ended it at once",
    max_term_width = 100
)]
#[command(group = either_or_host("broker or host", "broker"))]
struct Arguments {
    #[command(flatten)]
    broker: BrokerOptions,

    #[command(flatten)]
    store: StoreOptions,

    #[command(flatten)]
    tls: TlsOptions,

    #[command(flatten)]
    jobs: JobOptions,

    /// Number of failed attempts after which a job is poisoned: no worker tries it again.
    #[arg(long, env = "LOTO_MAX_ATTEMPTS", value_name = "N", default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    max_attempts: u32,

    /// Seconds that running jobs get to end after SIGTERM or Ctrl-C; those that take longer are
    /// requeued, for another worker.
    #[arg(long, env = "LOTO_GRACE", value_name = "SECONDS", default_value_t = 30)]
    grace: u32,

    /// Seconds without a job after which the worker ends by itself, with status 0; for a
    /// scheduler that starts workers when there are jobs [default: it waits for ever].
    #[arg(long, env = "LOTO_EXIT_WHEN_IDLE", value_name = "SECONDS")]
    exit_when_idle: Option<u32>,

    #[command(flatten)]
    logs: LogOptions,

    #[command(flatten)]
    endpoint: EndpointOption,
}

/// The whole program: a worker that computes with the function `run` makes, in
/// processes of their own (see [`crate::isolation`]).
pub fn main(run: MakeRun) -> ExitCode {
    child::enter(run).unwrap_or_else(|| {
        let arguments: Arguments = command_line::parse();
        let logs = arguments.logs.clone();
        program::run(&logs, std::io::stderr, consume(arguments)).into()
    })
}

async fn consume(arguments: Arguments) -> Result<(), ProcessError> {
    let shutdown = shutdown::on_signal()?;
    let seconds = |seconds: u32| Duration::from_secs(seconds.into());
    let defaults = ConsumerOptions::default();
    let options = ConsumerOptions {
        jobs: arguments.jobs.number(),
        attempt_limits: AttemptLimits {
            failures: arguments.max_attempts,
            ..defaults.attempt_limits
        },
        grace: seconds(arguments.grace),
        allocation: Allocation::of_this_process().await?,
        exit_when_idle: arguments.exit_when_idle.map(seconds),
        heartbeat_interval: Some(HEARTBEAT_INTERVAL),
        longest_silence: arguments.jobs.limits().deadline
            + ConsumerOptions::SILENCE_BEYOND_DEADLINE,
        ..defaults
    };
    options.readiness.need(JOBS_ARRIVE);
    let endpoint = arguments.endpoint;
    endpoint.start(&[&METRICS], &options.readiness).await?;
    let tls = &arguments.tls;
    let (store, broker) = (
        arguments.store.access(tls)?,
        arguments.broker.access(&arguments.store, tls)?,
    );
    let file = store::embedded_path(store.address.expose())?.map(PathBuf::from);
    let store_files = file.iter().flat_map(|file| store::embedded_files(file));
    let store = store::open(store).await?;
    let queue = tokio::select! {
        queue = queue::connect_worker(broker) => queue?,
        () = shutdown.cancelled() => return Ok(()),
    };
    let limits = arguments.jobs.limits();
    tracing::info!(
        "receiving jobs, {} at a time; each may take {} s and {} MiB",
        options.jobs,
        limits.deadline.as_secs(),
        limits.memory >> 20
    );
    for gap in Gap::of_this_host() {
        tracing::warn!(
            "the kernel cannot keep external methods from what is not theirs: {} is not enforced",
            gap.in_words()
        );
    }
    let secrets = [arguments.broker.secret_file(), tls.secret_file()];
    let secrets = secrets.into_iter().flatten();
    let secrets = secrets.chain(arguments.store.secret_files());
    let withheld = secrets.map(PathBuf::from);
    let withheld = withheld.chain(store_files);
    let compute = ProcessPool::new(Arc::clone(&store), limits).withholding(withheld);
    let compute = Arc::new(compute);
    let summary = consumer::run(queue, store, compute, options, shutdown, None).await?;
    tracing::info!(
        "{} traces stored, {} were there already, {} jobs poisoned, {} requeued, {} of other stores, \
         {} of other releases, {} without their table, {} dropped, {} messages refused",
        summary.stored,
        summary.already_done,
        summary.poisoned,
        summary.requeued,
        summary.foreign,
        summary.other_release,
        summary.missing_table,
        summary.dropped,
        summary.refused,
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }
}
