//! `loto status`: how far a sweep is.

use clap::Args;
use loto_transport::store::Store;

use super::error::CommandError;
use super::find_sweep::{find_sweep, read};
use super::options::StoreOption;
use super::output::print;
use super::text_table::lay_out;
use crate::dispatch::conflicts;
use crate::progress::{Counts, Tracker};

const EXAMPLES: &str = "\
Examples:
  loto status --store redis://localhost                every sweep in the store
  loto status 3fa9 --store redis://localhost           one sweep, by the beginning of its id
  loto status demo --store loto-results/demo/sweep.loto";

/// Says how far a sweep is, or lists all sweeps.
///
/// Counts the sweep's jobs by state, black box and method, and lists the errors of
/// those that were given up.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct StatusCommand {
    /// Id of the sweep, or its beginning, or its name.
    #[arg(value_name = "SWEEP_ID")]
    sweep: Option<String>,

    #[command(flatten)]
    store: StoreOption,

    /// Show where in the program each job failed that was given up.
    #[arg(long, env = "LOTO_BACKTRACES")]
    backtraces: bool,
}

impl StatusCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let store = self.store.open().await?;
        match &self.sweep {
            Some(wanted) => show_one(store.as_ref(), wanted, self.backtraces).await,
            None => list_all(store.as_ref()).await,
        }
    }
}

const STATES: [&str; 5] = ["queued", "running", "done", "failed", "given up"];

fn cells(counts: &Counts) -> impl Iterator<Item = String> {
    let Counts {
        queued,
        running,
        done,
        failed,
        poisoned,
    } = counts;
    [queued, running, done, failed, poisoned]
        .map(ToString::to_string)
        .into_iter()
}

async fn list_all(store: &dyn Store) -> Result<(), CommandError> {
    let heading = ["sweep", "name"].into_iter().chain(STATES);
    let mut rows = vec![heading.map(str::to_owned).collect::<Vec<_>>()];
    for id in store.sweeps().await? {
        let sweep = read(store, id).await?;
        let mut tracker = Tracker::new(&sweep);
        tracker.scan(store).await?;
        let name = [id.to_string(), sweep.name.clone()];
        rows.push(
            name.into_iter()
                .chain(cells(&tracker.progress().total))
                .collect(),
        );
    }
    if rows.len() == 1 {
        return print("there is no sweep in the store\n");
    }
    print(&lay_out(&rows))
}

async fn show_one(store: &dyn Store, wanted: &str, backtraces: bool) -> Result<(), CommandError> {
    let (id, sweep) = find_sweep(store, wanted).await?;
    let mut tracker = Tracker::new(&sweep);
    tracker.scan(store).await?;
    let progress = tracker.progress();
    let heading = ["black box", "method"].into_iter().chain(STATES);
    let mut rows = vec![heading.map(str::to_owned).collect::<Vec<_>>()];
    for group in &progress.groups {
        let name = [group.blackbox.clone(), group.method.clone()];
        rows.push(name.into_iter().chain(cells(&group.counts)).collect());
    }
    let cancelled = store.sweep_state(id).await?.cancelled;
    let cancelled = if cancelled { "cancelled; " } else { "" };
    let (name, total) = (&sweep.name, &progress.total);
    let mut text = format!("sweep {id} ({name}): {cancelled}{total}\n\n");
    text.push_str(&lay_out(&rows));
    if progress.total.poisoned > 0 {
        text.push_str("\ngiven up:\n");
    }
    for poisoned in tracker.poisoned() {
        text.push_str(&format!("  {poisoned}\n"));
        if backtraces {
            let lines = poisoned.attempt.backtrace.lines();
            lines.for_each(|line| text.push_str(&format!("    {line}\n")));
        }
    }
    let conflicts = conflicts(&tracker, store).await?;
    if !conflicts.is_empty() {
        text.push_str("\nmore than one outcome, which must not be; the first is kept:\n");
    }
    for conflict in conflicts {
        text.push_str(&format!("  {}\n", conflict.problem));
    }
    print(&text)
}
