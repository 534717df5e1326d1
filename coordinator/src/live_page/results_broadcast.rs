//! Keeps results of a sweep up to date: the curves and scores on its page, and the pages of their parts.

use std::sync::Arc;
use std::time::Duration;

use loto_proto::sweep::Sweep;
use loto_proto::untrusted_text::escape;
use loto_report::live::{Subject, missing_sentences, part};
use loto_statistics::analysis::{AnalysisOptions, SweepAnalysis};
use maud::{Markup, PreEscaped, html};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::fragments::Fragments;
use super::pace::sending_time;
use super::results_address::ResultsAddress;
use super::sections::problems;
use crate::aggregator::{Overview, Published, WatchedSweep};
use crate::results::Selection;

/// Least time between two times that the results are computed anew.
const RESULTS_INTERVAL: Duration = Duration::from_millis(700);

/// Time after which results are computed again that were not of all traces, or could not be computed.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Bytes of results on the page of a sweep: those of a black box that do not fit are on a page of their own alone.
const MOST_BYTES: usize = 60_000;

/// The fragments of results on the page of a sweep.
pub(super) fn ids(plan: &Sweep) -> impl Iterator<Item = String> {
    (0..Subject::of_sweep(plan.blackboxes.len()).len()).map(id)
}

fn id(section: usize) -> String {
    format!("results-{section}")
}

/// Keeps the results on the page of a sweep up to date, for as long as it is polled.
pub(super) async fn keep_up_first(
    sweep: &WatchedSweep,
    published: Published<Overview>,
    sender: &watch::Sender<Fragments>,
) {
    let addresses = ResultsAddress::of_sweep(sweep.id(), sweep.plan());
    let draw = Arc::new(move |analysis: &SweepAnalysis| first(&addresses, analysis));
    keep_up(sweep, published, sender, draw).await;
}

/// Keeps the page of one part up to date, for as long as it is polled.
pub(super) async fn keep_up_part(
    sweep: Arc<WatchedSweep>,
    address: ResultsAddress,
    sender: watch::Sender<Fragments>,
) {
    let published = sweep.watch_overview();
    let draw = Arc::new(move |analysis: &SweepAnalysis| {
        vec![PreEscaped(part(analysis, address.subject, address.part))]
    });
    keep_up(&sweep, published, &sender, draw).await;
}

/// The fragment of the page of one part.
pub(super) fn part_fragments() -> Fragments {
    Fragments::new([id(0)])
}

/// The curves and scores of every subject, and where the rest is.
fn first(addresses: &[Vec<ResultsAddress>], analysis: &SweepAnalysis) -> Vec<Markup> {
    let missing = missing_sentences(analysis);
    let mut room = MOST_BYTES;
    let sections = addresses.iter().enumerate();
    sections
        .map(|(position, parts)| {
            let scores = parts[0];
            let drawn = part(analysis, scores.subject, scores.part);
            let left = room.checked_sub(drawn.len());
            room = left.unwrap_or(room);
            let elsewhere = &parts[usize::from(left.is_some())..];
            let heading = match scores.subject {
                Subject::All => "all black boxes",
                Subject::Blackbox(number) => analysis
                    .blackboxes
                    .get(number)
                    .map_or("", |blackbox| &blackbox.name),
            };
            html! {
                h2 { "Results: " (escape(heading)) }
                @if position == 0 && !missing.is_empty() {
                    details {
                        summary { "What is not finished or counted yet" }
                        ul { @for sentence in &missing { li { (escape(sentence)) } } }
                    }
                }
                @if left.is_some() { (PreEscaped(drawn)) }
                p.parts { "On pages of their own: " @for (number, address) in elsewhere.iter().enumerate() {
                    @if number > 0 { ", " }
                    a href=(address) aria-label={ (address.part.heading()) ": " (escape(heading)) } { (address.part.heading()) }
                } }
            }
        })
        .collect()
}

/// Has `draw` make the content of the results' fragments, in their order, whenever there are new results.
async fn keep_up<Draw>(
    sweep: &WatchedSweep,
    mut published: Published<Overview>,
    sender: &watch::Sender<Fragments>,
    draw: Arc<Draw>,
) where
    Draw: Fn(&SweepAnalysis) -> Vec<Markup> + Send + Sync + 'static,
{
    let mut shown = None;
    loop {
        let newest = published.borrow_and_update().clone();
        let overview = newest.and_then(|snapshot| snapshot.outcome.ok());
        let done = overview.map(|overview| overview.progress.total.done);
        let begun = Instant::now();
        let mut next = begun + RESULTS_INTERVAL;
        if done.is_some() && done != shown {
            let before = sender.borrow().mark();
            let finished = show(sweep, sender, &draw).await;
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
async fn show<Draw>(
    sweep: &WatchedSweep,
    sender: &watch::Sender<Fragments>,
    draw: &Arc<Draw>,
) -> Option<u64>
where
    Draw: Fn(&SweepAnalysis) -> Vec<Markup> + Send + Sync + 'static,
{
    let computed = sweep
        .analysis(Selection::reported(), AnalysisOptions::default())
        .await;
    let analysis = match computed {
        Ok((analysis, _)) => analysis,
        Err(status) => {
            let problem = problems::failure(&status);
            sender.send_if_modified(|fragments| fragments.set(&id(0), &problem));
            return None;
        }
    };
    let finished = analysis.finished_traces;
    let draw = Arc::clone(draw);
    let drawing = tokio::task::spawn_blocking(move || draw(&analysis));
    let drawn = drawing.await.ok()?;
    sender.send_if_modified(|fragments| {
        let sections = drawn.iter().enumerate();
        sections.fold(false, |changed, (position, content)| {
            fragments.set(&id(position), content) | changed
        })
    });
    Some(finished)
}
