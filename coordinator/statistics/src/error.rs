//! Why there are no statistics.

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

    /// The method that all others were to be paired with is not part of the sweep.
    #[error(
        "no black box has the method {method} to pair the others with: it must be one of {known}"
    )]
    NotToPairWith {
        /// The method that was asked for.
        method: String,
        /// The methods of the sweep.
        known: String,
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
    #[error("results of {place} are not valid: {source}")]
    InvalidResults {
        /// Black box, task, method and seed, as far as they are known.
        place: String,
        /// What is wrong.
        source: Contradiction,
    },
}

/// How results contradict their plan or table.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Contradiction {
    /// Two black boxes, methods or tasks have one name.
    #[error("{kind} {name} is listed twice")]
    ListedTwice {
        /// What is listed.
        kind: &'static str,
        /// Its name.
        name: String,
    },

    /// The traces of a black box are planned without any iteration.
    #[error("no iteration is planned")]
    NoIteration,

    /// The table of a task is empty.
    #[error("its table has no row")]
    NoRow,

    /// The objective values of a task are not what statistics rely on.
    #[error("its objective values must be finite and ascending")]
    UnsortedObjective,

    /// A task has traces of more or fewer methods than the plan.
    #[error("it has traces of {found} methods, {expected} are planned")]
    WrongMethods {
        /// Methods with traces.
        found: usize,
        /// Methods in the plan.
        expected: usize,
    },

    /// A trace has a seed that was not planned.
    #[error("seeds 0 to {} are planned", i64::from(*planned) - 1)]
    UnplannedSeed {
        /// Number of planned seeds.
        planned: u32,
    },

    /// A trace is longer or shorter than planned.
    #[error("the trace has {found} iterations instead of {expected}")]
    WrongLength {
        /// Length of the trace.
        found: usize,
        /// Length that its task and plan ask for.
        expected: usize,
    },

    /// A value of a trace cannot be used.
    #[error("iteration {iteration} has the value {value}")]
    UnusableValue {
        /// The iteration, counted from 1.
        iteration: usize,
        /// Its value.
        value: f64,
    },
}
