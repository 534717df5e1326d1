//! A Gaussian process per source, each on the residuals to the sum of the means of those before (Golovin et al.
//! 2017, Google Vizier, section 3.3).

use crate::error::EngineError;
use crate::fits::FitName;
use crate::setting::Setting;
use crate::sources::process::{SourceModel, SourceProcess, fitted_numbers, posterior_of};
use crate::sources::sample::SourceSample;
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::hyperparameters::Hyperprior;
use crate::table::encoding::Column;
use crate::transform::Transform;

/// Raised whenever the fit changes.
const VERSION: u64 = 2;

/// Rows of a source that its process is conditioned on, at most.
const ROWS: usize = 300;

/// Rows that its hyperparameters are fitted to, at most. A stack belongs to its target, so that no fit is shared
/// among targets: it has to be cheap.
const FITTED_ROWS: usize = 100;

/// The sum of the means of all sources' processes at each row of the target.
///
/// The sources come in the order of the table.
///
/// # Errors
/// Those of [`Setting::sources`] and of the fits.
pub(super) fn summed_means(
    setting: &Setting,
    transform: Transform,
    hyperprior: Hyperprior,
) -> Result<Vec<f64>, EngineError> {
    let model = SourceModel::matern(transform, hyperprior);
    let sources = setting.sources(transform)?;
    let samples: Vec<SourceSample> = sources
        .iter()
        .map(|source| SourceSample::new(setting, source, ROWS))
        .collect();
    let width = setting.space().width();
    let counts = samples
        .iter()
        .map(|sample| width + 3 + sample.targets.len());
    let name = FitName {
        variant: hyperprior.name(),
        ..setting.fit_name("stacked-processes", VERSION, transform)
    };
    let stored = setting.shared().fit(&name, counts.clone().sum(), || {
        let mut levels: Vec<SourceProcess> = Vec::new();
        let mut numbers = Vec::new();
        for (source, sample) in sources.iter().zip(&samples) {
            let below = summed(setting, &levels, &source.task.columns, source.targets.len());
            let order = SourceSample::order(setting, source, ROWS);
            let residuals = sample.targets.iter().zip(order);
            let residuals: Vec<f64> = residuals
                .map(|(target, row)| target - below[row as usize])
                .collect();
            let of_level = fitted_numbers(setting, model, &sample.points, &residuals, FITTED_ROWS)?;
            // In the precision in which it is stored, so that it is the same for who fits and who finds it.
            levels.push(SourceProcess {
                posterior: posterior_of(&of_level, width, model.kernel),
                points: sample.points.clone(),
            });
            numbers.extend(of_level);
        }
        Ok(numbers)
    })?;
    let mut rest = &stored[..];
    let levels = counts.zip(&samples).map(|(count, sample)| {
        let (of_level, others) = rest.split_at(count);
        rest = others;
        SourceProcess {
            posterior: posterior_of(of_level, width, model.kernel),
            points: sample.points.clone(),
        }
    });
    let levels: Vec<SourceProcess> = levels.collect();
    Ok(summed(setting, &levels, setting.columns(), setting.rows()))
}

/// The sum of the levels' means at each of a task's rows.
fn summed(
    setting: &Setting,
    levels: &[SourceProcess],
    columns: &[Column],
    rows: usize,
) -> Vec<f64> {
    let mut pool = CandidatePool::new(setting.space(), columns, (0..rows as u32).collect());
    let mut sums = vec![0.0; rows];
    for level in levels {
        let means = pool.means(&level.posterior, &level.points);
        for (sum, mean) in sums.iter_mut().zip(means) {
            *sum += mean;
        }
    }
    sums
}
