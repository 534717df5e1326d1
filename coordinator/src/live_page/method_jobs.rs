//! The jobs of one method on one black box, task by task: what does not fit on the page of a large sweep.

use axum::response::Html;
use loto_proto::untrusted_text::escape;
use maud::html;
use tonic::Status;

use super::document::{Place, document};
use super::error::PageError;
use super::sections::grid::{Layout, content, legend, method_address, state_of};
use crate::aggregator::WatchedSweep;

/// Tasks that one page shows.
const SHOWN_TASKS: usize = 500;

/// The page as of now, with the tasks from `first` on; the black box and the method are named by their positions in the sweep.
///
/// # Errors
/// [`PageError::NoPage`] if the sweep has no such method, [`PageError::Uncounted`] if its jobs cannot be counted.
pub(super) async fn page(
    watched: &WatchedSweep,
    (number, position): (usize, usize),
    first: usize,
) -> Result<Html<String>, PageError> {
    let plan = watched.plan();
    let blackbox = plan.blackboxes.get(number);
    let method = blackbox.and_then(|blackbox| blackbox.methods.get(position));
    let (Some(blackbox), Some(method)) = (blackbox, method) else {
        return Err(PageError::NoPage("the sweep has no such method"));
    };
    let mut published = watched.watch_overview();
    let counted = published.wait_for(Option::is_some).await;
    let counted = counted.ok().and_then(|snapshot| snapshot.clone());
    let gone = || Status::internal("nobody follows the sweep any more; load the page again");
    let outcome = counted.map_or_else(|| Err(gone()), |snapshot| snapshot.outcome);
    let overview = outcome.map_err(|status| PageError::Uncounted(Box::new(status)))?;
    let row = Layout::new(plan, &overview).row(number, position, &overview);
    let first = first.min(row.len().saturating_sub(1));
    let end = first.saturating_add(SHOWN_TASKS).min(row.len());
    let id = watched.id();
    let address = method_address(id, number, position);
    let title = format!("{} on {}", method.label(), blackbox.name);
    let content = html! {
        h1 { (escape(&title)) }
        p.muted { "As of now: load the page again for what is new." }
        div.scroll tabindex="0" role="region" aria-label="Jobs" {
            table.grid {
                thead { tr { th scope="col" { "task" } th scope="col" { "seeds" } } }
                tbody { @for (_, state) in &row[first..end] { tr {
                    th scope="row" { (escape(&state.task)) }
                    td class=(state_of(state).word()) {
                        a href={ "/sweeps/" (id) "/series/" (state.id) } { (content(state_of(state), &state.counts)) }
                    }
                } } }
            }
        }
        (legend())
        @if first > 0 || end < row.len() {
            nav aria-label="Tasks" {
                "Tasks " (first + 1) " to " (end) " of " (row.len()) ". "
                @if first > 0 { a href={ (address) "?first=" (first.saturating_sub(SHOWN_TASKS)) } { "Tasks before" } " " }
                @if end < row.len() { a href={ (address) "?first=" (end) } { "Tasks after" } }
            }
        }
    };
    let place = Place {
        above: vec![(plan.name.clone(), format!("/sweeps/{id}"))],
        events: None,
    };
    Ok(document(&title, &place, &content))
}
