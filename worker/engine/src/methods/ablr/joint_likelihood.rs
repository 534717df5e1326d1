//! The joint likelihood of all tasks: the sum of their negative log marginal likelihoods, given the
//! weights of the shared features and the precisions of each task (Perrone et al. 2018, section 3.2).
//!
//! The sources' part of the sum and of its gradient depends on their rows, the weights and the sources' precisions alone,
//! not on what was observed of the target. A fit begins where the last one ended, so that part is kept from the last
//! evaluation on: of a fit's first evaluation the target's part alone has to be computed.

use pulp::Simd;

use super::evidence::{Regression, RegressionPosterior};
use super::features::{DESIGN, FEATURES, FeatureNetwork, REGRESSORS, fill_design};
use super::training_set::TrainingTask;
use crate::dense_layers::Batch;
use crate::error::EngineError;
use crate::lbfgs::{self, Curvature, Settings};

/// Weights far beyond these saturate every unit.
const WEIGHT_BOUND: f64 = 100.0;

/// Bounds of log alpha: the weights of a regression have standard deviations of 1/1000 to 1000.
const WEIGHT_PRECISION_BOUNDS: (f64, f64) = (-14.0, 14.0);

/// Bounds of log beta: the noise has a standard deviation of 1/3000 to 100 times that of the targets. Below
/// that, the features' single precision would be fitted.
const NOISE_PRECISION_BOUNDS: (f64, f64) = (-9.0, 16.0);

/// The likelihood of the sources, and of a target beside them. What is fitted: the weights of the features, then log
/// alpha and log beta of each source, then those of the target if there is one.
pub(super) struct JointLikelihood {
    network: FeatureNetwork,
    sources: Vec<TrainingTask>,
    buffers: Buffers,
    sources_part: Part,
}

/// The sum of some tasks' negative log marginal likelihoods at a point, and its gradient.
struct Part {
    /// Empty if nothing is known yet.
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

/// What a task's evaluation works on. One task's rows stay in the cache from the features to the gradient.
struct Buffers {
    batch: Batch,
    /// The regressors of each row, and its target.
    design: Vec<f64>,
    regression: Regression,
    posterior: RegressionPosterior,
    /// The slope by each feature.
    slopes: Vec<f64>,
    /// The weights and their gradient, in single precision.
    weights: Vec<f32>,
    gradient: Vec<f32>,
}

impl JointLikelihood {
    /// The likelihood of `sources`, of which there is at least one.
    pub(super) fn new(network: &FeatureNetwork, sources: Vec<TrainingTask>) -> Self {
        let weights = vec![0.0; network.layers.weight_count()];
        Self {
            buffers: Buffers {
                batch: network.layers.batch(sources[0].inputs.clone()),
                design: Vec::new(),
                regression: Regression::default(),
                posterior: RegressionPosterior::default(),
                slopes: Vec::new(),
                gradient: weights.clone(),
                weights,
            },
            sources_part: Part {
                point: Vec::new(),
                value: 0.0,
                gradient: Vec::new(),
            },
            network: network.clone(),
            sources,
        }
    }

    /// Number of sources.
    pub(super) fn source_count(&self) -> usize {
        self.sources.len()
    }

    /// Minimises the likelihood of the sources and the `target` from `point` on, which becomes the minimiser.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if a regression cannot be factorised at the start.
    pub(super) fn minimise(
        &mut self,
        target: Option<&TrainingTask>,
        curvature: &mut Curvature,
        point: &mut [f64],
        settings: Settings,
    ) -> Result<f64, EngineError> {
        let weights = self.network.layers.weight_count();
        let bound = |index: usize| match index.checked_sub(weights) {
            None => (-WEIGHT_BOUND, WEIGHT_BOUND),
            Some(index) if index % 2 == 0 => WEIGHT_PRECISION_BOUNDS,
            Some(_) => NOISE_PRECISION_BOUNDS,
        };
        let (lower, upper): (Vec<_>, Vec<_>) = (0..point.len()).map(bound).unzip();
        let loss = |point: &[f64], gradient: &mut [f64]| self.loss(target, point, gradient);
        lbfgs::minimise_on(curvature, loss, point, (&lower, &upper), settings)
    }

