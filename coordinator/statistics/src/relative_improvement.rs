//! Relative improvement over random search of ICLR Table 3 (and 7 to 9).
//!
//! At an iteration it is (y_RS(t) - y(t)) / y_RS(t) on the mean best objective value y over the seeds. The
//! paper takes it for positive objectives only; terms with y_RS(t) <= 0 are left out and counted. Of an objective
//! that is maximised it is (y(t) - y_RS(t)) / y_RS(t), in the user's units as well.

use loto_proto::table_spec::Direction;
use serde::Serialize;

use crate::means::mean_of_known;

/// The iterations of ICLR Tables 7 to 9.
pub const ITERATIONS: [usize; 3] = [10, 50, 100];

/// The relative improvement of a method on one task, or its mean over tasks; 1 is 100 %, higher is
/// better.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelativeImprovement {
    /// Mean over the iterations (ICLR Table 3); absent if all are left out.
    pub mean: Option<f64>,
    /// Values at those of [`ITERATIONS`] that the curve reaches.
    pub at: Vec<RelativeImprovementAt>,
    /// Number of terms (task, t) left out of `mean` because y_RS is not positive there.
    pub terms_left_out: usize,
}

/// The relative improvement at one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RelativeImprovementAt {
    /// The iteration, counted from 1.
    pub iteration: usize,
    /// The value there; absent if y_RS is not positive.
    pub value: Option<f64>,
}

/// The relative improvement of a curve of mean best values over the baseline's, both as they are minimised.
pub fn relative_improvement(
    best: &[f64],
    baseline_best: &[f64],
    direction: Direction,
) -> RelativeImprovement {
    let term = |index: usize| {
        let in_users_units = direction.turn(baseline_best[index]);
        (in_users_units > 0.0).then(|| (baseline_best[index] - best[index]) / in_users_units)
    };
    let length = best.len().min(baseline_best.len());
    let reached = ITERATIONS
        .into_iter()
        .filter(|&iteration| iteration <= length);
    RelativeImprovement {
        mean: mean_of_known((0..length).map(term)),
        at: reached
            .map(|iteration| RelativeImprovementAt {
                iteration,
                value: term(iteration - 1),
            })
            .collect(),
        terms_left_out: (0..length).filter(|&index| term(index).is_none()).count(),
    }
}

impl RelativeImprovement {
    /// The mean over tasks with equally long curves.
    pub fn mean_of(tasks: &[&Self]) -> Self {
        let reached = tasks.first().map_or(0, |first| first.at.len());
        Self {
            mean: mean_of_known(tasks.iter().map(|task| task.mean)),
            at: (0..reached)
                .map(|position| RelativeImprovementAt {
                    iteration: tasks[0].at[position].iteration,
                    value: mean_of_known(tasks.iter().map(|task| task.at[position].value)),
                })
                .collect(),
            terms_left_out: tasks.iter().map(|task| task.terms_left_out).sum(),
        }
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
        let found = relative_improvement(&best, &baseline, Direction::Minimise);
        let at = found.at.iter().map(|at| (at.iteration, at.value));
        assert!(at.eq([(10, Some(-0.5)), (50, Some(0.5))]));
        assert_eq!(found.terms_left_out, 1);
        let expected = (58.0 * 0.5 - 0.5) / 59.0;
        assert!((found.mean.unwrap() - expected).abs() < 1e-15);
    }

    #[test]
    fn objectives_that_are_not_positive_are_left_out() {
        let found = relative_improvement(&[1.0; 10], &[-1.0; 10], Direction::Minimise);
        assert_eq!((found.mean, found.terms_left_out), (None, 10));
        assert_eq!(found.at.len(), 1);
        assert_eq!((found.at[0].iteration, found.at[0].value), (10, None));
    }

    #[test]
    fn what_is_maximised_improves_by_what_it_gains() {
        // Accuracies .9 and .8 instead of .6 and .75.
        let found = relative_improvement(&[-0.9, -0.8], &[-0.6, -0.75], Direction::Maximise);
        let expected = (0.3 / 0.6 + 0.05 / 0.75) / 2.0;
        assert!((found.mean.unwrap() - expected).abs() < 1e-15, "{found:?}");
        assert_eq!(found.terms_left_out, 0);
        let negative = relative_improvement(&[0.5], &[1.0], Direction::Maximise);
        assert_eq!((negative.mean, negative.terms_left_out), (None, 1));
    }
}
