//! How well the copula prior of a task predicts the task itself (ICML 2020, section 5.1):
//! it tells how hard it is to transfer to the task.
//!
//! The worker that fits a prior stores this error beside the fit. Stores that older workers
//! filled have the fit alone: then the error is computed from it.

use std::sync::Arc;

use super::parametric::{ParametricPrior, error_name};
use crate::blobs::Blobs;
use crate::error::EngineError;
use crate::fits::SharedFits;
use crate::prediction_error::root_mean_square_error;
use crate::setting::Setting;
use crate::table::Table;
use crate::transform::Transform;

/// The root mean square error of the copula prior on the rows of the `target` it was
/// fitted for with that seed; `None` if it was not fitted. A prior that knows nothing
/// has about 1.
///
/// # Errors
/// Those of the store; [`EngineError::CorruptFit`] if what it holds is damaged.
pub fn copula_prior_error(
    blobs: &Arc<dyn Blobs>,
    table: &Table,
    target: &str,
    seed: u32,
) -> Result<Option<f64>, EngineError> {
    let Some(position) = table.tasks.iter().position(|task| task.name == target) else {
        return Ok(None);
    };
    let task = &table.tasks[position];
    let fits = SharedFits::new(Arc::clone(blobs));
    let setting = Setting::new(table, position, seed, task.rows(), &fits);
    if let Some(error) = fits.number(&error_name(&setting, Transform::Copula))? {
        return Ok(Some(error));
    }
    let prior = ParametricPrior::find(&setting, Transform::Copula)?;
    prior
        .map(|prior| root_mean_square_error(&prior.means, task, Transform::Copula))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blobs::MemoryBlobs;
    use crate::table::Task;
    use crate::table::encoding::{Column, Space};

    fn table() -> Table {
        let task = |name: &str, sign: f64| Task {
            name: name.into(),
            objective: (0..20).map(|row| sign * f64::from(row)).collect(),
            columns: vec![Column::Numeric(
                (0..20).map(|row| f64::from(row) / 19.0).collect(),
            )],
        };
        Table {
            fingerprint: loto_proto::identity::Fingerprint([1; 16]),
            blackbox: None,
            space: Space::numeric(1),
            tasks: vec![task("one", 1.0), task("two", -1.0)],
        }
    }

    #[test]
    fn the_stored_error_is_the_one_of_the_stored_fit() {
        let table = table();
        let blobs: Arc<dyn Blobs> = Arc::new(MemoryBlobs::default());
        assert_eq!(copula_prior_error(&blobs, &table, "one", 0).unwrap(), None);
        let fits = SharedFits::new(Arc::clone(&blobs));
        let setting = Setting::new(&table, 0, 0, 20, &fits);
        ParametricPrior::new(&setting, Transform::Copula).unwrap();
        let stored = copula_prior_error(&blobs, &table, "one", 0)
            .unwrap()
            .unwrap();
        assert!(stored > 1.0, "{stored}");

        let error_name = error_name(&setting, Transform::Copula).blob_name();
        assert_eq!(
            blobs.get(&error_name).unwrap().unwrap(),
            stored.to_le_bytes()
        );
        let name = setting.fit_name("prior", 1, Transform::Copula).blob_name();
        let fit = blobs.get(&name).unwrap().unwrap();
        let old: Arc<dyn Blobs> = Arc::new(MemoryBlobs::from_iter([(name, fit)]));
        let computed = copula_prior_error(&old, &table, "one", 0).unwrap();
        assert_eq!(computed, Some(stored));

        let not_a_number = (error_name, vec![255; 8]);
        let damaged: Arc<dyn Blobs> = Arc::new(MemoryBlobs::from_iter([not_a_number]));
        let error = copula_prior_error(&damaged, &table, "one", 0).unwrap_err();
        assert!(matches!(error, EngineError::CorruptFit { .. }), "{error}");
    }
}
