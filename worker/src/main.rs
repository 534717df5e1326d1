//! The worker's command line: takes jobs from a broker, puts traces into a store.

use std::io::IsTerminal;
use std::num::NonZero;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use loto_proto::{queue, store};
use loto_worker::blas;
use loto_worker::consumer::{self, ConsumerOptions};
use loto_worker::shutdown;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

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

Exit status: 0 ended on request, 1 failed, 2 wrong input (also: no broker or store at the start)."
)]
struct Arguments {
    /// Where jobs come from: amqp://USER:PASSWORD@HOST:PORT/VHOST
    #[arg(long, env = "LOTO_BROKER", hide_env_values = true, value_name = "URL")]
    broker: String,

    /// Where tables come from and traces go: redis://[USER:PASSWORD@]HOST:PORT
    #[arg(long, env = "LOTO_STORE", hide_env_values = true, value_name = "URL")]
    store: String,

    /// Jobs that run side by side [default: one per processor]
    #[arg(long, env = "LOTO_JOBS", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Times a failing job is begun before it is given up
    #[arg(long, env = "LOTO_MAX_ATTEMPTS", value_name = "N", default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    max_attempts: u32,

    /// Seconds that running jobs get to end after SIGTERM or Ctrl-C
    #[arg(long, env = "LOTO_GRACE", value_name = "SECONDS", default_value_t = 30)]
    grace: u32,

    /// What is logged: error, warn, info, debug, trace, or by module: warn,loto_worker=debug
    #[arg(
        long,
        env = "LOTO_LOG",
        value_name = "FILTER",
        default_value = "info,lapin=off"
    )]
    log: Targets,
}

fn main() -> ExitCode {
    // Before any thread starts: it runs the program anew, once.
    let pinned = blas::pin_kernels().context("cannot pin the linear algebra's kernels");
    match pinned.and_then(|()| work(Arguments::parse())) {
        Ok(status) => status,
        Err(error) => {
            eprintln!("loto-worker: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

fn work(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    tracing_subscriber::registry()
        .with(lines)
        .with(arguments.log.clone())
        .init();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let status = runtime.block_on(consume(arguments));
    // A job that did not end within the grace period still has its thread, which may wait for
    // the store: it panics if the runtime goes before the process does.
    std::mem::forget(runtime);
    status
}

async fn consume(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let shutdown = shutdown::on_signal().context("cannot handle signals")?;
    let options = ConsumerOptions {
        jobs: arguments.jobs.unwrap_or_else(processors),
        max_attempts: arguments.max_attempts,
        grace: Duration::from_secs(arguments.grace.into()),
        ..ConsumerOptions::default()
    };
    let reached = async {
        let store = store::open(&arguments.store).await?;
        let queue = queue::connect(&arguments.broker).await?;
        Ok::<_, loto_proto::ProtoError>((queue, store))
    };
    let (queue, store) = match reached.await {
        Ok(reached) => reached,
        Err(error) => {
            eprintln!("loto-worker: {error}");
            return Ok(ExitCode::from(WRONG_INPUT));
        }
    };
    tracing::info!("receiving jobs, {} at a time", options.jobs);
    let summary = consumer::run(queue, store, options, shutdown, None).await?;
    tracing::info!(
        "{} traces stored, {} were there already, {} jobs given up, {} given back, {} messages refused",
        summary.stored,
        summary.already_done,
        summary.poisoned,
        summary.given_back,
        summary.refused,
    );
    Ok(ExitCode::SUCCESS)
}

fn processors() -> u16 {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    u16::try_from(processors).unwrap_or(u16::MAX)
}
