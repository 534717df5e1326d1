//! A multi-layer perceptron with 3 hidden layers of 50 rectified linear units and
//! two heads: mu, linear, and sigma = softplus, both of the last hidden layer.
//!
//! Weights are single precision: the fit is stochastic to begin with, and it
//! halves the time.

use pulp::Simd;

use crate::dense_layers::{self, DenseLayers};
use crate::random::{RandomStream, StreamName};

/// What the initial weights, batches and dropout are drawn from.
pub(super) const TRAINING: StreamName = StreamName::new("prior", "training");

/// Units of each hidden layer.
pub(crate) const HIDDEN: usize = 50;
const HIDDEN_LAYERS: usize = 3;
/// Outputs: mu, and sigma before its softplus.
const HEADS: usize = 2;

/// The least sigma: keeps the likelihood bounded where sources hardly vary.
const LEAST_STD_DEV: f32 = 1e-4;

/// What the network says of the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    /// sigma depends on the configuration.
    Heteroskedastic,
    /// sigma is one number: the weights from the last hidden layer to it stay 0, its bias is fitted.
    Homoskedastic,
}

/// The network's shape.
#[derive(Debug, Clone)]
pub(crate) struct Network {
    noise: Noise,
    layers: DenseLayers,
}

/// Buffers for one batch, reused from batch to batch.
pub(crate) struct Batch {
    rows: usize,
    /// The hidden layers and the heads: mu, and sigma before its softplus, side by side.
    dense: dense_layers::Batch,
    /// Factor of each hidden unit: 0 if dropped, 1 / (1 - rate) if kept.
    masks: Vec<Vec<f32>>,
    random: Vec<u8>,
}

