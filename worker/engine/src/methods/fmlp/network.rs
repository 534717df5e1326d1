//! A factorised multilayer perceptron: a network whose first layer also weighs products of inputs (Wistuba, Schilling and
//! Schmidt-Thieme 2018, eq. 16; Schilling et al. 2015).
//!
//! With inputs u, a unit of the first layer is the logistic function of
//!
//!   w0 + sum over i of w_i u_i + sum over i < j of <v_i, v_j> u_i u_j,
//!
//! where the last sum is 1/2 sum over factors f of (sum_i v_if u_i)^2 - sum_i (v_if u_i)^2. Each unit has vectors v of its own. A
//! layer of logistic units and a linear output follow. Most inputs are 0, so that an input is a list of its other entries.

use pulp::Simd;

use crate::random::RandomStream;

/// Units of the first layer.
const UNITS: usize = 10;
/// Units of the second layer.
const SECOND: usize = 10;
/// Factors of a unit.
const FACTORS: usize = 5;
/// Factors of all units, side by side: those of a unit are [`FACTORS`] in a row.
const ALL_FACTORS: usize = UNITS * FACTORS;
/// Weights that belong to one entry of the input: w of each unit, then v.
const BLOCK: usize = UNITS + ALL_FACTORS;
/// What follows the blocks: w0, then the second layer's weights (by unit of the first layer) and biases, then the output's.
const REST: usize = UNITS + UNITS * SECOND + SECOND + SECOND + 1;

/// Standard deviation of the initial v.
const INITIAL_FACTOR: f64 = 0.1;

/// Share of v by which it falls in an update, in units of the learning rate.
const DECAY: f32 = 1e-4;

/// The entries of an input that are not 0, with their places.
pub(super) type Input = Vec<(usize, f32)>;

/// The weights of a network.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    pub(super) weights: Vec<f32>,
}

/// What a pass leaves for the way back.
struct Pass {
    /// Sum over the inputs of v u, by factor.
    sums: [f32; ALL_FACTORS],
    first: [f32; UNITS],
    second: [f32; SECOND],
    output: f32,
}

