//! One recorded evaluation, and the trace that it belongs to.

/// The columns that an evaluation is read from, for messages.
pub(super) const NEEDED: &str =
    "task, optimizer (or method), seed, iteration, value, and blackbox where the sweep has several";

/// One line of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evaluation {
    /// Counted as in the file, from 0 or 1.
    pub(super) iteration: u32,
    /// The value as it is written in the file.
    pub(super) value: f64,
    /// The row of the table, if the file says which.
    pub(super) row: Option<u32>,
    /// Processor seconds, if the file has them.
    pub(super) seconds: Option<f64>,
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
    /// The seed as the file has it.
    pub(super) seed: u32,
}
