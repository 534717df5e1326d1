//! The worker's command line: takes jobs from a broker, puts traces into a store.
//!
//! A program with methods of its own is a `main` of one line over [`main`].

use std::io::IsTerminal;
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser};
use loto_process::observation::EndpointOption;
use loto_process::observation::logs::LogFormat;
use loto_proto::lifecycle::GiveUp;
use loto_proto::worker_report::REPORT_INTERVAL;
use loto_transport::{queue, store};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::WorkerError;
use crate::consumer::{self, ConsumerOptions};
use crate::isolation::child::{self, Run};
use crate::isolation::{JobLimits, ProcessPool};
use crate::metrics::METRICS;
use loto_engine::blas;
use loto_engine::blobs::Blobs;
use loto_process::connection_options::{BrokerOptions, StoreOptions, TlsOptions};
use loto_process::shutdown;

/// Exit status: a part of the work failed.
const FAILED: u8 = 1;

/// Exit status: the input was wrong, or the broker or store is not there.
const WRONG_INPUT: u8 = 2;

/// Runs the jobs of sweeps that `loto submit` put on a broker.
///
/// A worker keeps nothing: it takes tables from the store and puts traces there.
/// Start as many as you like, on as many hosts; kill them when you like.
#[derive(Parser)]
#[command(
    name = "loto-worker",
    version,
    after_help = "Examples:
  loto-worker --broker amqp://guest:guest@localhost:5672 --store redis://localhost:6379
  LOTO_BROKER=amqp://broker LOTO_STORE=redis://store loto-worker --jobs 8

Exit status: 0 ended on request or when idle, 1 failed, 2 wrong input (also: no broker or store at the start;
broker or store refuse us)."
)]
struct Arguments {
    #[command(flatten)]
    broker: BrokerOptions,

    #[command(flatten)]
    store: StoreOptions,

    #[command(flatten)]
    tls: TlsOptions,

    /// Jobs that run side by side [default: one per processor]
    #[arg(long, env = "LOTO_JOBS", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Times a failing job is begun before it is given up
    #[arg(long, env = "LOTO_MAX_ATTEMPTS", value_name = "N", default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    max_attempts: u32,

    #[command(flatten)]
    limits: LimitOptions,

    /// Seconds that running jobs get to end after SIGTERM or Ctrl-C; then they are handed back
    #[arg(long, env = "LOTO_GRACE", value_name = "SECONDS", default_value_t = 30)]
    grace: u32,

    /// Seconds without a job after which the worker ends by itself, with status 0; for a
    /// scheduler that starts workers when there are jobs [default: it waits for ever]
    #[arg(long, env = "LOTO_EXIT_WHEN_IDLE", value_name = "SECONDS")]
    exit_when_idle: Option<u32>,

    /// What is logged: error, warn, info, debug, trace, or by module: warn,loto_worker=debug
    #[arg(
        long,
        env = "LOTO_LOG",
        value_name = "FILTER",
        default_value = "info,lapin=off"
    )]
    log: Targets,

    /// Form of log lines: text, or json for programs that collect them
    #[arg(long, env = "LOTO_LOG_FORMAT", value_name = "FORMAT", default_value_t)]
    log_format: LogFormat,

    #[command(flatten)]
    endpoint: EndpointOption,
}

/// What a job may use, as options of a command line.
#[derive(Debug, Clone, Copy, Args)]
pub struct LimitOptions {
    /// Seconds that a job may take; one that takes longer fails. Keep it below the
    /// broker's consumer timeout.
    #[arg(long, env = "LOTO_DEADLINE", value_name = "SECONDS",
        default_value_t = JobLimits::DEADLINE.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..))]
    deadline: u64,

    /// MiB of memory that a job may take; one that takes more fails [default: an equal
    /// share of nine tenths of the memory there is]
    #[arg(long, env = "LOTO_MEMORY", value_name = "MIB",
        value_parser = clap::value_parser!(u64).range(64..=1 << 30))]
    memory: Option<u64>,
}

impl LimitOptions {
    /// The limits of each of `jobs` jobs that run side by side.
    pub fn of_each(self, jobs: u16) -> JobLimits {
        let chosen = self.memory.map(|mebibytes| mebibytes << 20);
        JobLimits {
            deadline: Duration::from_secs(self.deadline),
            memory: chosen.unwrap_or_else(|| JobLimits::share_of_memory(jobs)),
        }
    }
}

/// The whole program: a worker that computes with the function `run` makes, in
/// processes of their own (see [`crate::isolation`]).
pub fn main(run: impl FnOnce(Arc<dyn Blobs>) -> Run) -> ExitCode {
    // Before any thread starts: it runs the program anew, once.
    if let Err(problem) = blas::pin_kernels() {
        let what = "pin the linear algebra's kernels";
        return failed(&WorkerError::CannotStart { what, problem });
    }
    if let Some(status) = child::serve_if_asked(run) {
        return status;
    }
    match work(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(error: &WorkerError) -> ExitCode {
    eprintln!("loto-worker: {error}");
    ExitCode::from(match error {
        WorkerError::Transport(_) | WorkerError::Endpoint(_) => WRONG_INPUT,
        _ => FAILED,
    })
}

fn work(arguments: Arguments) -> Result<(), WorkerError> {
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let lines = match arguments.log_format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    tracing_subscriber::registry()
        .with(lines)
        .with(arguments.log.clone())
        .init();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|problem| WorkerError::CannotStart {
            what: "start threads",
            problem,
        })?;
    runtime.block_on(consume(arguments))
}

async fn consume(arguments: Arguments) -> Result<(), WorkerError> {
    let shutdown = shutdown::on_signal().map_err(|problem| WorkerError::CannotStart {
        what: "handle signals",
        problem,
    })?;
    let defaults = ConsumerOptions::default();
    defaults.readiness.need(consumer::JOBS_ARRIVE);
    let endpoint = arguments.endpoint;
    endpoint.start(&[&METRICS], &defaults.readiness).await?;
    let options = ConsumerOptions {
        jobs: arguments.jobs.unwrap_or_else(processors),
        give_up: GiveUp {
            failures: arguments.max_attempts,
            ..defaults.give_up
        },
        grace: Duration::from_secs(arguments.grace.into()),
        exit_when_idle: arguments
            .exit_when_idle
            .map(|seconds| Duration::from_secs(seconds.into())),
        reports: Some(REPORT_INTERVAL),
        ..defaults
    };
    let tls = &arguments.tls;
    let (store, broker) = (arguments.store.access(tls)?, arguments.broker.access(tls)?);
    let store = store::open(store).await?;
    let queue = tokio::select! {
        queue = queue::connect_worker(broker) => queue?,
        () = shutdown.cancelled() => return Ok(()),
    };
    let limits = arguments.limits.of_each(options.jobs);
    tracing::info!(
        "receiving jobs, {} at a time; each may take {} s and {} MiB",
        options.jobs,
        limits.deadline.as_secs(),
        limits.memory >> 20
    );
    let compute = Arc::new(ProcessPool::new(Arc::clone(&store), limits));
    let summary = consumer::run(queue, store, compute, options, shutdown, None).await?;
    tracing::info!(
        "{} traces stored, {} were there already, {} jobs given up, {} given back, {} dropped, {} messages refused",
        summary.stored,
        summary.already_done,
        summary.poisoned,
        summary.given_back,
        summary.dropped,
        summary.refused,
    );
    Ok(())
}

fn processors() -> u16 {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    u16::try_from(processors).unwrap_or(u16::MAX)
}