    /// Mean over the rows of the negative log marginal likelihood; its gradient goes to `gradient`.
    fn loss(
        &mut self,
        target: Option<&TrainingTask>,
        point: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, EngineError> {
        let weights = self.network.layers.weight_count();
        let (of_sources, of_target) = point.split_at(weights + 2 * self.sources.len());
        for (single, double) in self.buffers.weights.iter_mut().zip(of_sources) {
            *single = *double as f32;
        }
        let tasks = self.sources.iter().chain(target);
        let rows: usize = tasks.map(|task| task.targets.len()).sum();
        let part = &mut self.sources_part;
        if part.point != of_sources {
            // Nothing is known if a source fails.
            part.point.clear();
            part.gradient.clear();
            part.gradient.resize(of_sources.len(), 0.0);
            let (weight_gradient, slopes) = part.gradient.split_at_mut(weights);
            part.value = self.buffers.add_tasks(
                &self.network,
                &self.sources,
                &of_sources[weights..],
                (weight_gradient, slopes),
            )?;
            part.point.extend(of_sources);
        }
        let (mut value, known) = (part.value, &part.gradient);
        let (gradient_of_sources, gradient_of_target) = gradient.split_at_mut(of_sources.len());
        gradient_of_sources.copy_from_slice(known);
        value += self.buffers.add_tasks(
            &self.network,
            target,
            of_target,
            (&mut gradient_of_sources[..weights], gradient_of_target),
        )?;
        let share = 1.0 / rows as f64;
        gradient.iter_mut().for_each(|slope| *slope *= share);
        Ok(share * value)
    }
}

impl Buffers {
    /// The sum of the negative log marginal likelihoods of some tasks, given log alpha and log beta of each. Its gradient by the weights
    /// is added to the first slice, its slopes by those logarithms become the second.
    fn add_tasks<'a>(
        &mut self,
        network: &FeatureNetwork,
        tasks: impl IntoIterator<Item = &'a TrainingTask>,
        logarithms: &[f64],
        (weight_gradient, slopes): (&mut [f64], &mut [f64]),
    ) -> Result<f64, EngineError> {
        let mut value = 0.0;
        let precisions = logarithms.as_chunks().0.iter();
        let precisions = precisions.zip(slopes.as_chunks_mut().0);
        for (task, (logarithms, precision_slopes)) in tasks.into_iter().zip(precisions) {
            let rows = task.targets.len();
            self.batch.set_inputs(&task.inputs);
            let features = network.evaluate(&self.weights, &mut self.batch);
            // Only the constants keep these ones.
            self.design.resize(rows * DESIGN, 1.0);
            fill_design(features, &task.targets, &mut self.design);
            self.regression.set(&self.design, REGRESSORS);
            let posterior = &mut self.posterior;
            posterior.set(&self.regression, *logarithms)?;
            self.slopes.resize(rows * FEATURES, 0.0);
            posterior.feature_slopes(&self.design, &mut self.slopes);
            let (weights, gradient) = (&self.weights, &mut self.gradient);
            network.propagate(weights, &mut self.batch, &self.slopes, gradient);
            add(gradient, weight_gradient);
            *precision_slopes = posterior.slopes;
            value += posterior.value;
        }
        Ok(value)
    }
}

#[pulp::with_simd(add = pulp::Arch::new())]
#[inline(always)]
fn add_with<S: Simd>(_simd: S, slopes: &[f32], sums: &mut [f64]) {
    for (sum, slope) in sums.iter_mut().zip(slopes) {
        *sum += f64::from(*slope);
    }
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;
    use crate::methods::ablr::features::INITIAL_FEATURES;
    use crate::random::RandomStream;

    fn random() -> RandomStream {
        RandomStream::new(INITIAL_FEATURES, Fingerprint([1; 16]), "t", 0)
    }

    fn task(rows: usize, random: &mut RandomStream) -> TrainingTask {
        TrainingTask {
            inputs: (0..3 * rows).map(|_| random.uniform() as f32).collect(),
            targets: (0..rows).map(|_| random.normal()).collect(),
        }
    }

    #[test]
    fn the_gradient_agrees_with_finite_differences() {
        let network = FeatureNetwork::new(3);
        let mut random = random();
        let (source, target) = (task(25, &mut random), task(15, &mut random));
        let mut likelihood = JointLikelihood::new(&network, vec![source]);
        let mut point: Vec<f64> = network
            .layers
            .initial_weights(&mut random)
            .into_iter()
            .map(f64::from)
            .collect();
        point.extend([0.2, 1.0, -0.3, 0.5]);
        let mut gradient = vec![0.0; point.len()];
        likelihood
            .loss(Some(&target), &point, &mut gradient)
            .unwrap();
        // The precisions, and the steepest weights of each layer: small slopes drown
        // in single precision.
        let first = network.layers.weight_count();
        let mut indices: Vec<usize> = (first..point.len()).collect();
        for layer in [0..200, 200..2750, 2750..5300] {
            let mut steepest: Vec<usize> = layer.collect();
            steepest.sort_by(|&a, &b| gradient[b].abs().total_cmp(&gradient[a].abs()));
            indices.extend(&steepest[..6]);
        }
        for index in indices {
            let mut ignored = vec![0.0; point.len()];
            let mut shifted = |step: f64| {
                let mut point = point.clone();
                point[index] += step;
                likelihood
                    .loss(Some(&target), &point, &mut ignored)
                    .unwrap()
            };
            let step = 1e-2;
            let expected = (shifted(step) - shifted(-step)) / (2.0 * step);
            let error = (gradient[index] - expected).abs();
            assert!(
                error < 1e-2 * expected.abs() + 1e-5,
                "{index}: {error} of {expected}"
            );
        }
    }

    #[test]
    fn what_is_kept_of_the_sources_changes_nothing() {
        let network = FeatureNetwork::new(3);
        let mut random = random();
        let mut sources = || vec![task(20, &mut random), task(31, &mut random)];
        let (tasks, targets) = (sources(), sources());
        let mut weights = || -> Vec<f64> {
            let weights = network.layers.initial_weights(&mut random).into_iter();
            weights.map(f64::from).chain([0.5; 6]).collect()
        };
        let points = [weights(), weights()];
        let new_tasks = || {
            let tasks = tasks.iter().map(|task| TrainingTask {
                inputs: task.inputs.clone(),
                targets: task.targets.clone(),
            });
            JointLikelihood::new(&network, tasks.collect())
        };
        let mut likelihood = new_tasks();
        // The same point for another target; another point; another precision of a source.
        let mut other = points[1].clone();
        other[network.layers.weight_count()] += 0.1;
        for (target, point) in [
            (0, &points[0]),
            (1, &points[0]),
            (1, &points[1]),
            (0, &other),
        ] {
            let mut found = vec![7.0; point.len()];
            let value = likelihood.loss(Some(&targets[target]), point, &mut found);
            let mut expected = vec![0.0; point.len()];
            let anew = new_tasks().loss(Some(&targets[target]), point, &mut expected);
            assert_eq!(value.unwrap(), anew.unwrap());
            assert_eq!(found, expected);
        }
        // The sources alone.
        let (point, _) = other.split_at(other.len() - 2);
        let (mut found, mut expected) = (vec![7.0; point.len()], vec![0.0; point.len()]);
        let value = likelihood.loss(None, point, &mut found).unwrap();
        let anew = new_tasks().loss(None, point, &mut expected).unwrap();
        assert_eq!((value, found), (anew, expected));
    }
}
