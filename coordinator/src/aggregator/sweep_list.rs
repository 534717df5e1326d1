//! Lists sweeps.

use std::time::UNIX_EPOCH;

use loto_proto::identity::SweepId;
use loto_proto::limits::{MAX_ANSWER_BYTES, MAX_PAGE_SIZE};
use loto_service::wire;
use loto_transport::TransportError;
use loto_transport::store::{Store, recorded};
use prost::Message;
use tonic::Status;

use super::request;
use super::status::to_status;

/// Sweeps on a page unless the request says otherwise.
const DEFAULT_PAGE_SIZE: u32 = 20;

/// Bytes after which a page takes no further sweep.
const PAGE_BYTES: usize = MAX_ANSWER_BYTES / 2;

/// One page of the list.
pub(super) async fn page(
    store: &dyn Store,
    request: &wire::ListSweepsRequest,
) -> Result<wire::ListSweepsResponse, Status> {
    let size = match request.page_size {
        0 => DEFAULT_PAGE_SIZE,
        size @ 1..=MAX_PAGE_SIZE => size,
        size => {
            let problem = format!("{size} is out of range, allowed are 1 to {MAX_PAGE_SIZE}");
            return Err(request::invalid("page_size", problem));
        }
    };
    let ids = store
        .sweeps()
        .await
        .map_err(|error| to_status(error.into()))?;
    let begin = match request.page_token.as_str() {
        "" => 0,
        token => {
            let last = request::sweep_id("page_token", token)?;
            let position = ids.iter().position(|&id| id == last);
            position
                .ok_or_else(|| request::invalid("page_token", "it is of no page of this list"))?
                + 1
        }
    };
    let mut sweeps: Vec<wire::SweepSummary> = Vec::new();
    let mut bytes = 0;
    for &id in ids[begin..].iter().take(size as usize) {
        let summary = summary(store, id).await?;
        bytes += summary.encoded_len();
        sweeps.push(summary);
        if bytes > PAGE_BYTES {
            break;
        }
    }
    let next_page_token = match sweeps.last() {
        Some(last) if begin + sweeps.len() < ids.len() => last.sweep_id.clone(),
        _ => String::new(),
    };
    Ok(wire::ListSweepsResponse {
        sweeps,
        next_page_token,
        total: ids.len() as u64,
    })
}

/// A damaged sweep is listed with its problem: the others are still of interest.
async fn summary(store: &dyn Store, id: SweepId) -> Result<wire::SweepSummary, Status> {
    let (sweep, mut problem) = match store.sweep(id).await {
        Ok(Some(sweep)) => (Some(sweep), String::new()),
        Ok(None) => (None, "the plan is gone from the store".into()),
        Err(error) if error.concerns_server() => return Err(to_status(error.into())),
        Err(error) => (None, error.to_string()),
    };
    let mut told = |error: TransportError| match error.concerns_server() {
        true => Err(to_status(error.into())),
        false => {
            if problem.is_empty() {
                problem = error.to_string();
            }
            Ok(())
        }
    };
    let (mut since, mut cancelled) = (None, false);
    match recorded(store, id).await {
        Ok(time) => since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()),
        Err(error) => told(error)?,
    }
    match store.sweep_state(id).await {
        Ok(state) => cancelled = state.cancelled,
        Err(error) => told(error)?,
    }
    Ok(wire::SweepSummary {
        recorded_seconds: since.map_or(0, |since| since.as_secs()),
        cancelled,
        sweep_id: id.to_string(),
        jobs: sweep.as_ref().map_or(0, |sweep| sweep.job_count()),
        plan: sweep.as_ref().map(|sweep| sweep.to_wire()),
        problem,
    })
}
