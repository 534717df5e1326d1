//! `loto run`: a whole sweep in this process.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use loto_process::allocation::Allocation;
use loto_process::shutdown;
use loto_proto::excerpt::list;
use loto_proto::sweep::Blackbox;
use loto_report::Format;
use loto_statistics::StatisticsError;
use loto_statistics::analysis::check_options;
use loto_statistics::random_search::{Baseline, RANDOM_SEARCH_METHOD};
use loto_transport::store::Store;
use loto_worker::consumer::ConsumerOptions;
use loto_worker::isolation::ProcessPool;
use loto_worker::job_options::JobOptions;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::error::CommandError;
use super::options::{DataOption, ReplaceOption, ScoreOptions};
use super::output::print;
use super::report_folder::{self, Origin};
use super::report_options::publish;
use super::warnings::warn_of;
use crate::CoordinatorError;
use crate::aggregator::{self, Guard, WatchedSweeps};
use crate::dispatch::{DispatchError, Interruption, record};
use crate::embedded::{self, EmbeddedError, RunFolder};
use crate::live_page;
use crate::plan::{Plan, SweepSource};
use crate::progress::display::Display;
use crate::reporting::{Analysed, RecordedFiles, command_line};
use crate::shard::{Shard, Share};

const EXAMPLES: &str = "\
Examples:
  loto run                                       the built-in sweep
  loto run sweep.toml --data tables --out results
  loto run sweep.toml --jobs 4 --baseline sampled
  loto run sweep.toml --out parts --shard 3/64   one part of 64; then, with the others done:
  loto merge parts/shard-*.loto --out results && loto run sweep.toml --out results

The traces are kept in OUT/sweep.loto. A run that was interrupted or killed continues
when the same command is given again; a run that is finished prints its report again.
The other commands read the traces with --store OUT/sweep.loto.";

/// Runs a sweep in this process, without any server, and reports the results.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RunCommand {
    /// Sweep file. Without one, the built-in sweep is run.
    #[arg(value_name = "SWEEP")]
    sweep: Option<PathBuf>,

    #[command(flatten)]
    data: DataOption,

    /// Folder for the traces and the report [default: loto-results/NAME].
    #[arg(long, env = "LOTO_OUT", value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    replace: ReplaceOption,

    /// Address on which the sweep is shown to browsers while it runs. It has to be one of this host's own
    /// (127.0.0.1), since whoever reaches it sees the sweep. Port 0 stands for any free port.
    #[arg(long, env = "LOTO_HTTP", value_name = "ADDR")]
    http: Option<SocketAddr>,

    #[command(flatten)]
    jobs: JobOptions,

    #[command(flatten)]
    scores: ScoreOptions,

    /// Run one of N parts of the sweep, counted from 1, into OUT/shard-K-of-N.loto, without a report. Parts may
    /// run at the same time, on any hosts; `loto merge` joins them.
    #[arg(long, env = "LOTO_SHARD", value_name = "K/N", conflicts_with_all = ["baseline", "against", "rope", "rope_of", "hierarchical", "replace"])]
    shard: Option<Shard>,
}

