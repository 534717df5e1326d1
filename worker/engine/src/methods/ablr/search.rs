//! Bayesian optimisation with Bayesian linear regression on learned features
//! (Perrone et al. 2018).

use ndarray::Array1;

use super::candidates::FeaturePool;
use super::evidence::{Regression, RegressionPosterior};
use super::features::regressors;
use super::training::{FittedFeatures, PRECISION_BOUNDS};
use crate::acquisition::expected_improvement::LogExpectedImprovement;
use crate::error::{EngineError, ImpossibleJob};
use crate::lbfgs::{self, Settings};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::strategies::bayesian_optimisation::INITIAL;
use crate::strategies::random_search::{RandomSearch, random_priority};
use crate::transform::Transform;

const FIT: Settings = Settings {
    iterations: 50,
    gradient_tolerance: 1e-4,
    value_tolerance: 1e-8,
    longest_step: 2.0,
};

/// After [`INITIAL`] rows of random search: fits the target's precisions to all
/// observations and takes the row of greatest expected improvement. The features stay
/// as the sources have them.
///
/// The precisions maximise the marginal likelihood times log-normal densities of
/// standard deviation 1 around the sources' precisions. Without those, few observations of many
/// features are explained by any precisions, and the search is caught by the first
/// (measured, DeepAR, FCNET, XGBoost, NAS: ablr-copula .58 .87 -.02 .64 without,
/// .72 .86 .26 .80 with).
pub(super) struct LinearRegressionSearch {
    initial: RandomSearch,
    transform: Transform,
    pool: FeaturePool,
    priority: Vec<u32>,
    /// log alpha and log beta; the next fit starts here.
    precisions: [f64; 2],
    /// Those of the sources, in the mean.
    typical: [f64; 2],
}

impl LinearRegressionSearch {
    /// On the features fitted to the sources under `transform`.
    ///
    /// # Errors
    /// Those of [`FittedFeatures::new`].
    pub(super) fn new(setting: &Setting, transform: Transform) -> Result<Self, EngineError> {
        let fitted = FittedFeatures::new(setting, transform)?;
        Ok(Self {
            initial: RandomSearch::new(setting),
            transform,
            pool: FeaturePool::new(setting, &fitted),
            priority: random_priority(setting),
            precisions: fitted.precisions,
            typical: fitted.precisions,
        })
    }

    /// The regression of the transformed observations at its best precisions.
    fn fit(&mut self, rows: &[u32], targets: Vec<f64>) -> Result<RegressionPosterior, EngineError> {
        let features = rows
            .iter()
            .flat_map(|&row| self.pool.features(row as usize));
        let design = regressors(&features.collect::<Vec<_>>());
        let regression = Regression::new(design.view(), Array1::from(targets).view());
        lbfgs::minimise(
            |point, gradient| {
                let posterior = regression.posterior([point[0], point[1]])?;
                gradient.copy_from_slice(&posterior.slopes);
                let mut value = posterior.value;
                let typical = point.iter().zip(&self.typical).zip(gradient);
                for ((logarithm, typical), slope) in typical {
                    value += 0.5 * (logarithm - typical).powi(2);
                    *slope += logarithm - typical;
                }
                Ok(value)
            },
            &mut self.precisions,
            (&[PRECISION_BOUNDS.0; 2], &[PRECISION_BOUNDS.1; 2]),
            FIT,
        )?;
        regression.posterior(self.precisions)
    }
}

impl Search for LinearRegressionSearch {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        if observations.rows.len() < INITIAL {
            return self.initial.choose(observations);
        }
        let mut targets = Vec::new();
        self.transform.apply(&observations.values, &mut targets);
        let incumbent = targets.iter().copied().fold(f64::INFINITY, f64::min);
        let posterior = self.fit(&observations.rows, targets)?;
        let largest = FeaturePool::largest_std_dev(&posterior);
        let improvement = LogExpectedImprovement::new(incumbent, largest);
        let row = self.pool.best_row(
            &posterior,
            &improvement,
            &observations.evaluated,
            &self.priority,
        );
        row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
    }
}
