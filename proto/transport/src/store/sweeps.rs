//! What a store keeps of sweeps.

use std::ops::Range;

use async_trait::async_trait;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;

use super::damage::PassedOver;
use crate::error::TransportError;

/// The recorded sweeps and what was done with them.
#[async_trait]
pub trait Sweeps: Send + Sync {
    /// Records a sweep; recording it again does nothing unless its record is damaged.
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, TransportError>;

    /// The sweep of that id, if it was recorded.
    async fn sweep(&self, id: SweepId) -> Result<Option<Sweep>, TransportError>;

    /// What was passed over, because it is damaged, when lists were last read: of sweeps, finished
    /// seeds, attempts, conflicts and heartbeats.
    fn passed_over(&self) -> Vec<PassedOver> {
        Vec::new()
    }

    /// The ids of all recorded sweeps, in the order of recording.
    async fn sweeps(&self) -> Result<Vec<SweepId>, TransportError>;

    /// What was done with a sweep.
    async fn sweep_state(&self, id: SweepId) -> Result<SweepState, TransportError>;

    /// Records that the jobs of seeds below `seeds` are on the queue.
    async fn mark_published(&self, id: SweepId, seeds: u32) -> Result<(), TransportError>;

    /// Records that a sweep is cancelled: no job of these series is begun any more.
    async fn cancel_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError>;

    /// Records that a sweep is not cancelled any more: jobs of these series may be begun again.
    async fn resume_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError>;

    /// Lets jobs of these series be begun that another sweep's cancellation stopped, because this sweep needs them, too.
    /// Does nothing if this sweep is cancelled itself.
    async fn release_series(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError>;

    /// Deletes a sweep and what is named with it. The sweep itself goes last, so that who is interrupted
    /// can do it again. Series that are stopped stay so: messages of their jobs may still be on a queue.
    async fn delete_sweep(&self, deletion: &Deletion) -> Result<(), TransportError>;
}

/// What is deleted with a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deletion {
    /// The sweep.
    pub id: SweepId,
    /// The jobs of which traces, attempts and conflicts are deleted: seeds by series.
    pub jobs: Vec<(SeriesId, Range<u32>)>,
    /// The names of the blobs that are deleted.
    pub blobs: Vec<String>,
}
