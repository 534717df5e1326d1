//! A Matern-5/2 kernel with one lengthscale on the outputs of a network (Wistuba and Grabocka 2021, section 3.2), and the
//! marginal likelihood of values under it.
//!
//! With features phi, d_ij = |phi_i - phi_j|^2, r^2 = d / l^2 and the likelihood L of
//! [`crate::surrogate::likelihood`],
//!
//!   dL/dphi_i = sum over j of 2 dL/dd_ij (phi_i - phi_j),   dL/dd_ij = dL/d(r_ij^2) / l^2,
//!
//! which is passed back through the network. Weights and features have single precision, the process has double.

use crate::dense_layers::DenseLayers;
use crate::error::EngineError;
use crate::random::RandomStream;
use crate::surrogate::hyperparameters::HyperparameterModel;
use crate::surrogate::likelihood::Likelihood;
use crate::surrogate::pairs::{SquaredDifferences, pair_count};

/// Outputs of each layer; all but the last are rectified.
const LAYERS: [usize; 4] = [32; 4];

/// Number of features.
pub(super) const FEATURES: usize = LAYERS[LAYERS.len() - 1];

/// Logarithms behind the network's weights: lengthscale, signal, noise.
pub(super) const HYPERPARAMETERS: usize = 3;

/// Where training starts.
const START: [f32; HYPERPARAMETERS] = [0.0, 0.0, -3.0];

/// The least noise variance, which is added to what is learned.
const LEAST_NOISE: f64 = 1e-4;

/// Rows whose features are computed at a time.
const BLOCK: usize = 1024;

/// Network and kernel.
pub(super) struct DeepKernel {
    layers: DenseLayers,
    /// Weights and biases of the network, then the hyperparameters.
    pub parameters: Vec<f32>,
}

impl DeepKernel {
    /// The layers on encoded configurations of `width` coordinates, untrained.
    pub(super) fn new(width: usize, random: &mut RandomStream) -> Self {
        let layers = DenseLayers::new(width, &LAYERS);
        let mut parameters = layers.initial_weights(random);
        parameters.extend(START);
        Self { layers, parameters }
    }

    /// With these parameters.
    pub(super) fn with_parameters(width: usize, parameters: Vec<f32>) -> Self {
        let layers = DenseLayers::new(width, &LAYERS);
        assert_eq!(parameters.len(), parameter_count(width));
        Self { layers, parameters }
    }

    /// Logarithms of lengthscale, signal and noise variance.
    pub(super) fn hyperparameters(&self) -> [f64; HYPERPARAMETERS] {
        let (_, last) = self.parameters.split_at(self.layers.weight_count());
        let noise = libm::exp(last[2].into()) + LEAST_NOISE;
        [last[0].into(), last[1].into(), libm::log(noise)]
    }

    /// The features of encoded configurations, which lie one after the other, as do the features.
    pub(super) fn features(&self, inputs: &[f32]) -> Vec<f32> {
        let mut features = Vec::with_capacity(inputs.len() / self.layers.inputs() * FEATURES);
        for block in inputs.chunks(BLOCK * self.layers.inputs()) {
            let mut batch = self.layers.batch(block.to_vec());
            self.layers.forward(&self.parameters, &mut batch, rectify);
            features.extend_from_slice(&batch.activations[LAYERS.len()]);
        }
        features
    }

    /// The negative log marginal likelihood of a value per input, by the number of values; its gradient by all
    /// parameters goes to `gradient`.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the kernel matrix cannot be factorised.
    pub(super) fn loss(
        &self,
        inputs: &[f32],
        targets: &[f64],
        gradient: &mut [f32],
    ) -> Result<f64, EngineError> {
        let (count, weights) = (targets.len(), self.layers.weight_count());
        let mut batch = self.layers.batch(inputs.to_vec());
        self.layers.forward(&self.parameters, &mut batch, rectify);
        let features = &batch.activations[LAYERS.len()];
        let row = |number: usize| &features[number * FEATURES..(number + 1) * FEATURES];
        let mut distances = Vec::with_capacity(pair_count(count));
        for one in 0..count {
            distances.extend((0..one).map(|other| f64::from(distance(row(one), row(other)))));
        }
        let squares = SquaredDifferences::of_distances(count, distances);
        let logarithms = self.hyperparameters();
        let mut slopes = [0.0; HYPERPARAMETERS];
        let mut likelihood = Likelihood::new(1, count);
        let flat = HyperparameterModel::flat(1);
        let value = likelihood.evaluate(&squares, targets, &flat, &logarithms, &mut slopes)?;

        let share = 1.0 / count as f64;
        // By a distance: half the signal over l^2; a distance moves both of its ends by twice their difference.
        let scale = share * libm::exp(logarithms[1] - 2.0 * logarithms[0]);
        let by_features = &mut batch.gradients[LAYERS.len() - 1];
        by_features.fill(0.0);
        for one in 1..count {
            let (before, from) = by_features.split_at_mut(one * FEATURES);
            let own = &mut from[..FEATURES];
            let pairs = &likelihood.pair_slopes()[pair_count(one)..pair_count(one + 1)];
            for (other, slope) in pairs.iter().enumerate() {
                let factor = (scale * slope) as f32;
                let theirs = &mut before[other * FEATURES..(other + 1) * FEATURES];
                let ends = row(one).iter().zip(row(other));
                for ((own, theirs), (left, right)) in own.iter_mut().zip(theirs).zip(ends) {
                    let move_apart = factor * (left - right);
                    *own += move_apart;
                    *theirs -= move_apart;
                }
            }
        }
        let (by_weights, by_hyperparameters) = gradient.split_at_mut(weights);
        let parameters = &self.parameters[..weights];
        self.layers
            .backward(parameters, &mut batch, by_weights, |_, units, slopes| {
                for (slope, unit) in slopes.iter_mut().zip(units) {
                    *slope = if *unit > 0.0 { *slope } else { 0.0 };
                }
            });
        // The noise is what is learned and its least.
        let learned = libm::exp(f64::from(self.parameters[weights + 2]) - logarithms[2]);
        let by_logarithm = [slopes[0], slopes[1], slopes[2] * learned];
        for (slot, slope) in by_hyperparameters.iter_mut().zip(by_logarithm) {
            *slot = (share * slope) as f32;
        }
        Ok(share * value)
    }
}

