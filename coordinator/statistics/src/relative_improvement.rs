//! Relative improvement over random search of ICLR Table 3 (and 7 to 9).
//!
//! At an iteration it is (y_RS(t) - y(t)) / y_RS(t) on the mean best objective value y over the seeds. The
//! paper takes it for positive objectives only; terms with y_RS(t) <= 0 are left out and counted.

/// The iterations of ICLR Tables 7 to 9.
pub const ITERATIONS: [usize; 3] = [10, 50, 100];

/// The relative improvement on one task.
#[derive(Debug, Clone, PartialEq)]
pub struct RelativeImprovement {
    /// Mean over the iterations; absent if all are left out.
    pub mean: Option<f64>,
    /// Those of [`ITERATIONS`] that the curve reaches, with the value there if it is defined.
    pub at: Vec<(usize, Option<f64>)>,
    /// Number of iterations left out because the baseline is not positive.
    pub terms_left_out: usize,
}

/// The relative improvement of a curve of mean best values over the baseline's.
pub fn relative_improvement(best: &[f64], baseline_best: &[f64]) -> RelativeImprovement {
    let term = |index: usize| {
        let baseline = baseline_best[index];
        (baseline > 0.0).then(|| (baseline - best[index]) / baseline)
    };
    let length = best.len().min(baseline_best.len());
    let defined: Vec<f64> = (0..length).filter_map(term).collect();
    RelativeImprovement {
        mean: (!defined.is_empty()).then(|| defined.iter().sum::<f64>() / defined.len() as f64),
        at: ITERATIONS
            .into_iter()
            .filter(|&iteration| iteration <= length)
            .map(|iteration| (iteration, term(iteration - 1)))
            .collect(),
        terms_left_out: length - defined.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_relative_to_the_baseline_at_each_iteration() {
        let mut best = vec![1.0; 60];
        let mut baseline = vec![2.0; 60];
        best[9] = 3.0;
        baseline[59] = 0.0;
        let found = relative_improvement(&best, &baseline);
        assert_eq!(found.at, [(10, Some(-0.5)), (50, Some(0.5))]);
        assert_eq!(found.terms_left_out, 1);
        let expected = (58.0 * 0.5 - 0.5) / 59.0;
        assert!((found.mean.unwrap() - expected).abs() < 1e-15);
    }

    #[test]
    fn objectives_that_are_not_positive_are_left_out() {
        let found = relative_improvement(&[1.0; 10], &[-1.0; 10]);
        assert_eq!((found.mean, found.terms_left_out), (None, 10));
        assert_eq!(found.at, [(10, None)]);
    }
}
