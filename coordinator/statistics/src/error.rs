//! The one error type of this crate.

/// Why there are no statistics.
#[derive(Debug, thiserror::Error)]
pub enum StatisticsError {
    /// A text names no baseline.
    #[error("`{text}` is not a baseline: expected exact, exact-with-replacement or sampled")]
    UnknownBaseline {
        /// The offending text.
        text: String,
    },

    /// The sampled baseline was asked for, but random search is not part of the sweep.
    #[error(
        "black box {blackbox} has no method rs to sample the baseline from: \
         add rs to its methods or use the baseline exact"
    )]
    NoSampledBaseline {
        /// The black box.
        blackbox: String,
    },

    /// An option of the analysis is out of its range.
    #[error("{option} is {value}, but must be {expected}")]
    InvalidAnalysisOption {
        /// The option.
        option: &'static str,
        /// Its value.
        value: String,
        /// What would have been accepted.
        expected: &'static str,
    },

    /// Finished traces contradict the plan or the table they are said to belong to.
    #[error("results of {place} are not valid: {problem}")]
    InvalidResults {
        /// Black box, task, method and seed, as far as they are known.
        place: String,
        /// What is wrong.
        problem: String,
    },
}
