//! The outcome of a comparison of methods over tasks (Demsar 2006).

use serde::Serialize;

use super::rope::RopeUnit;
use crate::friedman::Friedman;
use crate::nemenyi::Nemenyi;
use crate::practical_differences::PracticalDifferences;
use crate::smallest_p_values::{SmallestPValues, nemenyi_can_reject};
use crate::wilcoxon::WilcoxonPair;

/// A comparison, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum ComparisonOutcome {
    /// The comparison was computed.
    Computed(Box<Comparison>),
    /// There are too few complete tasks or methods.
    Impossible {
        /// What is missing, in words.
        reason: String,
    },
}

impl ComparisonOutcome {
    /// The comparison, if there is one.
    pub fn computed(&self) -> Option<&Comparison> {
        match self {
            Self::Computed(comparison) => Some(comparison),
            Self::Impossible { .. } => None,
        }
    }
}

/// Methods compared over tasks by their ICML improvement.
///
/// Each task counts once: its score is the mean over seeds, so more seeds do
/// not shrink the critical difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Ids of the compared methods, in the order of the sweep. All other lists follow this order.
    pub methods: Vec<String>,
    /// The tasks that the methods are compared over.
    #[serde(rename = "data_sets")]
    pub tasks: Vec<ComparedTask>,
    /// Tasks left out because a compared method has no score there.
    #[serde(rename = "excluded_data_sets")]
    pub excluded_tasks: Vec<ComparedTask>,
    /// Methods left out: without any finished trace, or not planned on every black box.
    pub excluded_methods: Vec<String>,
    /// Mean rank of each method over the tasks; 1 is best, ties share their mean rank.
    pub average_ranks: Vec<f64>,
    /// Friedman's test that all methods are equal.
    pub friedman: Friedman,
    /// Nemenyi's test of all pairs.
    pub nemenyi: Nemenyi,
    /// Wilcoxon's signed-rank test of every pair, with Holm's correction over all pairs.
    pub wilcoxon: Vec<WilcoxonPair>,
    /// How probable it is for every pair that what they found in the end, the mean over the seeds, differs by more than
    /// the rope; absent if it was not asked for.
    pub practical_differences: Option<PracticalComparison>,
    /// The smallest probabilities that these tests can have over so many tasks. A test whose
    /// smallest one is above [`Nemenyi::alpha`] cannot tell anything, and reports leave it out;
    /// Nemenyi's also if its critical difference is out of reach.
    pub smallest_p_values: SmallestPValues,
    /// Whether on some task the compared methods have different sets of seeds.
    pub unbalanced: bool,
}

impl Comparison {
    /// Whether any outcome of Friedman's test over so many tasks is significant.
    pub fn friedman_can_reject(&self) -> bool {
        self.smallest_p_values.friedman <= self.nemenyi.alpha
    }

    /// Whether any outcome of Nemenyi's test over so many tasks is significant.
    pub fn nemenyi_can_reject(&self) -> bool {
        nemenyi_can_reject(self.nemenyi.alpha, self.methods.len(), self.tasks.len())
    }

    /// Whether any outcome of Wilcoxon's test over so many tasks is significant after Holm's adjustment.
    pub fn wilcoxon_can_reject(&self) -> bool {
        self.smallest_p_values.wilcoxon_holm <= self.nemenyi.alpha
    }
}

/// Which differences matter, and of what.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PracticalComparison {
    /// What the rope is a difference of, at the last iteration.
    pub unit: RopeUnit,
    /// The pairs with their probabilities.
    #[serde(flatten)]
    pub differences: PracticalDifferences,
}

/// One task of a comparison, with its black box.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparedTask {
    /// Name of the black box.
    pub blackbox: String,
    /// Name of the task.
    pub task: String,
}
