//! How well the copula prior of a task predicts the task itself (ICML 2020, section 5.1):
//! it tells how hard it is to transfer to the task.
//!
//! The worker that fits a prior stores this error beside the fit. Stores that older workers
//! filled have the fit alone: then the error is computed from it.

use std::sync::Arc;

use super::parametric::{ParametricPrior, STORED_VERSIONS, error_name};
use crate::blobs::Blobs;
use crate::error::EngineError;
use crate::fits::{FitName, SharedFits};
use crate::prediction_error::root_mean_square_error;
use crate::setting::Setting;
use crate::table::Table;
use crate::transform::Transform;

/// The root mean square error of the copula prior on the rows of the `target` it was
/// fitted for with that seed; `None` if it was not fitted. A prior that knows nothing
/// has about 1.
///
/// `linear_algebra` names those that the prior may have been computed with, as traces do. The first that has one counts; if
/// none has, a prior of an earlier release does, which did not name it. A prior of the newest version counts before all others.
///
/// # Errors
/// Those of the store; [`EngineError::CorruptFit`] if what it holds is damaged.
pub fn copula_prior_error(
    blobs: &Arc<dyn Blobs>,
    table: &Table,
    target: &str,
    seed: u32,
    linear_algebra: &[&str],
) -> Result<Option<f64>, EngineError> {
    let Some(position) = table.tasks.iter().position(|task| task.name == target) else {
        return Ok(None);
    };
    let task = &table.tasks[position];
    let fits = SharedFits::new(Arc::clone(blobs));
    let setting = Setting::new(table, position, seed, task.rows(), &fits);
    let named = linear_algebra.iter().copied().map(Some).chain([None]);
    let candidates = STORED_VERSIONS
        .into_iter()
        .flat_map(|version| named.clone().map(move |named| (version, named)));
    for (version, linear_algebra) in candidates {
        let name = FitName {
            linear_algebra,
            ..error_name(&setting, Transform::Copula, version)
        };
        if let Some(error) = fits.number(&name)? {
            return Ok(Some(error));
        }
        let prior = ParametricPrior::find(&setting, Transform::Copula, version, linear_algebra)?;
        if let Some(prior) = prior {
            return root_mean_square_error(&prior.means, task, Transform::Copula).map(Some);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blas;
    use crate::blobs::MemoryBlobs;
    use crate::prior::network::Noise;
    use crate::table::Task;
    use crate::table::encoding::{Column, Space};

    fn table() -> Table {
        let task = |name: &str, sign: f64| Task {
            first_line: 2,
            name: name.into(),
            objective: (0..20).map(|row| sign * f64::from(row)).collect(),
            further_objectives: Vec::new(),
            measurements: None,
            features: Vec::new(),
            columns: vec![Column::Numeric(
                (0..20).map(|row| f64::from(row) / 19.0).collect(),
            )],
        };
        Table {
            fingerprint: loto_proto::identity::Fingerprint([1; 16]),
            blackbox: None,
            space: Space::numeric(1),
            objectives: vec!["metric_error".into()],
            tasks: vec![task("one", 1.0), task("two", -1.0)],
            thinned: Vec::new(),
            sources: Default::default(),
            direction: Default::default(),
            initial: Default::default(),
            protocol: Default::default(),
        }
    }

    #[test]
    fn the_stored_error_is_the_one_of_the_stored_fit() {
        let table = table();
        let blobs: Arc<dyn Blobs> = Arc::new(MemoryBlobs::default());
        let mine = [blas::single_threaded()];
        let error = |blobs: &Arc<dyn Blobs>, linear_algebra: &[&str]| {
            copula_prior_error(blobs, &table, "one", 0, linear_algebra)
        };
        assert_eq!(error(&blobs, &mine).unwrap(), None);
        let fits = SharedFits::new(Arc::clone(&blobs));
        let setting = Setting::new(&table, 0, 0, 20, &fits);
        ParametricPrior::new(&setting, Transform::Copula, Noise::Heteroskedastic).unwrap();
        let stored = error(&blobs, &mine).unwrap().unwrap();
        assert_eq!(error(&blobs, &["another", mine[0]]).unwrap(), Some(stored));
        assert_eq!(error(&blobs, &["another"]).unwrap(), None);
        assert!(stored > 1.0, "{stored}");

        let version = STORED_VERSIONS[0];
        let error_name = error_name(&setting, Transform::Copula, version).blob_name();
        let kept = blobs.get(&error_name).unwrap().unwrap();
        let (kept, _checksum) = kept.split_last_chunk::<8>().unwrap();
        assert_eq!(kept, stored.to_le_bytes());
        let name = setting.fit_name("prior", version, Transform::Copula);
        // Stores of the first release have fits without a checksum.
        let mut fit = blobs.get(&name.blob_name()).unwrap().unwrap();
        fit.truncate(fit.len() - 8);
        let unnamed = FitName {
            linear_algebra: None,
            ..name
        };
        let former = setting.fit_name("prior", 1, Transform::Copula);
        for name in [name, unnamed, former] {
            let fit = (name.blob_name(), fit.clone());
            let old: Arc<dyn Blobs> = Arc::new(MemoryBlobs::from_iter([fit]));
            assert_eq!(error(&old, &mine).unwrap(), Some(stored));
        }

        let not_a_number = (error_name, vec![255; 8]);
        let damaged: Arc<dyn Blobs> = Arc::new(MemoryBlobs::from_iter([not_a_number]));
        let error = error(&damaged, &mine).unwrap_err();
        assert!(matches!(error, EngineError::CorruptFit { .. }), "{error}");
    }
}
