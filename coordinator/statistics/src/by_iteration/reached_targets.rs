//! The share of targets that are reached: the empirical distribution function over runs and targets
//! of the COCO platform (Hansen et al. 2021, "COCO: a platform for comparing continuous optimizers").
//!
//! A target is a distance to the minimum. How long a run takes to reach each of many targets says
//! more than its value at one iteration, and needs no choice of one that matters.

use super::statistic::{IterationStatistic, MethodOnTask, Notation};
use crate::ranks::rounding_of;

/// Targets above 0: ten in each of five powers of ten, the least of them 0.00001.
const POSITIVE_TARGETS: u32 = 50;
const TARGETS_PER_POWER: f64 = 10.0;

/// The share of reached targets at each iteration.
pub const STATISTIC: IterationStatistic = IterationStatistic {
    key: "reached_targets",
    heading: "targets reached",
    definition: "Share of (run, target) pairs of which the run has reached the target. Targets are the DTM 0 and 50 \
                 others from 0.79 to 0.00001, evenly spaced on a log scale (the empirical distribution \
                 function of COCO).",
    notation: Notation::Percentage,
    compute: reached_targets,
};

fn reached_targets(method: &MethodOnTask<'_>) -> Vec<f64> {
    let targets = targets();
    let reached = |gap: f64| {
        let is_reached = |target: &f64| {
            let distance = target * method.range;
            gap <= distance + rounding_of(distance)
        };
        targets.partition_point(is_reached) as u64
    };
    let mut newly_reached = vec![0_u64; method.curves.iterations()];
    for segments in method.curves.segments() {
        let mut before = 0;
        for (begin, _, gap) in segments {
            let now = reached(gap);
            newly_reached[begin] += now - before;
            before = now;
        }
    }
    let pairs = (method.curves.seeds() * targets.len()) as f64;
    let mut sum = 0;
    let shares = newly_reached.into_iter().map(|newly| {
        sum += newly;
        sum as f64 / pairs
    });
    shares.collect()
}

/// The targets, descending.
fn targets() -> Vec<f64> {
    let positive =
        (1..=POSITIVE_TARGETS).map(|step| libm::exp10(-f64::from(step) / TARGETS_PER_POWER));
    positive.chain([0.0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtm::GapCurves;
    use crate::reference_cases::best_curves;

    fn of(traces: &[&[f64]], minimum: f64, range: f64) -> Vec<f64> {
        let best = best_curves(traces);
        reached_targets(&MethodOnTask {
            curves: GapCurves::new(&best, traces[0].len(), minimum),
            baseline_gaps: None,
            range,
        })
    }

    #[test]
    fn shares_are_those_of_numpy() {
        // t = numpy.append(10 ** (-numpy.arange(1, 51) / 10), 0); numpy.mean([[g <= t for g in best] ...]) of the
        // best DTM .9 .3 .3 0 and .05 .05 .0005 .0005
        let shares = of(&[&[8.2, 3.4, 4.0, 1.0], &[1.4, 9.0, 1.004, 1.1]], 1.0, 8.0);
        let expected = [13.0 / 102.0, 18.0 / 102.0, 38.0 / 102.0, 84.0 / 102.0];
        assert_eq!(shares, expected);
    }

    #[test]
    fn a_distance_that_is_a_target_has_reached_it_in_any_unit() {
        // The gap of the second is 0.10000000000000009.
        for (found, minimum, range) in [(80.0, 70.0, 100.0), (0.8, 0.7, 1.0), (2.3, 2.2, 1.0)] {
            assert_eq!(of(&[&[found]], minimum, range), [10.0 / 51.0], "{found}");
        }
    }

    #[test]
    fn a_constant_objective_is_solved_at_once() {
        assert_eq!(of(&[&[2.0, 2.0]], 2.0, 0.0), [1.0, 1.0]);
    }
}
