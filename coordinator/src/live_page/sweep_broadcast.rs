//! Keeps the page of one sweep up to date.

use std::sync::Arc;
use std::time::Duration;

use loto_proto::sweep::Sweep;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tonic::Status;

use super::fragments::Fragments;
use super::pace::sending_time;
use super::results_broadcast;
use super::sections::grid::Layout;
use super::sections::{events, grid, problems, standing, workers};
use crate::aggregator::{Overview, Published, SeriesState, WatchedSweep};

/// Least time between two times that the counts are shown anew: nobody reads faster.
const COUNTS_INTERVAL: Duration = Duration::from_millis(400);

/// The parts of the page of a sweep, in their order.
pub(super) fn fragments(sweep: &Sweep) -> Fragments {
    let first = ["standing", "problems"].map(String::from).into_iter();
    let grids = (0..sweep.blackboxes.len()).map(grid_id);
    let results = results_broadcast::ids(sweep);
    let last = ["workers", "events"].map(String::from);
    Fragments::new(first.chain(grids).chain(results).chain(last))
}

fn grid_id(blackbox: usize) -> String {
    format!("grid-{blackbox}")
}

/// Keeps the fragments up to date for as long as it is polled.
pub(super) async fn keep_up(sweep: Arc<WatchedSweep>, sender: watch::Sender<Fragments>) {
    let overview = sweep.watch_overview();
    let counts = show_counts(&sweep, overview.clone(), &sender);
    let results = results_broadcast::keep_up_first(&sweep, overview, &sender);
    tokio::join!(counts, results);
}

/// Shows how far the sweep is.
async fn show_counts(
    sweep: &WatchedSweep,
    mut published: Published<Overview>,
    sender: &watch::Sender<Fragments>,
) {
    let mut grids = None;
    loop {
        let begun = Instant::now();
        let before = sender.borrow().mark();
        let newest = published.borrow_and_update().clone();
        match newest.map(|snapshot| snapshot.outcome) {
            None => {}
            Some(Ok(overview)) => show_overview(sweep.plan(), &overview, &mut grids, sender),
            Some(Err(status)) => tell_failure(&status, "standing", sender),
        }
        let next = begun + COUNTS_INTERVAL.max(sending_time(sender, before));
        if published.changed().await.is_err() {
            return;
        }
        sleep_until(next).await;
    }
}

/// The grids as they were shown: where their cells are, and the states that they show.
type Grids = Option<(Layout, Arc<[SeriesState]>)>;

fn show_overview(
    plan: &Sweep,
    overview: &Overview,
    grids: &mut Grids,
    sender: &watch::Sender<Fragments>,
) {
    let (layout, shown) = match grids.take() {
        Some((layout, shown)) => (layout, Some(shown)),
        None => (Layout::new(plan, overview), None),
    };
    // They are most of the page, and as they were while nothing happens.
    let drawn = match shown.is_some_and(|shown| Arc::ptr_eq(&shown, &overview.series)) {
        true => Vec::new(),
        false => grid::sections(plan, &layout, overview),
    };
    sender.send_if_modified(|fragments| {
        let mut changed = fragments.set("standing", &standing::section(plan, overview));
        changed |= fragments.set("problems", &problems::section(overview));
        for (position, grid) in drawn.iter().enumerate() {
            changed |= fragments.set(&grid_id(position), grid);
        }
        changed |= fragments.set("workers", &workers::section(overview));
        changed | fragments.set("events", &events::section(overview))
    });
    *grids = Some((layout, Arc::clone(&overview.series)));
}

/// Says in the place of a part why it cannot be shown.
fn tell_failure(status: &Status, id: &str, sender: &watch::Sender<Fragments>) {
    let problem = problems::failure(status);
    sender.send_if_modified(|fragments| fragments.set(id, &problem));
}
