//! The outcome of a comparison of methods over data sets (Demsar 2006).

use serde::Serialize;

/// A comparison, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum ComparisonOutcome {
    /// The comparison was computed.
    Computed(Box<Comparison>),
    /// There are too few complete data sets or methods.
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

/// Methods compared over data sets by their ICML improvement.
///
/// A block is a data set: its score is the mean over seeds, so more seeds do
/// not shrink the critical difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Ids of the compared methods, in the order of the sweep. All other lists follow this order.
    pub methods: Vec<String>,
    /// The data sets, one block each.
    pub data_sets: Vec<DataSet>,
    /// Data sets left out because a compared method has no score there.
    pub excluded_data_sets: Vec<DataSet>,
    /// Methods left out: without any finished trace, or not planned on every black box.
    pub excluded_methods: Vec<String>,
    /// Mean rank of each method over the data sets; 1 is best, ties share their mean rank.
    pub average_ranks: Vec<f64>,
    /// Friedman's test that all methods are equal.
    pub friedman: Friedman,
    /// Nemenyi's test of all pairs.
    pub nemenyi: Nemenyi,
    /// Wilcoxon's signed-rank test of every pair, with Holm's correction over all pairs.
    pub wilcoxon: Vec<WilcoxonPair>,
    /// Whether on some data set the compared methods have different sets of seeds.
    pub unbalanced: bool,
}

/// One data set of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DataSet {
    /// Name of the black box.
    pub blackbox: String,
    /// Name of the task.
    pub task: String,
}

/// Friedman's test and the F statistic of Iman and Davenport, plain and tie-corrected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Friedman {
    /// Without correction for ties (Demsar's equations).
    pub plain: FriedmanStatistics,
    /// With correction for ties (what SciPy computes); absent if on every data set all methods tie.
    pub tie_corrected: Option<FriedmanStatistics>,
}

/// Friedman's chi-square with the F statistic that follows from it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FriedmanStatistics {
    /// Friedman's chi-square.
    pub chi_square: f64,
    /// Its degrees of freedom: methods - 1.
    pub degrees_of_freedom: usize,
    /// Probability of a larger chi-square if all methods are equal.
    pub p_value: f64,
    /// Iman and Davenport's F = (N - 1) chi2 / (N (k - 1) - chi2); infinite (`null` in JSON) if all data
    /// sets rank the methods alike.
    pub iman_davenport: f64,
    /// Degrees of freedom of F: k - 1 and (k - 1)(N - 1).
    pub iman_davenport_degrees_of_freedom: (usize, usize),
    /// Probability of a larger F if all methods are equal.
    pub iman_davenport_p_value: f64,
}

/// Nemenyi's test of all pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nemenyi {
    /// Significance level of the critical difference and the groups.
    pub alpha: f64,
    /// Average ranks at least this far apart differ significantly.
    pub critical_difference: f64,
    /// Probability, for each pair, of average ranks at least so far apart if all methods are equal;
    /// symmetric, 1 on the diagonal.
    pub p_values: Vec<Vec<f64>>,
    /// The bars of a critical-difference diagram: the largest sets of at least two methods that do not
    /// differ significantly. Each lists the methods' indices, ordered by ascending average rank.
    pub groups: Vec<Vec<usize>>,
}

/// Wilcoxon's signed-rank test of two methods over the data sets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WilcoxonPair {
    /// Index of the first method.
    pub first: usize,
    /// Index of the second method.
    pub second: usize,
    /// Data sets on which the first method scores higher.
    pub wins: usize,
    /// Data sets on which both score the same.
    pub ties: usize,
    /// Data sets on which the first method scores lower.
    pub losses: usize,
    /// The lesser of the two rank sums.
    pub statistic: f64,
    /// Two-sided probability of so small a statistic if the methods are equal; 1 if they tie everywhere.
    pub p_value: f64,
    /// Holm's adjustment of `p_value` over all pairs.
    pub holm_p_value: f64,
    /// Whether `p_value` comes from the exact distribution of the (possibly tied) ranks rather than
    /// from the normal approximation.
    pub exact: bool,
}