/// Number of parameters on configurations of `width` coordinates.
pub(super) fn parameter_count(width: usize) -> usize {
    DenseLayers::new(width, &LAYERS).weight_count() + HYPERPARAMETERS
}

/// All layers but the last.
fn rectify(number: usize, outputs: &mut [f32]) {
    if number + 1 < LAYERS.len() {
        outputs.iter_mut().for_each(|unit| *unit = unit.max(0.0));
    }
}

/// The squared distance of two rows of features.
fn distance(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    for (left, right) in left.chunks_exact(8).zip(right.chunks_exact(8)) {
        for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
            *sum += (left - right) * (left - right);
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;
    use crate::method_tests::dense::gaussian_process::{Kernel, Process, matern};
    use crate::method_tests::dense::network;
    use crate::random::StreamName;

    const EXAMPLE: StreamName = StreamName::new("fsbo", "example of a test");

    struct Example {
        kernel: DeepKernel,
        inputs: Vec<f32>,
        targets: Vec<f64>,
    }

    fn example() -> Example {
        let mut random = RandomStream::new(EXAMPLE, Fingerprint([1; 16]), "task", 0);
        let mut kernel = DeepKernel::new(3, &mut random);
        // Features further apart than those of small random weights.
        kernel
            .parameters
            .iter_mut()
            .for_each(|weight| *weight *= 2.0);
        Example {
            kernel,
            inputs: (0..36).map(|_| random.uniform() as f32).collect(),
            targets: (0..12).map(|_| random.normal()).collect(),
        }
    }

    #[test]
    fn the_loss_is_the_likelihood_on_the_networks_outputs() {
        let Example {
            kernel,
            inputs,
            targets,
        } = example();
        let (weights, _) = kernel.parameters.split_at(kernel.layers.weight_count());
        let weights: Vec<f64> = weights.iter().map(|&weight| weight.into()).collect();
        let points = inputs.chunks_exact(3).map(|point| {
            let point: Vec<f64> = point.iter().map(|&entry| entry.into()).collect();
            network::outputs(&weights, &point, &LAYERS, 1, |x| x.max(0.0))
        });
        let points: Vec<Vec<f64>> = points.collect();
        for (feature, expected) in kernel.features(&inputs).iter().zip(points.concat()) {
            assert!((f64::from(*feature) - expected).abs() < 1e-4);
        }
        let [lengthscale, signal, noise] = kernel.hyperparameters();
        assert!((noise.exp() - (-6f64).exp() - LEAST_NOISE).abs() < 1e-7);
        let logarithms = [vec![lengthscale; FEATURES], vec![signal, noise]].concat();
        let dense = Kernel::from_logarithms(matern, &logarithms);
        let expected = Process::new(dense, &points, &targets).negative_log_likelihood() / 12.0;
        let mut gradient = vec![0.0; kernel.parameters.len()];
        let found = kernel.loss(&inputs, &targets, &mut gradient).unwrap();
        assert!(
            (found - expected).abs() < 1e-3 * expected.abs(),
            "{found} {expected}"
        );
    }

    #[test]
    fn the_gradient_agrees_with_finite_differences() {
        let Example {
            mut kernel,
            inputs,
            targets,
        } = example();
        let count = kernel.parameters.len();
        // More noise: a flatter loss loses fewer digits in single precision.
        kernel.parameters[count - 1] = -1.0;
        let mut gradient = vec![0.0; count];
        kernel.loss(&inputs, &targets, &mut gradient).unwrap();
        let mut steepest: Vec<usize> = (0..count - HYPERPARAMETERS).collect();
        steepest.sort_by(|&a, &b| gradient[b].abs().total_cmp(&gradient[a].abs()));
        let hyperparameters = count - HYPERPARAMETERS..count;
        for place in steepest.into_iter().take(40).chain(hyperparameters) {
            let mut shifted = |step: f32| {
                let start = kernel.parameters[place];
                kernel.parameters[place] = start + step;
                let value = kernel
                    .loss(&inputs, &targets, &mut vec![0.0; count])
                    .unwrap();
                kernel.parameters[place] = start;
                value
            };
            let expected = (shifted(2e-3) - shifted(-2e-3)) / 4e-3;
            let error = (f64::from(gradient[place]) - expected).abs();
            assert!(
                error < 6e-2 * expected.abs() + 2e-3,
                "{place}: {error} of {expected}"
            );
        }
    }
}
