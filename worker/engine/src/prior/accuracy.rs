//! How well a fitted prior predicts its target task: the root mean square error of its
//! mean (ICML 2020, section 5.1). It tells how hard it is to transfer to the task.

use super::parametric::ParametricPrior;
use crate::error::EngineError;
use crate::table::Task;
use crate::transform::Transform;

/// sqrt(1/N sum_i (z_i - mu_i)^2) over the N rows of the target task, z its
/// objective values transformed as those of the sources were.
///
/// A prior that knows nothing, mu = 0, has about 1. Nothing is fitted: `prior` is one that
/// was found.
///
/// # Errors
/// [`EngineError::ImpossibleJob`] if the task has fewer than 2 rows, which leaves the copula
/// transform undefined, or another number of rows than the prior predicts.
pub fn root_mean_square_error(
    prior: &ParametricPrior,
    target: &Task,
    transform: Transform,
) -> Result<f64, EngineError> {
    let rows = target.objective.len();
    if rows < 2 || prior.means.len() != rows {
        return Err(EngineError::ImpossibleJob(format!(
            "task `{}` has {rows} rows, its prior predicts {}",
            target.name,
            prior.means.len()
        )));
    }
    let mut transformed = Vec::new();
    transform.apply(&target.objective, &mut transformed);
    let pairs = transformed.iter().zip(&prior.means);
    let squares: f64 = pairs.map(|(z, mean)| (z - mean).powi(2)).sum();
    Ok((squares / rows as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(objective: &[f64]) -> Task {
        Task {
            name: "target".into(),
            objective: objective.to_vec(),
            columns: Vec::new(),
        }
    }

    fn prior(means: &[f64]) -> ParametricPrior {
        ParametricPrior {
            means: means.to_vec(),
            deviations: vec![1.0; means.len()],
        }
    }

    #[test]
    fn it_is_the_root_of_the_mean_square() {
        // Standardised, 2 and 4 are -1 and 1; means 1 and 0 are off by 2 and 1.
        let found = root_mean_square_error(
            &prior(&[1.0, 0.0]),
            &task(&[2.0, 4.0]),
            Transform::Standardisation,
        );
        assert!((found.unwrap() - 2.5f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn knowing_nothing_is_an_error_of_about_one() {
        // z of many distinct values is close to standard normal.
        let objective: Vec<f64> = (0..5000).map(f64::from).collect();
        let nothing = prior(&vec![0.0; 5000]);
        let found = root_mean_square_error(&nothing, &task(&objective), Transform::Copula);
        assert!((found.unwrap() - 1.0).abs() < 0.02);
    }

    #[test]
    fn a_task_of_another_size_is_refused() {
        for (means, objective) in [(&[0.0][..], &[1.0][..]), (&[0.0], &[1.0, 2.0])] {
            let found = root_mean_square_error(&prior(means), &task(objective), Transform::Copula);
            assert!(found.unwrap_err().to_string().contains("`target`"));
        }
    }
}
