//! Up to where differences are too small to matter.

use serde::Serialize;

use crate::results::Measure;

/// A region of practical equivalence: differences that are too small to matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rope {
    /// The greatest size of such a difference, positive.
    pub width: f64,
    /// What is compared.
    pub unit: RopeUnit,
}

/// What a region of practical equivalence is a difference of. A user asks for one of the first two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RopeUnit {
    /// Of distances to the minimum, from 0 to 1 on every task.
    Distance,
    /// Of the best objective values, in the units of the table.
    Value,
    /// Of hypervolume errors, from 0 to 1: with two objectives there is no best value, whatever was asked for.
    HypervolumeError,
}

impl Rope {
    /// The rope on a black box that is measured so.
    pub(crate) fn on(self, measure: Measure) -> Self {
        let unit = match measure {
            Measure::DistanceToMinimum => self.unit,
            Measure::HypervolumeError => RopeUnit::HypervolumeError,
        };
        Self { unit, ..self }
    }
}

impl RopeUnit {
    /// How much a distance of 1 is on a task whose values span this range.
    pub(crate) fn of_distance(self, range: f64) -> f64 {
        match self {
            Self::Distance | Self::HypervolumeError => 1.0,
            Self::Value => range,
        }
    }
}
