//! Bayesian optimisation with Bayesian linear regression on learned features
//! (Perrone et al. 2018).

use super::bounds::largest_std_dev;
use super::candidates::FeaturePool;
use super::evidence::{Regression, RegressionPosterior};
use super::features::{FEATURES, FeatureNetwork, REGRESSORS, design};
use super::joint_likelihood::JointLikelihood;
use super::source_fit::source_fit;
use super::training_set::TrainingTask;
use crate::acquisition::expected_improvement::LogExpectedImprovement;
use crate::error::{EngineError, ImpossibleJob};
use crate::lbfgs::{Curvature, Settings};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::strategies::bayesian_optimisation::INITIAL;
use crate::strategies::random_search::{RandomSearch, random_priority};
use crate::transform::Transform;

/// Choices per joint fit; between two of them the regression alone takes in what is observed. The paper
/// refits at each, for three times the processor time.
const STEPS_PER_REFIT: usize = 3;

/// A joint fit goes on from the last one, so a few iterations follow the few new observations.
const REFIT: Settings = Settings {
    iterations: 5,
    gradient_tolerance: 1e-4,
    value_tolerance: 0.0,
    longest_step: 1.0,
};

/// After [`INITIAL`] rows of random search: fits the features and the precisions of all tasks to a sample of the sources
/// and the observations, from the last fit on, and takes the row of greatest expected improvement. The precisions have no prior.
pub(super) struct LinearRegressionSearch<'a> {
    initial: RandomSearch,
    transform: Transform,
    /// Of samples of the sources: the sources were fitted before, and here they only have to hold the features where they are.
    likelihood: JointLikelihood,
    /// The weights of the features, then log alpha and log beta of each source and of the target.
    point: Vec<f64>,
    curvature: Curvature,
    /// Whether the features were ever fitted to observations.
    is_fitted: bool,
    /// The features of the observations, one row after the other.
    features: Vec<f32>,
    pool: FeaturePool<'a>,
    priority: Vec<u32>,
}

impl<'a> LinearRegressionSearch<'a> {
    /// From the features fitted to the sources under `transform`.
    ///
    /// # Errors
    /// Those of [`TrainingTask::of_sources`] and [`source_fit`].
    pub(super) fn new(setting: &Setting<'a>, transform: Transform) -> Result<Self, EngineError> {
        let network = FeatureNetwork::new(setting.space().width());
        let sources = TrainingTask::of_sources(setting, transform)?;
        let samples = sources.iter().map(TrainingTask::sample).collect();
        let mut likelihood = JointLikelihood::new(&network, samples);
        let mut point = source_fit(setting, transform, &network, sources, &mut likelihood)?;
        // The target's precisions start at the sources' mean.
        let precisions = &point[network.layers.weight_count()..];
        let count = likelihood.source_count() as f64;
        let mean = |which: usize| precisions.iter().skip(which).step_by(2).sum::<f64>() / count;
        let start = [mean(0), mean(1)];
        point.extend(start);
        Ok(Self {
            initial: RandomSearch::new(setting),
            transform,
            pool: FeaturePool::new(setting),
            likelihood,
            point,
            curvature: Curvature::default(),
            is_fitted: false,
            features: Vec::new(),
            priority: random_priority(setting),
        })
    }

    /// Goes on with the joint fit to the samples of the sources and the transformed observations.
    fn fit(&mut self, rows: &[u32], targets: &[f64]) -> Result<(), EngineError> {
        let points = rows.iter().flat_map(|&row| self.pool.input(row as usize));
        let target = TrainingTask {
            inputs: points.collect(),
            targets: targets.to_vec(),
        };
        let (curvature, point) = (&mut self.curvature, &mut self.point);
        self.likelihood
            .minimise(Some(&target), curvature, point, REFIT)?;
        self.pool.update(&self.point);
        self.features.clear();
        Ok(())
    }

    /// The regression of the transformed observations, and its posterior.
    fn regression(
        &mut self,
        rows: &[u32],
        targets: &[f64],
    ) -> Result<(Regression, RegressionPosterior), EngineError> {
        let known = self.features.len() / FEATURES;
        self.features.extend(self.pool.features(&rows[known..]));
        let regression = Regression::new(&design(&self.features, targets), REGRESSORS);
        let [.., alpha, beta] = self.point[..] else {
            unreachable!("the target has two precisions");
        };
        let posterior = regression.posterior([alpha, beta])?;
        Ok((regression, posterior))
    }
}

impl Search for LinearRegressionSearch<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let count = observations.rows.len();
        if count < INITIAL {
            return self.initial.choose(observations);
        }
        let targets = observations.transformed(self.transform);
        // The first choice may come later than that if the first evaluations are given.
        if !self.is_fitted || (count - INITIAL).is_multiple_of(STEPS_PER_REFIT) {
            self.is_fitted = true;
            self.fit(&observations.rows, &targets)?;
        }
        let incumbent = targets.iter().copied().fold(f64::INFINITY, f64::min);
        let (regression, posterior) = self.regression(&observations.rows, &targets)?;
        let largest = largest_std_dev(&posterior);
        let improvement = LogExpectedImprovement::new(incumbent, largest);
        let row = self.pool.best_row(
            (&regression, &posterior),
            &self.features,
            &improvement,
            &observations.evaluated,
            &self.priority,
        )?;
        row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
    }
}

#[cfg(test)]
mod tests;
