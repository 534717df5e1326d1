//! How long jobs are expected to take, learned from those that are finished.

use std::collections::HashMap;
use std::time::Duration;

use loto_proto::identity::{Fingerprint, SeriesId};
use loto_proto::job::{Job, MethodSpec};
use loto_transport::TransportError;
use loto_transport::store::Store;
use parking_lot::Mutex;

/// Jobs of one method on one table with as many iterations.
type Kind = (MethodSpec, Fingerprint, u32);

/// The longest that jobs took.
#[derive(Default)]
struct Longest {
    by_series: HashMap<SeriesId, Duration>,
    by_kind: HashMap<Kind, Duration>,
}

/// The longest that jobs like another took: of its series, or else of its method on its table.
///
/// The longest and not the mean, since work that is cut off is lost, and time that is left over is not.
#[derive(Default)]
pub(super) struct Expectations(Mutex<Longest>);

impl Expectations {
    /// Takes note that a job took so long.
    pub(super) fn note(&self, job: &Job, took: Duration) {
        let Longest { by_series, by_kind } = &mut *self.0.lock();
        let of_series = by_series.entry(job.series.id()).or_default();
        *of_series = took.max(*of_series);
        let of_kind = by_kind.entry(kind(job)).or_default();
        *of_kind = took.max(*of_kind);
    }

    /// How long a job is expected to take; `None` if nothing like it was ever finished. A worker that has finished nothing like
    /// it asks the store for a trace of the series, which tells its processor time.
    ///
    /// # Errors
    /// Whatever the store reports, but for its refusal: an account that may not ask may compute all the same.
    pub(super) async fn of(
        &self,
        job: &Job,
        store: &dyn Store,
    ) -> Result<Option<Duration>, TransportError> {
        if let Some(known) = self.known(job) {
            return Ok(Some(known));
        }
        let series = job.series.id();
        let done = match store.seeds_done(&[series]).await {
            Err(refusal @ TransportError::Refused { .. }) => {
                tracing::warn!("nothing is known of how long jobs take: {refusal}");
                return Ok(None);
            }
            done => done?,
        };
        let Some(&seed) = done.first().and_then(|seeds| seeds.first()) else {
            return Ok(None);
        };
        let trace = match store.trace(series, seed).await {
            Err(error) if error.concerns_server() => return Err(error),
            // A trace that is damaged tells nothing, which is not this job's fault.
            trace => trace.ok().flatten(),
        };
        if let Some(trace) = trace {
            self.note(job, trace.cpu_time());
        }
        Ok(self.known(job))
    }

    fn known(&self, job: &Job) -> Option<Duration> {
        let longest = self.0.lock();
        let of_series = longest.by_series.get(&job.series.id());
        of_series
            .or_else(|| longest.by_kind.get(&kind(job)))
            .copied()
    }
}

fn kind(job: &Job) -> Kind {
    let series = &job.series;
    (series.method.clone(), series.table, series.iterations)
}
