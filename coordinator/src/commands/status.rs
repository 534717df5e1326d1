//! `loto status`: how far a sweep is.

use std::fmt::Display;

use clap::Args;
use loto_proto::untrusted_text::escape;
use loto_transport::store::{Hidden, Store};

use super::error::CommandError;
use super::find_sweep::{find_sweep, read, recorded_date, scanned};
use super::options::StoreOption;
use super::output::print;
use super::text_table::TextTable;
use crate::dispatch::{conflicts, worker_remarks};
use crate::error::RECOMPUTE;
use crate::progress::Counts;
use crate::results::{inspect, mixture};

const EXAMPLES: &str = "\
Examples:
  loto status --store redis://localhost                every sweep in the store
  loto status 3fa9 --store redis://localhost           one sweep, by the beginning of its id
  loto status demo --store loto-results/demo/sweep.loto";

/// Shows the progress of a sweep, or of every sweep in the store.
///
/// The jobs of a sweep are counted by state, black box and method, and the errors of its
/// poisoned jobs are listed. With a sweep, its traces are read as well, and damaged ones are named;
/// without, a job counts as done whose trace is there. A job is poisoned if it failed so often that no worker tries it again.
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

/// The states by which jobs are counted.
const STATES: [&str; 5] = ["queued", "running", "done", "failed", "poisoned"];

fn counted(counts: &Counts) -> [&dyn Display; 5] {
    [
        &counts.queued,
        &counts.running,
        &counts.done,
        &counts.failed,
        &counts.poisoned,
    ]
}

async fn list_all(store: &dyn Store) -> Result<(), CommandError> {
    let heading = [&["sweep", "name", "recorded"], &STATES[..], &["state"]].concat();
    let mut table = TextTable::new(&heading);
    let mut damaged = 0;
    for id in store.sweeps().await? {
        let sweep = match read(store, id).await {
            Ok(sweep) => sweep,
            Err(CommandError::Transport(error)) if error.concerns_server() => {
                return Err(error.into());
            }
            Err(error) => {
                tracing::warn!("{error}; it is passed over");
                damaged += 1;
                continue;
            }
        };
        let counts = scanned(&sweep, store).await?.progress().total;
        let recorded = recorded_date(store, id).await?.unwrap_or_default();
        let state = match store.sweep_state(id).await?.cancelled {
            true => "cancelled",
            false => "",
        };
        let mut row: Vec<&dyn Display> = vec![&id, &sweep.name, &recorded];
        row.extend(counted(&counts));
        row.push(&state);
        table.push(&row);
    }
    if table.is_empty() && damaged == 0 {
        print("there is no sweep in the store\n")?;
    } else {
        print(&table.to_string())?;
    }
    check_passed_over(store, damaged, |hides| hides != Hidden::Nothing)
}

/// Fails if what was shown lacks something that the store has, but in a damaged form.
fn check_passed_over(
    store: &dyn Store,
    damaged: usize,
    counts: impl Fn(Hidden) -> bool,
) -> Result<(), CommandError> {
    let passed_over = store.passed_over();
    let passed_over = passed_over.iter().filter(|entry| counts(entry.hides));
    match damaged + passed_over.count() {
        0 => Ok(()),
        count => Err(CommandError::PassedOver(count)),
    }
}

async fn show_one(
    store: &dyn Store,
    wanted: &str,
    with_backtraces: bool,
) -> Result<(), CommandError> {
    let (id, sweep) = find_sweep(store, wanted).await?;
    let mut tracker = scanned(&sweep, store).await?;
    let inspected = inspect(tracker.follower(), store).await;
    let damaged = inspected
        .as_ref()
        .map_or(&[][..], |inspected| &inspected.damaged);
    for damaged in damaged {
        tracker.set_missing(&damaged.job);
    }
    let progress = tracker.progress();
    let mut table = TextTable::new(&[&["black box", "method"], &STATES[..]].concat());
    for group in &progress.groups {
        let mut row: Vec<&dyn Display> = vec![&group.blackbox, &group.method];
        row.extend(counted(&group.counts));
        table.push(&row);
    }
    let state = store.sweep_state(id).await?;
    let cancelled = if state.cancelled { "cancelled; " } else { "" };
    let (name, total) = (escape(&sweep.name), &progress.total);
    let recorded = match recorded_date(store, id).await? {
        Some(date) => format!(", recorded {date}"),
        None => String::new(),
    };
    let mut text = format!("sweep {id} ({name}{recorded}): {cancelled}{total}\n\n{table}");
    if total.poisoned > 0 {
        text.push_str(
            "\npoisoned, which means that no worker tries them again before `loto retry`, or `loto run` if that is what ran them:\n",
        );
    }
    for poisoned in tracker.poisoned() {
        text.push_str(&format!("  {poisoned}\n"));
        if with_backtraces {
            let lines = poisoned.attempt.backtrace.lines();
            lines.for_each(|line| text.push_str(&format!("    {line}\n")));
        }
    }
    let counts = inspected
        .as_ref()
        .map(|inspected| inspected.linear_algebra.most_frequent_first());
    if let Some(mixture) = counts.ok().and_then(|counts| mixture(&counts)) {
        text.push_str(&format!("\n{mixture}\n"));
    }
    let conflicts = conflicts(&tracker, store).await?;
    if !conflicts.is_empty() {
        text.push_str("\nconflicts, which must not be: these jobs had more than one outcome; the first is kept:\n");
    }
    for conflict in conflicts {
        text.push_str(&format!("  {}\n", escape(&conflict.problem)));
    }
    if !damaged.is_empty() {
        text.push_str(&format!(
            "\ndamaged traces, whose jobs are not done; {RECOMPUTE}:\n"
        ));
        for damaged in damaged {
            text.push_str(&format!("  {}\n", escape(&damaged.to_string())));
        }
    }
    text.push_str(&told_of_workers(state.published_seeds > 0, total, store).await?);
    print(&text)?;
    match inspected?.damaged.len() {
        0 => check_passed_over(store, 0, |hides| match hides {
            Hidden::Attempt(series) => tracker.plans(series, 0),
            Hidden::Conflict => true,
            Hidden::Sweep | Hidden::Nothing => false,
        }),
        count => Err(CommandError::DamagedTraces(count)),
    }
}

/// What workers tell of themselves, or that there are none although jobs wait for them.
async fn told_of_workers(
    is_published: bool,
    counts: &Counts,
    store: &dyn Store,
) -> Result<String, CommandError> {
    let found = worker_remarks(store).await?;
    let mut text = String::new();
    if !found.remarks.is_empty() {
        text.push_str("\nworkers tell:\n");
    }
    for remark in &found.remarks {
        text.push_str(&format!("  {remark}\n"));
    }
    if found.workers == 0 && is_published && counts.unfinished() > 0 {
        text.push_str(
            "\nno worker tells this store about itself: is one running, with this broker and this store?\n",
        );
    }
    Ok(text)
}
