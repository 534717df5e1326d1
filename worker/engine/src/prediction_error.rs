//! How far predictions of a task's transformed objective are off.

use crate::error::{EngineError, ImpossibleJob};
use crate::table::Task;
use crate::transform::Transform;

/// sqrt(1/N sum_i (z_i - mu_i)^2) over the N rows of a task, z being its transformed
/// objective values and mu their predictions.
///
/// # Errors
/// [`ImpossibleJob`] if the task has another number of rows than there are predictions.
pub(crate) fn root_mean_square_error(
    predictions: &[f64],
    task: &Task,
    transform: Transform,
) -> Result<f64, EngineError> {
    let rows = task.rows();
    if predictions.len() != rows {
        return Err(EngineError::ImpossibleJob(ImpossibleJob::OtherRows {
            task: task.name.clone(),
            rows,
            predicted: predictions.len(),
        }));
    }
    let transformed = transform.average(&task.objectives());
    let pairs = transformed.iter().zip(predictions);
    let squares: f64 = pairs.map(|(z, mean)| (z - mean).powi(2)).sum();
    Ok((squares / rows as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(objective: &[f64]) -> Task {
        Task {
            first_line: 2,
            name: "target".into(),
            objective: objective.to_vec(),
            further_objectives: Vec::new(),
            measurements: None,
            features: Vec::new(),
            columns: Vec::new(),
        }
    }

    #[test]
    fn it_is_the_root_of_the_mean_square() {
        // Standardised, 2 and 4 are -1 and 1; means 1 and 0 are off by 2 and 1.
        let task = task(&[2.0, 4.0]);
        let found = root_mean_square_error(&[1.0, 0.0], &task, Transform::Standardisation);
        assert!((found.unwrap() - 2.5f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn knowing_nothing_is_an_error_of_about_one() {
        // z of many distinct values is close to standard normal.
        let objective: Vec<f64> = (0..5000).map(f64::from).collect();
        let found = root_mean_square_error(&[0.0; 5000], &task(&objective), Transform::Copula);
        assert!((found.unwrap() - 1.0).abs() < 0.02);
    }

    #[test]
    fn a_task_of_another_size_is_refused() {
        let found = root_mean_square_error(&[0.0], &task(&[1.0, 2.0]), Transform::Copula);
        assert!(found.unwrap_err().to_string().contains("`target`"));
    }

    #[test]
    fn the_value_of_a_single_row_is_the_mean_of_its_task() {
        for transform in [Transform::Copula, Transform::Standardisation] {
            let found = root_mean_square_error(&[-0.5], &task(&[3.0]), transform);
            assert_eq!(found.unwrap(), 0.5);
        }
    }
}
