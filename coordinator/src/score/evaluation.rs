//! One recorded evaluation, and the trace that it belongs to.

/// The columns that an evaluation is read from.
pub(super) const COLUMNS: [&str; 6] = [
    "blackbox",
    "task",
    "optimizer",
    "seed",
    "iteration",
    "value",
];

/// One line of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evaluation {
    /// Counted as in the file, from 0 or 1.
    pub(super) iteration: u32,
    /// The value as it is written in the file.
    pub(super) value: f64,
    /// The line in the file, counted from 1.
    pub(super) line: u64,
}

/// Which trace an evaluation belongs to. Ordered as results are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TraceKey {
    /// Position of the black box in the sweep.
    pub(super) blackbox: usize,
    /// Position of the task among the black box's targets.
    pub(super) task: usize,
    /// Position of the optimizer in the order of first lines.
    pub(super) optimizer: usize,
    pub(super) seed: u32,
}
