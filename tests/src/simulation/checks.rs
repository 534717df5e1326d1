//! The promises that a simulation checks.

use std::sync::Arc;
use std::time::Duration;

use loto_proto::job::Job;
use loto_proto::sweep::Sweep;
use loto_proto::trace::Trace;

use super::store::StoreServer;
use super::truth;
use super::world::World;

/// Whether a job may be poisoned in the end: by its own failures alone.
pub(crate) fn may_be_poisoned(job: &Job) -> bool {
    truth::failures(job) == u32::MAX
}

/// Whether the sweep has come to its end: all traces are there, each the right one; so are the sweep itself and
/// its tables. Where it has not although a submission said so and no fault explains it, a promise is broken.
pub(crate) fn is_whole(world: &Arc<World>, store: &StoreServer, sweep: &Sweep) -> bool {
    let Some(problem) = problem(store, sweep) else {
        return true;
    };
    if world.quiet().is_some() || is_long_damaged(store, sweep) {
        world.violated(format!(
            "a submission said that its sweep is done, but {problem}"
        ));
    }
    false
}

/// How long ago a trace must have been damaged for a submission to have noticed it: all traces are read within a
/// second before it ends.
const NOTICING: Duration = Duration::from_secs(10);

/// Whether a trace is damaged, and was so when the submission looked at it last.
fn is_long_damaged(store: &StoreServer, sweep: &Sweep) -> bool {
    let database = store.database();
    sweep.jobs().any(|job| {
        let (series, seed) = (job.series.id(), job.seed);
        let when = database.damaged.get(&(series, seed));
        when.is_some_and(|when| when.elapsed() > NOTICING)
            && database.trace(series, seed).is_some_and(|bytes| {
                let found = Trace::decode_for(series, seed, &bytes);
                found.is_err()
            })
    })
}

fn problem(store: &StoreServer, sweep: &Sweep) -> Option<String> {
    let database = store.database();
    let id = sweep.id();
    if !database.sweeps.contains_key(&id) {
        return Some(format!("the store does not know sweep {id}"));
    }
    for blackbox in &sweep.blackboxes {
        let table = blackbox.table.blob_name();
        if !database.blobs.contains_key(&table) {
            return Some(format!("{table} is not in the store"));
        }
    }
    for job in sweep.jobs() {
        let id = job.id();
        let series = job.series.id();
        match database.trace(series, job.seed) {
            None if truth::failures(&job) == u32::MAX => {}
            None => return Some(format!("the trace of job {id} is lost")),
            Some(bytes) => match Trace::decode_for(series, job.seed, &bytes) {
                Err(error) => return Some(format!("the trace of job {id} is damaged: {error}")),
                Ok(found) if found.first_difference(&truth::trace(&job)).is_some() => {
                    return Some(format!("the trace of job {id} is another one"));
                }
                Ok(_) => {}
            },
        }
    }
    None
}
