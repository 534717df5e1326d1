//! Random search as the baseline of the scores: its expectation on a finite table.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::CoordinatorError;

/// The random search that methods are scored against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Baseline {
    /// The exact expectation of uniform draws without replacement, as the method `rs` draws.
    #[default]
    Exact,
    /// The exact expectation of uniform draws with replacement.
    ExactWithReplacement,
    /// The finished traces of the sweep's own method `rs`.
    Sampled,
}

impl Baseline {
    /// Every baseline, with the name that selects it.
    pub const NAMES: [(Self, &'static str); 3] = [
        (Self::Exact, "exact"),
        (Self::ExactWithReplacement, "exact-with-replacement"),
        (Self::Sampled, "sampled"),
    ];
}

impl fmt::Display for Baseline {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(baseline, _)| baseline == self);
        formatter.write_str(name.map_or("", |(_, name)| name))
    }
}

impl FromStr for Baseline {
    type Err = CoordinatorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let baseline = Self::NAMES.iter().find(|(_, name)| *name == text);
        baseline
            .map(|(baseline, _)| *baseline)
            .ok_or_else(|| CoordinatorError::UnknownBaseline { text: text.into() })
    }
}
