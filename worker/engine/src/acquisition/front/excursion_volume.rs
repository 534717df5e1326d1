//! The expected reduction of the excursion volume (Picheny 2015): of the share of configurations that may improve the front.

use super::points::{Front, Prediction};
use crate::special::bivariate_normal::BivariateNormal;
use crate::special::normal;

/// Least variance of the difference of two configurations' values.
const LEAST_VARIANCE: f64 = 1e-12;

/// Probabilities that one configuration is dominated by another after it was not by the front.
pub(crate) struct ExcursionVolume<'a> {
    front: &'a Front,
    distribution: &'a BivariateNormal,
}

/// The probabilities of one objective at each point of the front.
struct Objective {
    /// That both values are at most the point's.
    both: Vec<f64>,
    /// That besides the candidate's is not the smaller one.
    behind: Vec<f64>,
    /// That the candidate's value is above the other's, whatever the front.
    above: f64,
}

impl<'a> ExcursionVolume<'a> {
    /// Over this front.
    pub(crate) fn new(front: &'a Front, distribution: &'a BivariateNormal) -> Self {
        Self {
            front,
            distribution,
        }
    }

    /// The probability that the values of a configuration `other` are dominated by none of the front, but by those of the
    /// `candidate`, given the covariance of both configurations' values in each objective.
    ///
    /// In each objective the event that f(x) < f(u) <= a is the one that both are at most a without the one that f(x) is
    /// besides the larger: two bivariate normal probabilities. The strips between the points of the front are summed.
    pub(crate) fn probability(
        &self,
        candidate: &Prediction,
        other: &Prediction,
        covariances: [f64; 2],
    ) -> f64 {
        let [first, second] =
            [0, 1].map(|objective| self.objective(objective, candidate, other, covariances));
        let between =
            |objective: &Objective, place: usize| objective.both[place] - objective.behind[place];
        let count = self.front.points().len();
        let strips = (0..=count).map(|strip| {
            // In the first objective up to the strip's end, without what is up to its beginning.
            let upto = match strip == count {
                true => 1.0 - first.above,
                false => between(&first, strip),
            };
            let before = strip
                .checked_sub(1)
                .map_or(0.0, |place| between(&first, place));
            let height = match strip.checked_sub(1) {
                None => 1.0 - second.above,
                Some(place) => between(&second, place),
            };
            (upto - before).max(0.0) * height.max(0.0)
        });
        strips.sum()
    }

    fn objective(
        &self,
        objective: usize,
        candidate: &Prediction,
        other: &Prediction,
        covariances: [f64; 2],
    ) -> Objective {
        let covariance = covariances[objective];
        let (own, others) = (candidate.std_devs[objective], other.std_devs[objective]);
        let correlation = (covariance / (own * others)).clamp(-1.0, 1.0);
        let variance = (own * own + others * others - 2.0 * covariance).max(LEAST_VARIANCE);
        let difference = variance.sqrt();
        let gap = (candidate.means[objective] - other.means[objective]) / difference;
        let with_difference = ((covariance - own * own) / (own * difference)).clamp(-1.0, 1.0);
        let of_both = self.distribution.correlated(correlation);
        let of_difference = self.distribution.correlated(with_difference);
        let points = self.front.points().iter().map(|point| {
            let value = point[objective];
            let of_candidate = candidate.standardised(objective, value);
            let of_other = other.standardised(objective, value);
            let both = of_both.cdf(of_candidate, of_other);
            let behind = of_difference.cdf(of_candidate, gap);
            (both, behind)
        });
        let (both, behind) = points.unzip();
        Objective {
            both,
            behind,
            above: normal::cdf(gap),
        }
    }
}
