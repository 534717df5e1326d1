//! Keeps the page of one sweep up to date.

use std::sync::Arc;
use std::time::Duration;

use loto_proto::sweep::Sweep;
use loto_proto::untrusted_text::escape;
use loto_report::live::{missing_sentences, sections};
use loto_statistics::analysis::AnalysisOptions;
use maud::{PreEscaped, html};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tonic::Status;

use super::fragments::{Fragments, Mark};
use super::sections::{events, grid, problems, standing, workers};
use crate::aggregator::{Overview, Published, WatchedSweep};
use crate::results::Selection;

/// Least time between two times that the counts are shown anew: nobody reads faster.
const COUNTS_INTERVAL: Duration = Duration::from_millis(400);

/// Least time between two times that the results are computed anew.
const RESULTS_INTERVAL: Duration = Duration::from_millis(700);

/// Time after which results are computed again that were not of all traces, or could not be computed.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Bytes that are sent in a second to all who look at a page, at most: with many viewers, a large page changes less often.
const BYTES_PER_SECOND: f64 = 30e6;

/// The parts of the page of a sweep, in their order.
pub(super) fn fragments(sweep: &Sweep) -> Fragments {
    let blackboxes = sweep.blackboxes.len();
    let first = ["standing", "problems"].map(String::from).into_iter();
    let grids = (0..blackboxes).map(grid_id);
    // Several black boxes have results together, too.
    let results = (0..blackboxes + usize::from(blackboxes != 1)).map(results_id);
    let last = ["workers", "events"].map(String::from);
    Fragments::new(first.chain(grids).chain(results).chain(last))
}

fn grid_id(blackbox: usize) -> String {
    format!("grid-{blackbox}")
}

fn results_id(section: usize) -> String {
    format!("results-{section}")
}

/// Keeps the fragments up to date for as long as it is polled.
pub(super) async fn keep_up(sweep: Arc<WatchedSweep>, sender: watch::Sender<Fragments>) {
    let overview = sweep.watch_overview();
    let counts = show_counts(&sweep, overview.clone(), &sender);
    let results = show_results(&sweep, overview, &sender);
    tokio::join!(counts, results);
}

/// Shows how far the sweep is.
async fn show_counts(
    sweep: &WatchedSweep,
    mut published: Published<Overview>,
    sender: &watch::Sender<Fragments>,
) {
    loop {
        let begun = Instant::now();
        let before = sender.borrow().mark();
        let newest = published.borrow_and_update().clone();
        match newest.map(|snapshot| snapshot.outcome) {
            None => {}
            Some(Ok(overview)) => show_overview(sweep.plan(), &overview, sender),
            Some(Err(status)) => tell_failure(&status, "standing", sender),
        }
        let next = begun + COUNTS_INTERVAL.max(sending_time(sender, before));
        if published.changed().await.is_err() {
            return;
        }
        sleep_until(next).await;
    }
}

/// How long it takes to send all who look what changed since `before`.
fn sending_time(sender: &watch::Sender<Fragments>, before: Mark) -> Duration {
    let changed = sender.borrow().since(Some(before));
    let bytes: usize = changed.iter().map(|(_, html)| html.len()).sum();
    Duration::from_secs_f64((bytes * sender.receiver_count()) as f64 / BYTES_PER_SECOND)
}

fn show_overview(plan: &Sweep, overview: &Overview, sender: &watch::Sender<Fragments>) {
    sender.send_if_modified(|fragments| {
        let mut changed = fragments.set("standing", &standing::section(plan, overview));
        changed |= fragments.set("problems", &problems::section(overview));
        for (position, blackbox) in plan.blackboxes.iter().enumerate() {
            let grid = grid::section(blackbox, overview);
            changed |= fragments.set(&grid_id(position), &grid);
        }
        changed |= fragments.set("workers", &workers::section(overview));
        changed | fragments.set("events", &events::section(overview))
    });
}

/// Shows the results of what is finished.
async fn show_results(
    sweep: &WatchedSweep,
    mut published: Published<Overview>,
    sender: &watch::Sender<Fragments>,
) {
    let mut shown = None;
    loop {
        let newest = published.borrow_and_update().clone();
        let overview = newest.and_then(|snapshot| snapshot.outcome.ok());
        let done = overview.map(|overview| overview.progress.total.done);
        let begun = Instant::now();
        let mut next = begun + RESULTS_INTERVAL;
        if done.is_some() && done != shown {
            let before = sender.borrow().mark();
            let finished = analysed(sweep, sender).await;
            next = next.max(Instant::now() + sending_time(sender, before));
            match finished {
                Some(finished) if Some(finished) == done => shown = done,
                // More is done by now; or a trace that counts as done cannot be read, which takes as long.
                Some(_) => next = next.max(begun + RESULTS_INTERVAL.max(begun.elapsed())),
                None => next = next.max(begun + RETRY_INTERVAL),
            }
            next = next.max(Instant::now() + begun.elapsed());
        }
        sleep_until(next).await;
        if done == shown && published.changed().await.is_err() {
            return;
        }
    }
}

/// Shows the results as of now; returns the number of traces that they are from.
async fn analysed(sweep: &WatchedSweep, sender: &watch::Sender<Fragments>) -> Option<u64> {
    let computed = sweep
        .analysis(Selection::reported(), AnalysisOptions::default())
        .await;
    let analysis = match computed {
        Ok((analysis, _)) => analysis,
        Err(status) => {
            tell_failure(&status, &results_id(0), sender);
            return None;
        }
    };
    let finished = analysis.finished_traces;
    let drawing =
        tokio::task::spawn_blocking(move || (sections(&analysis), missing_sentences(&analysis)));
    let (sections, missing) = drawing.await.ok()?;
    sender.send_if_modified(|fragments| {
        let mut changed = false;
        for (position, section) in sections.iter().enumerate() {
            let content = html! {
                h2 { "Results: " (section.heading) }
                @if position == 0 && !missing.is_empty() {
                    details {
                        summary { "What is not finished or counted yet" }
                        ul { @for sentence in &missing { li { (escape(sentence)) } } }
                    }
                }
                (PreEscaped(&section.html))
            };
            changed |= fragments.set(&results_id(position), &content);
        }
        changed
    });
    Some(finished)
}

/// Says in the place of a part why it cannot be shown.
fn tell_failure(status: &Status, id: &str, sender: &watch::Sender<Fragments>) {
    let problem = problems::failure(status);
    sender.send_if_modified(|fragments| fragments.set(id, &problem));
}