fn softplus(x: f32) -> f32 {
    x.max(0.0) + libm::log1pf(libm::expf(-x.abs()))
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

/// Rectifies units.
#[pulp::with_simd(rectify_all = pulp::Arch::new())]
#[inline(always)]
fn rectify_all_with<S: Simd>(_simd: S, units: &mut [f32]) {
    for unit in units {
        *unit = unit.max(0.0);
    }
}

/// Rectifies units and drops some.
#[pulp::with_simd(rectify = pulp::Arch::new())]
#[inline(always)]
fn rectify_with<S: Simd>(_simd: S, mask: &[f32], units: &mut [f32]) {
    for (unit, factor) in units.iter_mut().zip(mask) {
        *unit = unit.max(0.0) * factor;
    }
}

/// Sets the factor of each unit to 0 where the draw is below the threshold, else to `kept`. A draw is two random bytes.
#[pulp::with_simd(set_mask = pulp::Arch::new())]
#[inline(always)]
fn set_mask_with<S: Simd>(_simd: S, draws: &[u8], (threshold, kept): (u16, f32), mask: &mut [f32]) {
    for (factor, draw) in mask.iter_mut().zip(draws.as_chunks().0) {
        *factor = if u16::from_le_bytes(*draw) < threshold {
            0.0
        } else {
            kept
        };
    }
}

/// The slopes before the units from those after them. A unit that is 0 was rectified or dropped: nothing passes.
#[pulp::with_simd(through_units = pulp::Arch::new())]
#[inline(always)]
fn through_units_with<S: Simd>(_simd: S, units: &[f32], mask: &[f32], slopes: &mut [f32]) {
    let factors = units.iter().zip(mask);
    for (slope, (unit, factor)) in slopes.iter_mut().zip(factors) {
        // Without a branch, which would be taken at random.
        let passed = *slope * factor;
        *slope = if *unit > 0.0 { passed } else { 0.0 };
    }
}

impl Network {
    /// A network on inputs of `width` coordinates.
    pub(crate) fn new(width: usize, noise: Noise) -> Self {
        let outputs = [[HIDDEN; HIDDEN_LAYERS].as_slice(), &[HEADS]].concat();
        Self {
            noise,
            layers: DenseLayers::new(width, &outputs),
        }
    }

    /// Number of input coordinates.
    pub(crate) fn width(&self) -> usize {
        self.layers.inputs()
    }

    /// Number of weights and biases.
    pub(crate) fn weight_count(&self) -> usize {
        self.layers.weight_count()
    }

    /// Initial weights and biases, uniform within 1 / sqrt(inputs) of 0 unless they are held at it.
    pub(crate) fn initial_weights(&self, random: &mut RandomStream) -> Vec<f32> {
        let mut weights = self.layers.initial_weights(random);
        self.hold_noise(&mut weights);
        weights
    }

    /// Sets to 0 what a homoskedastic network does not fit, among its weights or their gradient.
    fn hold_noise(&self, weights: &mut [f32]) {
        if self.noise == Noise::Homoskedastic {
            let head = weights.len() - HEADS * (HIDDEN + 1);
            let of_noise = weights[head..].iter_mut().skip(1).step_by(HEADS);
            of_noise.take(HIDDEN).for_each(|weight| *weight = 0.0);
        }
    }

    /// Buffers for batches of `rows` inputs.
    pub(crate) fn batch(&self, rows: usize) -> Batch {
        Batch {
            rows,
            dense: self.layers.batch(vec![0.0; rows * self.width()]),
            masks: vec![vec![1.0; rows * HIDDEN]; HIDDEN_LAYERS],
            random: vec![0; 2 * rows * HIDDEN * HIDDEN_LAYERS],
        }
    }

    /// Computes the heads of the batch's inputs.
    fn forward(&self, weights: &[f32], batch: &mut Batch) {
        let masks = &batch.masks;
        let activate = |number, outputs: &mut [f32]| {
            if let Some(mask) = masks.get::<usize>(number) {
                rectify(mask, outputs);
            }
        };
        self.layers.forward(weights, &mut batch.dense, activate);
    }

    /// Mean negative log-likelihood of the `targets` under the heads, without its
    /// constant: log sigma + ((z - mu) / sigma)^2 / 2. Its gradient by all weights
    /// goes to `gradient`.
    pub(crate) fn loss(
        &self,
        weights: &[f32],
        batch: &mut Batch,
        targets: &[f32],
        gradient: &mut [f32],
    ) -> f32 {
        self.forward(weights, batch);
        let mut loss = 0.0;
        let share = 1.0 / batch.rows as f32;
        let heads = batch.dense.activations[HIDDEN_LAYERS + 1].chunks_exact(HEADS);
        let head_gradients = batch.dense.gradients[HIDDEN_LAYERS].chunks_exact_mut(HEADS);
        for ((head, head_gradient), &target) in heads.zip(head_gradients).zip(targets) {
            let std_dev = softplus(head[1]) + LEAST_STD_DEV;
            let misfit = (target - head[0]) / std_dev;
            loss += share * (libm::logf(std_dev) + 0.5 * misfit * misfit);
            head_gradient[0] = -share * misfit / std_dev;
            head_gradient[1] = share * (1.0 - misfit * misfit) / std_dev * sigmoid(head[1]);
        }
        let masks = &batch.masks;
        self.layers.backward(
            weights,
            &mut batch.dense,
            gradient,
            |number, units, slopes| through_units(units, &masks[number], slopes),
        );
        self.hold_noise(gradient);
        loss
    }

    /// mu and sigma of each input, without dropout. The inputs lie coordinate by coordinate.
    pub(crate) fn predict(&self, weights: &[f32], inputs: &[f32]) -> Vec<(f32, f32)> {
        let rows = inputs.len() / self.width();
        if rows == 0 {
            return Vec::new();
        }
        let mut heads = vec![0.0; HEADS * rows];
        let activate = |number, units: &mut [f32]| {
            if number < HIDDEN_LAYERS {
                rectify_all(units);
            }
        };
        let buffers = &mut Default::default();
        self.layers
            .forward_by_unit(weights, inputs, buffers, &mut heads, activate);
        let (means, of_std_devs) = heads.split_at(rows);
        let std_devs = of_std_devs
            .iter()
            .map(|head| softplus(*head) + LEAST_STD_DEV);
        means.iter().copied().zip(std_devs).collect()
    }
}

impl Batch {
    /// The inputs, row-major, to be filled in.
    pub(crate) fn inputs_mut(&mut self) -> &mut [f32] {
        &mut self.dense.activations[0]
    }

    /// Draws which hidden units are dropped, each with probability `rate`.
    pub(crate) fn draw_dropout(&mut self, rate: f64, random: &mut RandomStream) {
        let threshold = (rate * 65_536.0).round() as u16;
        let kept = (1.0 / (1.0 - rate)) as f32;
        random.fill(&mut self.random);
        let mut draws = &self.random[..];
        for mask in &mut self.masks {
            let own;
            (own, draws) = draws.split_at(2 * mask.len());
            set_mask(own, (threshold, kept), mask);
        }
    }
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;

    fn random() -> RandomStream {
        RandomStream::new(TRAINING, Fingerprint([1; 16]), "task", 0)
    }

    fn filled_batch(network: &Network, rows: usize, random: &mut RandomStream) -> Batch {
        let mut batch = network.batch(rows);
        for entry in batch.inputs_mut() {
            *entry = random.uniform() as f32;
        }
        batch
    }

    #[test]
    fn the_gradient_agrees_with_finite_differences() {
        let network = Network::new(3, Noise::Heteroskedastic);
        let mut random = random();
        let weights = network.initial_weights(&mut random);
        let mut batch = filled_batch(&network, 16, &mut random);
        batch.draw_dropout(0.1, &mut random);
        let targets: Vec<f32> = (0..16).map(|_| random.normal() as f32).collect();
        let mut gradient = vec![0.0; weights.len()];
        network.loss(&weights, &mut batch, &targets, &mut gradient);
        let mut ignored = vec![0.0; weights.len()];
        // The steepest weights of every layer: small slopes drown in single precision.
        let (mut start, mut inputs) = (0, 3);
        for outputs in network.layers.outputs() {
            let mut steepest: Vec<usize> = (start..start + (inputs + 1) * outputs).collect();
            (start, inputs) = (start + steepest.len(), outputs);
            steepest.sort_by(|&a, &b| gradient[b].abs().total_cmp(&gradient[a].abs()));
            for &index in &steepest[..8.min(steepest.len())] {
                let mut shifted = |step: f32| {
                    let mut weights = weights.clone();
                    weights[index] += step;
                    f64::from(network.loss(&weights, &mut batch, &targets, &mut ignored))
                };
                let step = 4e-3;
                let expected = (shifted(step) - shifted(-step)) / (2.0 * f64::from(step));
                let error = (f64::from(gradient[index]) - expected).abs();
                assert!(
                    error < 3e-2 * expected.abs() + 1e-4,
                    "{index}: {error} of {expected}"
                );
            }
        }
    }

    #[test]
    fn the_loss_is_the_gaussian_likelihood() {
        // With all weights 0: mu = 0, sigma = ln 2 + 1e-4.
        let network = Network::new(2, Noise::Heteroskedastic);
        let weights = vec![0.0; network.weight_count()];
        let mut gradient = weights.clone();
        let mut batch = network.batch(2);
        let found = network.loss(&weights, &mut batch, &[1.0, -2.0], &mut gradient);
        let sigma: f64 = 2f64.ln() + 1e-4;
        let expected = sigma.ln() + 0.5 * (1.0 + 4.0) / 2.0 / (sigma * sigma);
        assert!(
            (f64::from(found) - expected).abs() < 1e-5,
            "{found} {expected}"
        );
    }

    #[test]
    fn dropout_drops_its_share_and_keeps_the_mean() {
        let network = Network::new(2, Noise::Heteroskedastic);
        let mut batch = network.batch(400);
        batch.draw_dropout(0.1, &mut random());
        let factors: Vec<f32> = batch.masks.concat();
        let count = factors.len() as f64;
        let dropped = factors.iter().filter(|&&factor| factor == 0.0).count() as f64 / count;
        let error = (dropped - 0.1).abs();
        assert!(error < 4.0 * (0.09 / count).sqrt(), "{dropped}");
        assert!(
            factors
                .iter()
                .all(|&factor| factor == 0.0 || factor == 1.0 / 0.9)
        );
    }

    #[test]
    fn a_homoskedastic_network_has_one_sigma_and_fits_all_but_its_weights() {
        let network = Network::new(3, Noise::Homoskedastic);
        let mut random = random();
        let weights = network.initial_weights(&mut random);
        let mut batch = filled_batch(&network, 16, &mut random);
        let targets: Vec<f32> = (0..16).map(|_| random.normal() as f32).collect();
        let mut gradient = vec![1.0; weights.len()];
        network.loss(&weights, &mut batch, &targets, &mut gradient);
        let held: Vec<usize> = (0..weights.len())
            .filter(|&place| weights[place] == 0.0)
            .collect();
        assert_eq!(held.len(), HIDDEN);
        assert!(held.iter().all(|&place| gradient[place] == 0.0));
        // The bias of sigma comes last.
        assert!(weights.last() != Some(&0.0) && gradient.last() != Some(&0.0));
        let inputs: Vec<f32> = (0..30).map(|_| random.uniform() as f32).collect();
        let predictions = network.predict(&weights, &inputs);
        assert!(
            predictions
                .iter()
                .all(|(_, sigma)| *sigma == predictions[0].1)
        );
        assert!(
            predictions
                .iter()
                .any(|(mean, _)| *mean != predictions[0].0)
        );
    }
}
