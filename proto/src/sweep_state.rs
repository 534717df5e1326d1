//! What was done with a sweep, beyond its traces.

/// What was done with a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SweepState {
    /// The jobs of seeds below this one were put on the queue, so that a coordinator
    /// that was killed need not publish them again.
    pub published_seeds: u32,
    /// The sweep was cancelled: its jobs are not begun any more.
    pub cancelled: bool,
}
