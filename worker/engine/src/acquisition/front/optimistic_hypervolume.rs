//! The acquisition of SMS-EGO (Ponweiser, Wagner, Biermann and Vincze 2008), with the constants of GPareto (Binois and
//! Picheny 2019).

use super::points::{Front, Prediction};
use crate::special::normal;

/// How the value of a candidate depends on how far the search has come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OptimisticHypervolume {
    /// The corner that bounds the area.
    pub reference: [f64; 2],
    /// Evaluations to come, with the one that is being chosen.
    pub evaluations_left: usize,
}

/// g = -Phi^-1(0.5 sqrt(0.5)): how many standard deviations the potential of a candidate lies below its mean.
fn confidence() -> f64 {
    -normal::quantile(0.5 * 0.5f64.sqrt())
}

impl OptimisticHypervolume {
    /// The area that the front gains by the potential u = mean - g std_dev of the candidate, or how far u is dominated, as a
    /// negative number, if a point of the front is at most u + epsilon in both objectives.
    pub(crate) fn value(&self, front: &Front, prediction: &Prediction) -> f64 {
        let gain = confidence();
        let potential = [0, 1].map(|l| prediction.means[l] - gain * prediction.std_devs[l]);
        let epsilon = self.epsilon(front);
        let dominates = |point: &&[f64; 2]| {
            (0..2).all(|objective| point[objective] <= potential[objective] + epsilon[objective])
        };
        let excess = |point: &[f64; 2]| {
            let beyond =
                |objective: usize| 1.0 + (potential[objective] - point[objective]).max(0.0);
            beyond(0) * beyond(1) - 1.0
        };
        let dominating = front.points().iter().filter(dominates);
        let penalty = dominating.map(excess).fold(0.0, f64::max);
        if penalty > 0.0 {
            return -penalty;
        }
        let with_it = Front::of(front.points().iter().copied().chain([potential]));
        with_it.hypervolume(self.reference) - front.hypervolume(self.reference)
    }

    /// By how much a point of the front may be larger and still dominate: the fewer evaluations are left, the more.
    fn epsilon(&self, front: &Front) -> [f64; 2] {
        let points = front.points();
        let (Some(first), Some(last), 2..) = (points.first(), points.last(), points.len()) else {
            return [0.0; 2];
        };
        let later = self.evaluations_left.saturating_sub(1) as f64;
        let count = points.len() as f64 + 0.75 * later;
        [(last[0] - first[0]) / count, (first[1] - last[1]) / count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_confidence_is_that_of_two_objectives() {
        assert!((confidence() - 0.375_744_594_9).abs() < 1e-10);
    }
}
