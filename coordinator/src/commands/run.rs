//! `loto run`: a whole sweep in this process.

use loto_statistics::StatisticsError;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use loto_process::shutdown;
use loto_worker::isolation::ProcessPool;
use loto_worker::job_options::JobOptions;

use super::analysed::Analysed;
use super::options::{BaselineOption, DataOption};
use crate::CoordinatorError;
use crate::dispatch::record;
use crate::embedded::{self, RunFolder};
use crate::plan::{Plan, SweepSource};
use crate::progress::display::Display;
use loto_report::Format;
use loto_statistics::random_search::{Baseline, RANDOM_SEARCH_METHOD};

const EXAMPLES: &str = "\
Examples:
  loto run                                       the built-in sweep
  loto run sweep.toml --data tables --out results
  loto run sweep.toml --jobs 4 --baseline sampled

The traces are kept in OUT/sweep.loto. A run that was interrupted or killed goes
on from there when the same command is given again, and a finished one prints
its report. The other commands read them with --store OUT/sweep.loto.";

/// Runs a sweep in this process and reports it; needs no server.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RunCommand {
    /// Sweep file; the built-in sweep if left out.
    #[arg(value_name = "SWEEP")]
    sweep: Option<PathBuf>,

    #[command(flatten)]
    data: DataOption,

    /// Folder for the traces and the report [default: loto-results/NAME].
    #[arg(long, env = "LOTO_OUT", value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    jobs: JobOptions,

    #[command(flatten)]
    baseline: BaselineOption,
}

impl RunCommand {
    pub(super) async fn execute(self) -> Result<(), CoordinatorError> {
        let source = self.sweep.map_or(SweepSource::BuiltIn, SweepSource::File);
        let plan = Plan::read(&source, self.data.data.as_deref())?;
        check_baseline(&plan, self.baseline.baseline)?;
        let path = self
            .out
            .unwrap_or_else(|| RunFolder::default_path(&plan.sweep.name));
        let folder = RunFolder::open(&path).await?;
        let store = folder.store();
        record(&plan, store.as_ref()).await?;
        let jobs = self.jobs.number();
        let shutdown = shutdown::on_signal()?;
        let mut display = Display::new(&plan.sweep.name);
        let on_progress = |progress: &_| display.update(progress);
        let compute = Arc::new(ProcessPool::new(Arc::clone(&store), self.jobs.limits()));
        let store_of_run = Arc::clone(&store);
        let run = embedded::run(&plan, store_of_run, compute, jobs, shutdown, on_progress);
        let outcome = run.await;
        drop(display);
        match outcome {
            // What was given up is missing from the report, which says so.
            Ok(()) | Err(CoordinatorError::GaveUp { .. }) => {
                let baseline = self.baseline.baseline;
                let analysed = Analysed::sweep(store, plan.sweep, baseline).await?;
                analysed.publish(Some(folder.path()), Format::Text)?;
                outcome
            }
            Err(CoordinatorError::Interrupted(progress)) => {
                Err(CoordinatorError::Interrupted(format!(
                    "{progress}; the same command goes on from there (traces are kept in {})",
                    folder.store_file().display()
                )))
            }
            Err(_) => outcome,
        }
    }
}

/// A sampled baseline needs `rs` on every black box; better said now than after the run.
fn check_baseline(plan: &Plan, baseline: Baseline) -> Result<(), CoordinatorError> {
    let mut blackboxes = plan.sweep.blackboxes.iter();
    let without = blackboxes.find(|blackbox| {
        let mut methods = blackbox.methods.iter();
        !methods.any(|method| method.id == RANDOM_SEARCH_METHOD)
    });
    match without {
        Some(blackbox) if baseline == Baseline::Sampled => {
            Err(StatisticsError::NoSampledBaseline {
                blackbox: blackbox.name.clone(),
            }
            .into())
        }
        _ => Ok(()),
    }
}
