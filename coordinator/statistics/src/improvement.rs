//! Improvement over random search of ICML Table 2.
//!
//! On a task it is the mean over t of (DTM_RS(t) - DTM(t)) / DTM_RS(t): at most 1,
//! higher is better, 0 equals random search. Terms with DTM_RS(t) = 0 are undefined: they
//! are left out and counted.

use crate::dtm::GapCurves;
use crate::small_samples::variance_of_mean;

/// The least and the greatest improvement: no method is better than the optimum from the first iteration.
pub(crate) const POSSIBLE_IMPROVEMENTS: (f64, f64) = (f64::NEG_INFINITY, 1.0);

/// Baselines below this count as this, so that the sum of their inverses stays finite.
const LEAST_BASELINE: f64 = 1e-300;

/// The improvement on one task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Improvement {
    /// The mean over the terms; absent if all are left out.
    pub value: Option<f64>,
    /// Number of iterations left out because the baseline's DTM is 0.
    pub terms_left_out: usize,
}

/// The improvement of a DTM curve over the baseline's. Any common scale of the two cancels out.
pub fn improvement(dtm: &[f64], baseline_dtm: &[f64]) -> Improvement {
    let mut sum = 0.0;
    let mut terms = 0;
    for (&own, &baseline) in dtm.iter().zip(baseline_dtm) {
        if baseline != 0.0 {
            sum += (baseline - own) / baseline;
            terms += 1;
        }
    }
    Improvement {
        value: (terms > 0).then(|| sum / terms as f64),
        terms_left_out: dtm.len() - terms,
    }
}

/// The improvement of every seed, with the baseline taken as given; absent without any term.
///
/// The improvement is linear in DTM, so the improvement on the task is their mean.
pub fn seed_improvements(curves: &GapCurves<'_>, baseline_gaps: &[f64]) -> Option<Vec<f64>> {
    // A seed's improvement is 1 - mean of gap / baseline, and its gap stays the same for
    // many iterations: the sums of 1 / baseline up to each of them do for all.
    let mut weights = Vec::with_capacity(baseline_gaps.len() + 1);
    let (mut weight, mut terms) = (0.0, 0_u32);
    weights.push(weight);
    for &baseline in baseline_gaps {
        if baseline != 0.0 {
            weight += 1.0 / baseline.max(LEAST_BASELINE);
            terms += 1;
        }
        weights.push(weight);
    }
    if terms == 0 {
        return None;
    }
    let scores = curves.segments().map(|segments| {
        let shares = segments.map(|(begin, end, gap)| gap * (weights[end] - weights[begin]));
        1.0 - shares.sum::<f64>() / f64::from(terms)
    });
    Some(scores.collect())
}

/// Standard error of the mean of the seeds' improvements; absent with fewer than two.
pub fn standard_error(seed_improvements: &[f64]) -> Option<f64> {
    (seed_improvements.len() > 1).then(|| variance_of_mean(seed_improvements).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_cases::best_curves;

    #[test]
    fn it_is_the_mean_of_the_terms_and_zero_baselines_are_counted() {
        let outcome = improvement(&[0.1, 0.3, 0.5, 0.0], &[0.2, 0.2, 0.0, 0.0]);
        assert!((outcome.value.unwrap() - (0.5 - 0.5) / 2.0).abs() < 1e-15);
        assert_eq!(outcome.terms_left_out, 2);
        let undefined = improvement(&[0.5], &[0.0]);
        assert_eq!((undefined.value, undefined.terms_left_out), (None, 1));
    }

    #[test]
    fn seeds_have_an_improvement_however_near_the_optimum_random_search_is() {
        let one = best_curves(&[&[0.5, 0.0, 0.0]]);
        let curves = GapCurves::new(&one, 3, 0.0);
        let found = seed_improvements(&curves, &[1.0, 5e-324, 1e-310]).unwrap();
        assert!(
            (found[0] - (0.5 + 1.0 + 1.0) / 3.0).abs() < 1e-15,
            "{found:?}"
        );
    }

    #[test]
    fn random_search_improves_by_nothing_and_the_optimum_by_one() {
        let baseline = [0.4, 0.2, 0.1];
        assert_eq!(improvement(&baseline, &baseline).value, Some(0.0));
        assert_eq!(improvement(&[0.0; 3], &baseline).value, Some(1.0));
    }

    #[test]
    fn the_standard_error_is_that_of_the_single_seeds() {
        let one = best_curves(&[&[2.0, 1.0]]);
        let curves = GapCurves::new(&one, 2, 0.0);
        let scores = seed_improvements(&curves, &[4.0, 4.0]).unwrap();
        assert_eq!(scores, [0.625]);
        assert_eq!(standard_error(&scores), None);
        let two = best_curves(&[&[2.0, 1.0], &[4.0, 3.0]]);
        let curves = GapCurves::new(&two, 2, 0.0);
        // improvements of the seeds: (1/2 + 3/4) / 2 = 0.625 and (0 + 1/4) / 2 = 0.125
        let expected = (2.0 * 0.25_f64.powi(2) / 1.0 / 2.0).sqrt();
        let scores = seed_improvements(&curves, &[4.0, 4.0]).unwrap();
        let found = standard_error(&scores).unwrap();
        assert!((found - expected).abs() < 1e-15, "{found}");
        assert_eq!(seed_improvements(&curves, &[0.0, 0.0]), None);
    }
}