impl RunCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let source = self.sweep.map_or(SweepSource::BuiltIn, SweepSource::File);
        let plan = Plan::read(&source, self.data.data.as_deref())?;
        check_scores(&plan, &self.scores)?;
        warn_of(&plan);
        let path = self
            .out
            .unwrap_or_else(|| RunFolder::default_path(&plan.sweep.name));
        let origin = Origin::Sweep(plan.sweep.name.clone());
        let folder = match self.shard {
            Some(shard) => RunFolder::open_shard(&path, shard).await?,
            None => {
                report_folder::check(&path, &origin, self.replace.replace)?;
                RunFolder::open(&path).await?
            }
        };
        let share = self.shard.map(|shard| Share::of(shard, &plan));
        let store = &folder.store;
        record(&plan, store.as_ref()).await?;
        let options = ConsumerOptions {
            jobs: self.jobs.number(),
            allocation: Allocation::of_this_process().await?,
            ..ConsumerOptions::default()
        };
        let shutdown = shutdown::on_signal()?;
        let name = match self.shard {
            Some(shard) => format!("{}, shard {shard}", plan.sweep.name),
            None => plan.sweep.name.clone(),
        };
        // The pages end with the run.
        let _showing = match self.http {
            Some(address) => Some(show(address, store).await?),
            None => None,
        };
        let mut display = Display::new(&name);
        let on_progress = |progress: &_| display.update(progress);
        let compute = ProcessPool::new(Arc::clone(store), self.jobs.limits());
        let withheld = plan.table_paths().chain(folder.files_with_values());
        let compute = Arc::new(compute.withholding(withheld));
        let store_of_run = Arc::clone(store);
        let run = embedded::run(
            &plan,
            share.as_ref(),
            store_of_run,
            compute,
            options,
            shutdown,
            on_progress,
        );
        let outcome = tokio::select! {
            outcome = run => outcome,
            lost = folder.store_lost() => Err(lost),
        };
        drop(display);
        folder.check_store()?;
        match (outcome, self.shard) {
            (Ok(()), Some(shard)) => print(&format!(
                "shard {shard} is done: {}\n{}",
                folder.store_file().display(),
                joining(&folder.path.join(shard.pattern())),
            )),
            (
                Err(EmbeddedError::Dispatch(DispatchError::Interrupted(Interruption::Running(
                    counts,
                )))),
                _,
            ) => Err(CommandError::RunInterrupted {
                counts,
                store: folder.store_file(),
            }),
            // What is poisoned is missing from the report, which says so.
            (
                outcome @ (Ok(()) | Err(EmbeddedError::Dispatch(DispatchError::Poisoned { .. }))),
                None,
            ) => {
                let store = Arc::clone(store);
                let options = self.scores.analysis();
                let recorded = RecordedFiles::default();
                let sweep = plan.sweep.clone();
                let analysed =
                    Analysed::sweep(store, sweep, &options, &recorded, command_line()).await?;
                report_folder::mark(&folder.path, &origin)?;
                publish(&analysed, Some(&folder.path), Format::Text)?;
                Ok(outcome?)
            }
            (Err(error), _) => Err(error.into()),
        }
    }
}

/// What to do once all shards are done.
fn joining(stores: &Path) -> String {
    format!(
        "once all shards are: loto merge {} --out RESULTS, and loto run with --out RESULTS for the report\n",
        stores.display()
    )
}

/// Shows the sweeps of a store to browsers of this host until what is returned is dropped.
async fn show(address: SocketAddr, store: &Arc<dyn Store>) -> Result<DropGuard, CoordinatorError> {
    if !address.ip().is_loopback() {
        return Err(CoordinatorError::InvalidInput(format!(
            "--http {address}: whoever reaches this address could see the sweep: give one of this host's own, \
             as in --http 127.0.0.1:{}",
            address.port()
        )));
    }
    let listener = aggregator::bind(address).await?;
    let sweeps = Arc::new(WatchedSweeps::new(Arc::clone(store)));
    let ended = CancellationToken::new();
    let showing = live_page::serve(
        Arc::clone(store),
        sweeps,
        listener,
        Guard::default(),
        None,
        ended.clone(),
    );
    tokio::spawn(async move {
        if let Err(error) = showing.await {
            tracing::error!("{error}; the run goes on");
        }
    });
    Ok(ended.drop_guard())
}

/// Options have to be in their ranges, a sampled baseline needs `rs` on every black box, and a method to pair with has to run
/// on one; better said now than after the run.
fn check_scores(plan: &Plan, scores: &ScoreOptions) -> Result<(), StatisticsError> {
    check_options(&scores.analysis())?;
    let lacks_random_search = |blackbox: &&Blackbox| {
        let mut methods = blackbox.methods.iter();
        methods.all(|method| method.id != RANDOM_SEARCH_METHOD)
    };
    if let Some(blackbox) = plan.sweep.blackboxes.iter().find(lacks_random_search)
        && scores.baseline == Baseline::Sampled
    {
        let blackbox = blackbox.name.clone();
        return Err(StatisticsError::NoSampledBaseline { blackbox });
    }
    let methods = plan.method_names();
    match &scores.against {
        Some(method) if !methods.contains(method.as_str()) => Err(StatisticsError::NotToPairWith {
            method: method.clone(),
            known: list(methods),
        }),
        _ => Ok(()),
    }
}
