//! An interval between two limits.

use serde::Serialize;

/// An interval between two limits, for example a confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Lower limit.
    pub lower: f64,
    /// Upper limit.
    pub upper: f64,
}

impl Interval {
    /// The interval with both limits so many times as far from `centre`.
    pub(crate) fn stretched(self, centre: f64, factor: f64) -> Self {
        Self {
            lower: centre + factor * (self.lower - centre),
            upper: centre + factor * (self.upper - centre),
        }
    }

    /// The part of the interval between two numbers.
    pub(crate) fn within(self, (least, greatest): (f64, f64)) -> Self {
        Self {
            lower: self.lower.max(least),
            upper: self.upper.min(greatest),
        }
    }

    /// The stretched interval, cut off at `least` and `greatest`; a limit that lay beyond them before stays.
    pub(crate) fn stretched_within(
        self,
        centre: f64,
        factor: f64,
        (least, greatest): (f64, f64),
    ) -> Self {
        let possible = (self.lower.min(least), self.upper.max(greatest));
        self.stretched(centre, factor).within(possible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretching_ends_at_what_is_possible() {
        let interval = Interval {
            lower: 0.25,
            upper: 0.75,
        };
        let twice = interval.stretched(0.5, 2.0);
        assert_eq!((twice.lower, twice.upper), (0.0, 1.0));
        let bounded = interval.stretched_within(0.5, 4.0, (0.0, 1.0));
        assert_eq!((bounded.lower, bounded.upper), (0.0, 1.0));
        // Values that were recorded elsewhere may lie outside.
        let outside = Interval {
            lower: -0.5,
            upper: 1.5,
        };
        assert_eq!(outside.stretched_within(0.5, 4.0, (0.0, 1.0)), outside);
    }
}
