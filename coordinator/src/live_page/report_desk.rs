//! The report of a sweep as of now, as one file.

use std::sync::Arc;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use loto_proto::sweep::Sweep;
use loto_statistics::analysis::AnalysisOptions;
use loto_transport::store::Store;
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use super::error::PageError;
use crate::CoordinatorError;
use crate::reporting::{Analysed, RecordedFiles};

/// Most evaluations of a sweep whose report is made here: whole traces take about 20 bytes of memory for each.
const MOST_EVALUATIONS: u64 = 20_000_000;

/// Makes reports, one at a time.
pub(super) struct ReportDesk {
    store: Arc<dyn Store>,
    turn: Arc<Mutex<()>>,
}

impl ReportDesk {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            turn: Arc::default(),
        }
    }

    /// `report.html` of what is finished, to be kept as a file: it has styles of its own, which the pages do not allow.
    ///
    /// # Errors
    /// [`PageError::Busy`] while another one is made, [`PageError::LargeReport`] for a sweep that is too large,
    /// [`PageError::Reporting`] if the traces cannot be read.
    pub(super) async fn report(&self, sweep: Sweep) -> Result<Response, PageError> {
        let id = sweep.id();
        if evaluations(&sweep) > MOST_EVALUATIONS {
            return Err(PageError::LargeReport(id));
        }
        let turn = Arc::clone(&self.turn).try_lock_owned();
        let turn = turn.map_err(|_| PageError::Busy)?;
        let (store, runtime) = (Arc::clone(&self.store), Handle::current());
        // Statistics keep a thread busy, for seconds if there is much.
        let making = spawn_blocking(move || {
            let _turn = turn;
            let (options, recorded) = (AnalysisOptions::default(), RecordedFiles::default());
            let command = format!("loto report {id} --format html");
            let analysed = Analysed::sweep(store, sweep, &options, &recorded, command);
            let analysed = runtime.block_on(analysed)?;
            Ok::<_, PageError>(analysed.report().page())
        });
        let made = making
            .await
            .map_err(|source| CoordinatorError::ThreadDied {
                task: "making a report",
                source,
            })?;
        let short = &id.to_string()[..8];
        let disposition = format!("attachment; filename=\"report-{short}.html\"");
        let headers = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
            (header::CONTENT_DISPOSITION, disposition),
        ];
        Ok((headers, made?).into_response())
    }
}

/// Number of evaluations that a sweep plans.
fn evaluations(sweep: &Sweep) -> u64 {
    let blackboxes = sweep.blackboxes.iter();
    let series = blackboxes.map(|blackbox| {
        let series = (blackbox.methods.len() * blackbox.targets.len()) as u64;
        series * u64::from(blackbox.iterations)
    });
    series.sum::<u64>() * u64::from(sweep.seeds)
}
