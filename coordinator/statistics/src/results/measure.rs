//! What tells how far a trace is from the best that a table has.

use serde::Serialize;

/// What tells how far a trace is from the best that a table has: 0 is best.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The distance to the minimum of one objective ([`crate::dtm`]).
    #[default]
    DistanceToMinimum,
    /// The normalised hypervolume error of two objectives ([`crate::hypervolume`]). It takes the place of the distance to the
    /// minimum in every statistic.
    HypervolumeError,
}

impl Measure {
    /// Whether it is the distance to the minimum.
    pub fn is_distance(&self) -> bool {
        *self == Self::DistanceToMinimum
    }

    /// Its short name in tables and charts.
    pub fn name(self) -> &'static str {
        match self {
            Self::DistanceToMinimum => "DTM",
            Self::HypervolumeError => "HVE",
        }
    }

    /// The short name of its average over the tasks.
    pub fn name_of_average(self) -> &'static str {
        match self {
            Self::DistanceToMinimum => "ADTM",
            Self::HypervolumeError => "AHVE",
        }
    }

    /// Its name in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::DistanceToMinimum => "distance to the minimum",
            Self::HypervolumeError => "hypervolume error",
        }
    }
}
