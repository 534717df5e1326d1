//! Computes finished traces once more, to see whether the store tells the truth.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::{Stream, StreamExt, stream};
use loto_proto::job::Job;
use loto_transport::TransportError;
use loto_transport::store::{Blobs, EmbeddedStore, Store, table_blob};
use loto_worker::compute::{Compute, ComputeError};

/// A store in memory with the tables and programs of these jobs, and nothing else: fits are made anew, since those
/// in the store may be what is wrong.
///
/// # Errors
/// [`TransportError::MissingTable`] and [`TransportError::MissingProgram`] if one is not there; others if the store fails.
pub(crate) async fn tables_of(
    jobs: &[Job],
    store: &dyn Store,
) -> Result<Arc<dyn Store>, TransportError> {
    let tables = EmbeddedStore::in_memory().await?;
    let fingerprints: BTreeSet<_> = jobs.iter().map(|job| job.series.table).collect();
    for fingerprint in fingerprints {
        let bytes = table_blob(store, fingerprint).await?;
        tables.put_blob(&fingerprint.blob_name(), &bytes).await?;
    }
    let programs: BTreeSet<_> = jobs
        .iter()
        .filter_map(|job| job.series.method.program)
        .collect();
    for program in programs {
        let name = program.blob_name();
        let bytes = store.blob(&name).await?;
        let bytes = bytes.ok_or(TransportError::MissingProgram(program))?;
        tables.put_blob(&name, &bytes).await?;
    }
    Ok(Arc::new(tables))
}

/// Why a trace in the store is not confirmed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Doubt {
    /// The trace is another one.
    #[error(
        "iteration {iteration} differs (stored: {}; computed now: {})",
        linear_algebra[0],
        linear_algebra[1]
    )]
    Differs {
        /// First iteration that differs, counted from 1.
        iteration: usize,
        /// Linear algebra of the stored and of the new trace.
        linear_algebra: [String; 2],
    },

    /// The trace in the store cannot be read.
    #[error("{0}")]
    Unreadable(#[source] TransportError),

    /// The trace is gone from the store.
    #[error("it is gone from the store")]
    Gone,

    /// The job cannot be computed here and now.
    #[error("it cannot be computed again: {0}")]
    NotComputed(#[source] ComputeError),
}

/// Computes each of these jobs, so many at a time, and compares its trace with the stored one.
///
/// # Errors
/// Of each job: [`TransportError`] if the store is unavailable.
pub(crate) fn recompute<'a>(
    jobs: Vec<Job>,
    store: &'a dyn Store,
    compute: &'a dyn Compute,
    at_a_time: u16,
) -> impl Stream<Item = Result<(Job, Option<Doubt>), TransportError>> + 'a {
    let compare = async |job: Job| {
        let stored = match store.trace(job.series.id(), job.seed).await {
            Ok(Some(stored)) => stored,
            Ok(None) => return Ok((job, Some(Doubt::Gone))),
            Err(error) if error.concerns_server() => return Err(error),
            Err(error) => return Ok((job, Some(Doubt::Unreadable(error)))),
        };
        let doubt = match compute.compute(&job).await {
            Ok(computed) => {
                let difference = stored.first_difference(&computed);
                difference.map(|iteration| Doubt::Differs {
                    iteration,
                    linear_algebra: [stored.linear_algebra, computed.linear_algebra],
                })
            }
            Err(error) => Some(Doubt::NotComputed(error)),
        };
        Ok((job, doubt))
    };
    stream::iter(jobs)
        .map(compare)
        .buffer_unordered(usize::from(at_a_time))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use futures::TryStreamExt;
    use loto_transport::store::Traces;
    use loto_worker::threads::methods_on_threads;

    use super::*;
    use crate::plan::{Plan, SweepSource};

    #[tokio::test]
    async fn a_lie_and_another_seeds_trace_are_found() {
        let mut plan = Plan::read(&SweepSource::BuiltIn, None).unwrap();
        let blackbox = &mut plan.sweep.blackboxes[0];
        blackbox.methods.retain(|method| method.id == "rs");
        blackbox.targets.truncate(2);
        blackbox.iterations = 5;
        plan.sweep.seeds = 3;
        let store = EmbeddedStore::in_memory().await.unwrap();
        let table = &plan.tables[0];
        store
            .put_blob(&table.blob_name(), &table.blob())
            .await
            .unwrap();
        let jobs: Vec<Job> = plan.sweep.jobs().collect();
        let compute = methods_on_threads(tables_of(&jobs, &store).await.unwrap());
        let mut traces = BTreeMap::new();
        for job in &jobs {
            traces.insert(job.clone(), compute.compute(job).await.unwrap());
        }
        // The best rows in order: sound by table and checksum.
        let lie = traces.get_mut(&jobs[2]).unwrap();
        let mut best: Vec<_> = lie.values.iter().copied().zip(lie.rows.clone()).collect();
        best.sort_by(|left, right| left.0.total_cmp(&right.0));
        (lie.values, lie.rows) = best.into_iter().unzip();
        // The trace of another seed of the same series, under a checksum of its own.
        let other = jobs
            .iter()
            .find(|job| job.series == jobs[1].series && job.seed == 2);
        traces.insert(jobs[1].clone(), traces[other.unwrap()].clone());
        for (job, trace) in &traces {
            store.put_trace(job, trace).await.unwrap();
        }
        store
            .discard_trace(jobs[4].series.id(), jobs[4].seed)
            .await
            .unwrap();

        let verified = recompute(jobs.clone(), &store, &compute, 2);
        let verified: Vec<_> = verified.try_collect().await.unwrap();
        assert_eq!(verified.len(), jobs.len());
        let doubts = verified
            .into_iter()
            .filter_map(|(job, doubt)| Some((job, doubt?)));
        let doubts: BTreeMap<_, _> = doubts.collect();
        assert_eq!(doubts.len(), 3, "{doubts:?}");
        for job in &jobs[1..3] {
            assert!(matches!(doubts[job], Doubt::Differs { .. }), "{doubts:?}");
        }
        assert!(matches!(doubts[&jobs[4]], Doubt::Gone), "{doubts:?}");
    }
}