/// Number of weights of a network on inputs with so many entries.
pub(super) fn weight_count(inputs: usize) -> usize {
    inputs * BLOCK + REST
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

impl Network {
    /// A network with random weights, on inputs with `inputs` entries of which about `filled` are not 0.
    pub(super) fn random(inputs: usize, filled: usize, random: &mut RandomStream) -> Self {
        let linear = 1.0 / (filled as f64).sqrt();
        let dense = 1.0 / (SECOND as f64).sqrt();
        let mut weights = Vec::with_capacity(weight_count(inputs));
        let mut draw = |count: usize, std_dev: f64| {
            weights.extend((0..count).map(|_| (std_dev * random.normal()) as f32));
        };
        for _ in 0..inputs {
            draw(UNITS, linear);
            draw(ALL_FACTORS, INITIAL_FACTOR);
        }
        draw(UNITS, 0.0);
        draw(UNITS * SECOND, dense);
        draw(SECOND, 0.0);
        draw(SECOND, dense);
        draw(1, 0.0);
        Self { weights }
    }

    /// Gives one entry of the input the mean weights of some others.
    pub(super) fn average_entries(&mut self, entry: usize, others: std::ops::Range<usize>) {
        let count = others.len() as f32;
        for place in 0..BLOCK {
            let of_others = others
                .clone()
                .map(|other| self.weights[other * BLOCK + place]);
            self.weights[entry * BLOCK + place] = of_others.sum::<f32>() / count;
        }
    }

    /// The output for an input.
    pub(super) fn predict(&self, input: &[(usize, f32)]) -> f64 {
        predict(&self.weights, input).into()
    }

    /// The gradient of the mean squared error on a batch, and of half the decay of v, into `gradient`.
    pub(super) fn gradient(&self, batch: &[(Input, f32)], gradient: &mut [f32]) {
        gradient.fill(0.0);
        add_gradient(&self.weights, batch, gradient);
        let entries = self.weights.len() - REST;
        let blocks = gradient[..entries].chunks_exact_mut(BLOCK);
        for (slopes, weights) in blocks.zip(self.weights.chunks_exact(BLOCK)) {
            let factors = slopes[UNITS..].iter_mut().zip(&weights[UNITS..]);
            factors.for_each(|(slope, weight)| *slope += DECAY * weight);
        }
    }
}

#[pulp::with_simd(predict = pulp::Arch::new())]
#[inline(always)]
fn predict_with<S: Simd>(_simd: S, weights: &[f32], input: &[(usize, f32)]) -> f32 {
    forward(weights, input).output
}

#[inline(always)]
fn forward(weights: &[f32], input: &[(usize, f32)]) -> Pass {
    let rest = &weights[weights.len() - REST..];
    let (biases, rest) = rest.split_at(UNITS);
    let (dense, rest) = rest.split_at(UNITS * SECOND);
    let (dense_biases, output) = rest.split_at(SECOND);
    let mut linear = [0.0; UNITS];
    linear.copy_from_slice(biases);
    let mut sums = [0.0; ALL_FACTORS];
    let mut squares = [0.0; ALL_FACTORS];
    for &(entry, value) in input {
        let (weights, factors) = weights[entry * BLOCK..(entry + 1) * BLOCK].split_at(UNITS);
        for (sum, weight) in linear.iter_mut().zip(weights) {
            *sum = weight.mul_add(value, *sum);
        }
        for ((sum, square), factor) in sums.iter_mut().zip(&mut squares).zip(factors) {
            let product = factor * value;
            *sum += product;
            *square = product.mul_add(product, *square);
        }
    }
    let mut first = [0.0; UNITS];
    for (unit, active) in first.iter_mut().enumerate() {
        let own = unit * FACTORS..(unit + 1) * FACTORS;
        let pairs: f32 = sums[own.clone()]
            .iter()
            .zip(&squares[own])
            .map(|(sum, square)| sum * sum - square)
            .sum();
        *active = logistic(linear[unit] + 0.5 * pairs);
    }
    let mut second = [0.0; SECOND];
    second.copy_from_slice(dense_biases);
    for (active, weights) in first.iter().zip(dense.chunks_exact(SECOND)) {
        for (sum, weight) in second.iter_mut().zip(weights) {
            *sum = weight.mul_add(*active, *sum);
        }
    }
    let mut result = output[SECOND];
    for (unit, weight) in second.iter_mut().zip(output) {
        *unit = logistic(*unit);
        result = weight.mul_add(*unit, result);
    }
    Pass {
        sums,
        first,
        second,
        output: result,
    }
}

#[pulp::with_simd(add_gradient = pulp::Arch::new())]
#[inline(always)]
fn add_gradient_with<S: Simd>(
    _simd: S,
    weights: &[f32],
    batch: &[(Input, f32)],
    gradient: &mut [f32],
) {
    let entries = weights.len() - REST;
    let dense = &weights[entries + UNITS..entries + UNITS + UNITS * SECOND];
    let output = &weights[weights.len() - SECOND - 1..];
    for (input, target) in batch {
        let pass = forward(weights, input);
        let error = 2.0 * (pass.output - target) / batch.len() as f32;
        let (of_entries, rest) = gradient.split_at_mut(entries);
        let (of_biases, rest) = rest.split_at_mut(UNITS);
        let (of_dense, rest) = rest.split_at_mut(UNITS * SECOND);
        let (of_dense_biases, of_output) = rest.split_at_mut(SECOND);
        of_output[SECOND] += error;
        let mut second = [0.0; SECOND];
        for (unit, slope) in second.iter_mut().enumerate() {
            let active = pass.second[unit];
            of_output[unit] += error * active;
            *slope = error * output[unit] * active * (1.0 - active);
            of_dense_biases[unit] += *slope;
        }
        let mut first = [0.0; UNITS];
        let mut of_factors = [0.0; ALL_FACTORS];
        for (unit, slope) in first.iter_mut().enumerate() {
            let active = pass.first[unit];
            let row = unit * SECOND..(unit + 1) * SECOND;
            let mut sum = 0.0;
            let weights = dense[row.clone()].iter().zip(&mut of_dense[row]);
            for ((weight, of_weight), second) in weights.zip(&second) {
                sum += weight * second;
                *of_weight += active * second;
            }
            *slope = sum * active * (1.0 - active);
            of_biases[unit] += *slope;
            of_factors[unit * FACTORS..(unit + 1) * FACTORS].fill(*slope);
        }
        for &(entry, value) in input {
            let block = entry * BLOCK..(entry + 1) * BLOCK;
            let factors = &weights[block.clone()][UNITS..];
            let (of_linear, of_block) = of_entries[block].split_at_mut(UNITS);
            for (slope, unit) in of_linear.iter_mut().zip(&first) {
                *slope = unit.mul_add(value, *slope);
            }
            let factors = factors.iter().zip(&pass.sums).zip(&of_factors);
            for (slope, ((factor, sum), unit)) in of_block.iter_mut().zip(factors) {
                *slope += unit * value * (sum - factor * value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;
    use crate::random::StreamName;

    fn random() -> RandomStream {
        let name = StreamName::new("test", "factorised network");
        RandomStream::new(name, Fingerprint([1; 16]), "task", 0)
    }

    /// A network with weights of all sizes, and an input with zeros.
    fn example() -> (Network, Input) {
        let mut random = random();
        let mut network = Network::random(6, 4, &mut random);
        for weight in &mut network.weights {
            *weight += (0.3 * random.normal()) as f32;
        }
        (network, vec![(0, 0.7), (2, -1.3), (3, 1.0), (5, 0.4)])
    }

    /// The output with a sum over all pairs, in double precision.
    fn printed(network: &Network, input: &[(usize, f32)]) -> f64 {
        let weight = |place: usize| f64::from(network.weights[place]);
        let rest = 6 * BLOCK;
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let first = (0..10).map(|unit| {
            let mut sum = weight(rest + unit);
            for (place, &(i, u)) in input.iter().enumerate() {
                sum += weight(60 * i + unit) * f64::from(u);
                for &(j, other) in &input[..place] {
                    let factor = |entry: usize, f: usize| weight(60 * entry + 10 + 5 * unit + f);
                    let product: f64 = (0..5).map(|f| factor(i, f) * factor(j, f)).sum();
                    sum += product * f64::from(u) * f64::from(other);
                }
            }
            sigmoid(sum)
        });
        let first: Vec<f64> = first.collect();
        let second = (0..10).map(|unit| {
            let products =
                (0..10).map(|other| weight(rest + 10 + 10 * other + unit) * first[other]);
            sigmoid(weight(rest + 110 + unit) + products.sum::<f64>())
        });
        let output = second
            .enumerate()
            .map(|(unit, y)| weight(rest + 120 + unit) * y);
        weight(rest + 130) + output.sum::<f64>()
    }

    #[test]
    fn the_output_is_that_of_a_sum_over_all_pairs() {
        let (network, input) = example();
        let expected = printed(&network, &input);
        let found = network.predict(&input);
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    }

    #[test]
    fn the_gradient_agrees_with_differences_of_the_error() {
        let (network, input) = example();
        let batch = vec![(input, 0.5), (vec![(1, 1.0), (2, 0.5)], -1.0)];
        let mut gradient = vec![0.0; weight_count(6)];
        network.gradient(&batch, &mut gradient);
        let objective = |network: &Network| -> f64 {
            let errors = batch
                .iter()
                .map(|(input, target)| (printed(network, input) - f64::from(*target)).powi(2));
            let blocks = network.weights[..6 * BLOCK].chunks_exact(BLOCK);
            let squares = blocks.flat_map(|block| &block[UNITS..]);
            let decay: f64 = squares.map(|v| f64::from(*v).powi(2)).sum();
            errors.sum::<f64>() / 2.0 + 0.5 * f64::from(DECAY) * decay
        };
        for (place, slope) in gradient.iter().enumerate() {
            // A step that single precision holds exactly.
            let moved = |step: f32| {
                let mut moved = network.clone();
                let before = moved.weights[place];
                moved.weights[place] = before + step;
                (objective(&moved), f64::from(moved.weights[place] - before))
            };
            let ((above, up), (below, down)) = (moved(1e-3), moved(-1e-3));
            let expected = (above - below) / (up - down);
            assert!(
                (f64::from(*slope) - expected).abs() < 1e-4,
                "{place}: {slope} {expected}"
            );
        }
    }

    #[test]
    fn an_entry_takes_the_mean_of_others() {
        let (mut network, _) = example();
        let expected = (
            network.predict(&[(1, 0.0)]),
            network.weights[60..180].to_vec(),
        );
        network.average_entries(5, 1..3);
        let mean: Vec<f32> = (0..60)
            .map(|place| (expected.1[place] + expected.1[60 + place]) / 2.0)
            .collect();
        assert_eq!(network.weights[300..360], mean);
    }
}
