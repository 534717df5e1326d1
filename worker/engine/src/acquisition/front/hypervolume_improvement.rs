//! The expected hypervolume improvement of two objectives in closed form (Emmerich, Deutz and Klinkenberg 2011).

use super::points::{Front, Prediction};
use crate::acquisition::expected_improvement::expected_improvement;

/// How much larger the area that the front dominates below the `reference` is expected to be with the candidate.
///
/// The improvement of a point is a sum over the vertical strips between the front's points; in the strip that ends at a_i,
/// below which the front reaches down to b_(i-1), it is ((a_i - y_1)^+ - (a_(i-1) - y_1)^+) (b_(i-1) - y_2)^+. The objectives
/// are independent, so that the expectation is one of products of expected improvements.
pub(crate) fn expected_hypervolume_improvement(
    front: &Front,
    reference: [f64; 2],
    prediction: &Prediction,
) -> f64 {
    let expected = |objective: usize, incumbent: f64| {
        let (mean, std_dev) = (prediction.means[objective], prediction.std_devs[objective]);
        expected_improvement(mean, std_dev, incumbent)
    };
    let mut before = 0.0;
    let strips = front.strips(reference).map(|[end, height]| {
        let upto = expected(0, end);
        let width = upto - before;
        before = upto;
        width * expected(1, height)
    });
    strips.sum()
}
