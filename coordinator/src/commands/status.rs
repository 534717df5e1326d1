//! `loto status`: how far a sweep is.

use std::fmt::Display;

use clap::Args;
use loto_transport::store::Store;

use super::error::CommandError;
use super::find_sweep::{find_sweep, read, scanned};
use super::options::StoreOption;
use super::output::print;
use super::text_table::TextTable;
use crate::dispatch::conflicts;
use crate::progress::Counts;

const EXAMPLES: &str = "\
Examples:
  loto status --store redis://localhost                every sweep in the store
  loto status 3fa9 --store redis://localhost           one sweep, by the beginning of its id
  loto status demo --store loto-results/demo/sweep.loto";

/// Shows the progress of a sweep, or of every sweep in the store.
///
/// The jobs of a sweep are counted by state, black box and method, and the errors of its
/// poisoned jobs are listed. A job is poisoned if it failed so often that no worker tries it again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct StatusCommand {
    /// Id of the sweep, the first digits of its id, or its name. Without it, every sweep is listed.
    #[arg(value_name = "SWEEP_ID")]
    sweep: Option<String>,

    #[command(flatten)]
    store: StoreOption,

    /// Also show the backtrace of each poisoned job's last failure.
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

/// A table of job counts by state, for things that `heading` tells apart.
fn counts_table(heading: [&str; 2]) -> TextTable {
    let [first, second] = heading;
    TextTable::new(&[
        first, second, "queued", "running", "done", "failed", "poisoned",
    ])
}

fn push(table: &mut TextTable, first: &dyn Display, second: &str, counts: &Counts) {
    table.push(&[
        first,
        &second,
        &counts.queued,
        &counts.running,
        &counts.done,
        &counts.failed,
        &counts.poisoned,
    ]);
}

async fn list_all(store: &dyn Store) -> Result<(), CommandError> {
    let mut table = counts_table(["sweep", "name"]);
    for id in store.sweeps().await? {
        let sweep = read(store, id).await?;
        let counts = scanned(&sweep, store).await?.progress().total;
        push(&mut table, &id, &sweep.name, &counts);
    }
    if table.is_empty() {
        return print("there is no sweep in the store\n");
    }
    print(&table.to_string())
}

async fn show_one(
    store: &dyn Store,
    wanted: &str,
    with_backtraces: bool,
) -> Result<(), CommandError> {
    let (id, sweep) = find_sweep(store, wanted).await?;
    let tracker = scanned(&sweep, store).await?;
    let progress = tracker.progress();
    let mut table = counts_table(["black box", "method"]);
    for group in &progress.groups {
        push(&mut table, &group.blackbox, &group.method, &group.counts);
    }
    let is_cancelled = store.sweep_state(id).await?.cancelled;
    let cancelled = if is_cancelled { "cancelled; " } else { "" };
    let (name, total) = (&sweep.name, &progress.total);
    let mut text = format!("sweep {id} ({name}): {cancelled}{total}\n\n{table}");
    if total.poisoned > 0 {
        text.push_str(
            "\npoisoned, which means that no worker tries them again before `loto retry`:\n",
        );
    }
    for poisoned in tracker.poisoned() {
        text.push_str(&format!("  {poisoned}\n"));
        if with_backtraces {
            let lines = poisoned.attempt.backtrace.lines();
            lines.for_each(|line| text.push_str(&format!("    {line}\n")));
        }
    }
    let conflicts = conflicts(&tracker, store).await?;
    if !conflicts.is_empty() {
        text.push_str("\nconflicts, which must not be: these jobs had more than one outcome; the first is kept:\n");
    }
    for conflict in conflicts {
        text.push_str(&format!("  {}\n", conflict.problem));
    }
    print(&text)
}
