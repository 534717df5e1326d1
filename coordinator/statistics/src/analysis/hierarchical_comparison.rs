//! The outcome of the hierarchical test over the tasks of a black box.

use serde::Serialize;

use super::rope::RopeUnit;

/// All methods of a black box compared with one by the hierarchical test (Corani et al. 2017), which looks at every seed and asks
/// for the difference on a further task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HierarchicalComparison {
    /// The method that all others are compared with.
    pub against: String,
    /// Differences of at most this size are too small to matter.
    pub rope: f64,
    /// What the rope is a difference of.
    pub unit: RopeUnit,
    /// One entry for each other method with traces of two seeds that `against` has, too, on at least two tasks.
    pub methods: Vec<HierarchicalMethod>,
}

/// One method compared with `against`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HierarchicalMethod {
    /// Name of the method.
    pub method: String,
    /// Number of tasks.
    pub tasks: usize,
    /// Number of pairs of traces: those of one task and seed.
    pub pairs: usize,
    /// The probabilities at a few iterations.
    pub at: Vec<HierarchicalOutcome>,
}

/// Where the difference on a further task most probably is, at one iteration; the probabilities sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HierarchicalOutcome {
    /// The iteration, counted from 1.
    pub iteration: usize,
    /// Probability that `against` is better by more than the rope.
    pub against_better: f64,
    /// Probability that the two are practically equivalent.
    pub equivalent: f64,
    /// Probability that the method is better by more than the rope.
    pub method_better: f64,
}
