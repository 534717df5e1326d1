//! What a store keeps of sweeps.

use async_trait::async_trait;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;

use crate::error::TransportError;

/// The recorded sweeps and what was done with them.
#[async_trait]
pub trait Sweeps: Send + Sync {
    /// Records a sweep; recording it again does nothing.
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, TransportError>;

    /// The sweep of that id, if it was recorded.
    async fn sweep(&self, id: SweepId) -> Result<Option<Sweep>, TransportError>;

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
}
