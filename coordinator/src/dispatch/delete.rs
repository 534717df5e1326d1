//! Deletes a sweep with all that no other sweep needs.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use loto_proto::heartbeat::{HEARTBEAT_INTERVAL, Heartbeat};
use loto_proto::identity::{Fingerprint, ProgramId, SeriesId, SweepId};
use loto_proto::sweep::Sweep;
use loto_transport::TransportError;
use loto_transport::store::{Deletion, Hidden, Store, recorded_blob_name};

use super::cancel::SERIES_PER_QUERY;
use crate::progress::Tracker;

/// Why a sweep is not deleted.
#[derive(Debug, thiserror::Error)]
pub enum DeleteError {
    /// The store fails, or another sweep in it cannot be read.
    #[error(transparent)]
    Transport(#[from] TransportError),

    /// The list of sweeps is damaged, so that nobody knows what others need.
    #[error(
        "the store's list of sweeps is damaged, so that it is not known what other sweeps need: {0}"
    )]
    DamagedList(String),

    /// Jobs wait on the queue, or a worker runs them.
    #[error(
        "sweep {id} is not finished: {unfinished} of its jobs wait or run; stop it first: `loto cancel {id}`"
    )]
    Unfinished {
        /// The sweep.
        id: SweepId,
        /// Number of its jobs that are neither done nor poisoned.
        unfinished: u64,
    },

    /// A worker still runs jobs of the cancelled sweep.
    #[error(
        "sweep {id} is cancelled, and {running} of its jobs still run: try again when they are finished"
    )]
    Running {
        /// The sweep.
        id: SweepId,
        /// Number of these jobs.
        running: u64,
    },
}

/// What is deleted with a sweep, and what other sweeps keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedDeletion {
    /// What the store is told.
    pub deletion: Deletion,
    /// Number of finished traces that are deleted.
    pub traces: u64,
    /// Number of finished traces of the sweep that stay, because other sweeps have them, too.
    pub kept_traces: u64,
    /// Number of tables that are deleted.
    pub tables: usize,
}

impl PlannedDeletion {
    /// Finds out what goes with a sweep. Fits stay: jobs that are run again find them.
    ///
    /// # Errors
    /// [`DeleteError::Transport`] if the store fails or a sweep in it cannot be read, [`DeleteError::DamagedList`].
    pub async fn find(id: SweepId, sweep: &Sweep, store: &dyn Store) -> Result<Self, DeleteError> {
        // By series, the seeds of other sweeps end here.
        let mut needed: HashMap<SeriesId, u32> = HashMap::new();
        let mut needed_tables: BTreeSet<Fingerprint> = BTreeSet::new();
        let mut needed_programs: BTreeSet<ProgramId> = BTreeSet::new();
        for other in store.sweeps().await? {
            if other == id {
                continue;
            }
            let Some(other) = store.sweep(other).await? else {
                continue;
            };
            for series in other.series() {
                let seeds = needed.entry(series.id()).or_default();
                *seeds = other.seeds.max(*seeds);
            }
            needed_tables.extend(other.blackboxes.iter().map(|blackbox| blackbox.table));
            needed_programs.extend(programs_of(&other));
        }
        let mut passed_over = store.passed_over().into_iter();
        if let Some(entry) = passed_over.find(|entry| entry.hides == Hidden::Sweep) {
            return Err(DeleteError::DamagedList(entry.problem));
        }
        let all: BTreeSet<SeriesId> = sweep.series().map(|series| series.id()).collect();
        let all: Vec<SeriesId> = all.into_iter().collect();
        let (mut traces, mut kept_traces) = (0, 0);
        let mut jobs = Vec::new();
        for batch in all.chunks(SERIES_PER_QUERY) {
            for (&series, done) in batch.iter().zip(store.seeds_done(batch).await?) {
                let kept = needed.get(&series).copied().unwrap_or_default();
                let planned = done.into_iter().filter(|&seed| seed < sweep.seeds);
                for seed in planned {
                    match seed < kept {
                        true => kept_traces += 1,
                        false => traces += 1,
                    }
                }
                if kept < sweep.seeds {
                    jobs.push((series, kept..sweep.seeds));
                }
            }
        }
        let tables: BTreeSet<Fingerprint> = sweep.blackboxes.iter().map(|b| b.table).collect();
        let tables = tables.difference(&needed_tables);
        let mut blobs: Vec<String> = tables.map(|table| table.blob_name()).collect();
        let tables = blobs.len();
        let programs = programs_of(sweep);
        let programs = programs.difference(&needed_programs);
        blobs.extend(programs.map(|program| program.blob_name()));
        blobs.push(recorded_blob_name(id));
        Ok(Self {
            deletion: Deletion { id, jobs, blobs },
            traces,
            kept_traces,
            tables,
        })
    }
}

/// The programs of the external methods of a sweep.
fn programs_of(sweep: &Sweep) -> BTreeSet<ProgramId> {
    let methods = sweep.blackboxes.iter().flat_map(|b| &b.methods);
    methods.filter_map(|method| method.program).collect()
}

/// How long a worker is listened to that holds jobs: if it lives, it has told something new by then.
pub const LISTENING: Duration = HEARTBEAT_INTERVAL.saturating_mul(2);

/// Refuses to delete a sweep while its jobs may be run by workers: until it is finished or cancelled. Workers are
/// listened to for that time if they hold jobs of it, or if jobs of it have begun: a job that began after its worker's last heartbeat
/// is in no heartbeat yet.
///
/// # Errors
/// [`DeleteError`].
pub async fn refuse_active(
    id: SweepId,
    sweep: &Sweep,
    store: &dyn Store,
    listening: Duration,
) -> Result<(), DeleteError> {
    let mut tracker = Tracker::new(sweep);
    tracker.scan(store).await?;
    let total = tracker.progress().total;
    let state = store.sweep_state(id).await?;
    if total.unfinished() > 0 && state.published_seeds > 0 && !state.cancelled {
        let unfinished = total.unfinished();
        return Err(DeleteError::Unfinished { id, unfinished });
    }
    let held = |heartbeats: &[(String, Heartbeat)]| -> u64 {
        let held = heartbeats.iter().flat_map(|(_, told)| &told.jobs);
        let held: BTreeSet<_> = held.collect();
        let running = tracker.unfinished().filter(|(job, _)| held.contains(job));
        running.count() as u64
    };
    let before = store.heartbeats().await?;
    let is_begun = tracker.unfinished().any(|(_, worker)| worker.is_some());
    if held(&before) == 0 && (before.is_empty() || !is_begun) {
        return Ok(());
    }
    // The heartbeat of a worker that died stays as it was.
    tokio::time::sleep(listening).await;
    let mut now = store.heartbeats().await?;
    now.retain(|heartbeat| !before.contains(heartbeat));
    match held(&now) {
        0 => Ok(()),
        running => Err(DeleteError::Running { id, running }),
    }
}
