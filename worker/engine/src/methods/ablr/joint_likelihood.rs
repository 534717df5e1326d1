//! The joint likelihood of all tasks: the sum of their negative log marginal likelihoods, given the
//! weights of the shared features and the precisions of each task (Perrone et al. 2018, section 3.2).

use ndarray::{Array2, ArrayView1};

use super::evidence::Regression;
use super::features::{FeatureNetwork, REGRESSORS, set_regressors};
use super::training_set::TrainingSet;
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

/// What is fitted: the weights of the features, then log alpha and log beta of each task.
pub(super) struct JointModel<'a> {
    pub network: &'a FeatureNetwork,
    pub set: &'a TrainingSet,
}

impl JointModel<'_> {
    /// Minimises the joint likelihood from `point` on, which becomes the minimiser.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if a regression cannot be factorised at the start.
    pub(super) fn minimise(
        &self,
        curvature: &mut Curvature,
        point: &mut [f64],
        settings: Settings,
    ) -> Result<f64, EngineError> {
        let weights = self.network.weight_count();
        let bound = |index: usize| match index.checked_sub(weights) {
            None => (-WEIGHT_BOUND, WEIGHT_BOUND),
            Some(index) if index % 2 == 0 => WEIGHT_PRECISION_BOUNDS,
            Some(_) => NOISE_PRECISION_BOUNDS,
        };
        let (lower, upper): (Vec<_>, Vec<_>) = (0..point.len()).map(bound).unzip();
        let mut buffers = Buffers::new(self.network, self.set);
        let loss = |point: &[f64], gradient: &mut [f64]| {
            loss(self.network, self.set, &mut buffers, point, gradient)
        };
        lbfgs::minimise_on(curvature, loss, point, (&lower, &upper), settings)
    }
}

/// What an evaluation of the likelihood works on. Allocated anew for each, a fifth of the time would go into the
/// operating system's handing out of memory.
struct Buffers {
    batch: Batch,
    /// The regressors of all rows.
    design: Array2<f64>,
    /// The slope by each regressor.
    slopes: Array2<f64>,
    /// The weights and their gradient, in single precision.
    weights: Vec<f32>,
    gradient: Vec<f32>,
}

impl Buffers {
    fn new(network: &FeatureNetwork, set: &TrainingSet) -> Self {
        let dimensions = (set.targets.len(), REGRESSORS);
        Self {
            batch: network.batch(set.inputs.clone()),
            design: Array2::ones(dimensions),
            slopes: Array2::zeros(dimensions),
            weights: vec![0.0; network.weight_count()],
            gradient: vec![0.0; network.weight_count()],
        }
    }
}

/// Mean over the rows of the negative log marginal likelihood; its gradient goes to
/// `gradient`. `point` holds the weights, then log alpha and log beta of each task.
fn loss(
    network: &FeatureNetwork,
    set: &TrainingSet,
    buffers: &mut Buffers,
    point: &[f64],
    gradient: &mut [f64],
) -> Result<f64, EngineError> {
    let Buffers {
        batch,
        design,
        slopes,
        weights,
        gradient: weight_gradient,
    } = buffers;
    let (doubles, precisions) = point.split_at(weights.len());
    for (weight, double) in weights.iter_mut().zip(doubles) {
        *weight = *double as f32;
    }
    let features = network.evaluate(weights, batch);
    set_regressors(
        features,
        design.as_slice_mut().expect("rows one after the other"),
    );
    let share = 1.0 / set.targets.len() as f64;
    let (doubles, precision_gradient) = gradient.split_at_mut(weights.len());
    let mut loss = 0.0;
    let of_tasks = precisions
        .chunks_exact(2)
        .zip(precision_gradient.chunks_exact_mut(2));
    for (rows, (logarithms, precision_slopes)) in set.tasks.iter().zip(of_tasks) {
        let targets = ArrayView1::from(&set.targets[rows.clone()]);
        let block = ndarray::s![rows.clone(), ..];
        let features = design.slice(block);
        let regression = Regression::new(features, targets);
        let posterior = regression.posterior([logarithms[0], logarithms[1]])?;
        loss += share * posterior.value;
        for (slot, slope) in precision_slopes.iter_mut().zip(posterior.slopes) {
            *slot = share * slope;
        }
        posterior.feature_slopes(features, targets, slopes.slice_mut(block));
    }
    let slopes = slopes.as_slice().expect("rows one after the other");
    network.propagate(weights, batch, (slopes, share), weight_gradient);
    for (slot, slope) in doubles.iter_mut().zip(weight_gradient) {
        *slot = (*slope).into();
    }
    Ok(loss)
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;
    use crate::methods::ablr::features::INITIAL_FEATURES;
    use crate::random::RandomStream;

    #[test]
    fn the_gradient_agrees_with_finite_differences() {
        let network = FeatureNetwork::new(3);
        let mut random = RandomStream::new(INITIAL_FEATURES, Fingerprint([1; 16]), "t", 0);
        let set = TrainingSet {
            inputs: (0..3 * 40).map(|_| random.uniform() as f32).collect(),
            targets: (0..40).map(|_| random.normal()).collect(),
            tasks: vec![0..25, 25..40],
        };
        let mut point: Vec<f64> = network
            .initial_weights(&mut random)
            .into_iter()
            .map(f64::from)
            .collect();
        point.extend([0.2, 1.0, -0.3, 0.5]);
        let mut buffers = Buffers::new(&network, &set);
        let mut gradient = vec![0.0; point.len()];
        loss(&network, &set, &mut buffers, &point, &mut gradient).unwrap();
        // The precisions, and the steepest weights of each layer: small slopes drown
        // in single precision.
        let first = network.weight_count();
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
                loss(&network, &set, &mut buffers, &point, &mut ignored).unwrap()
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
}
