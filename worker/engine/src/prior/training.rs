//! Fits the network by ADAM (Kingma and Ba 2015) on batches of source rows.
//!
//! 3 x 1000 updates at learning rates 0.01, 0.002, 0.0004; batches of 64; dropout
//! 0.1. Each row of a batch is drawn by first drawing its task: the expected loss
//! is then the one in which a task's rows weigh 1 / its row count.

use pulp::Simd;

use super::network::{Network, Noise};
use crate::random::RandomStream;
use crate::setting::Source;
use crate::table::encoding::Space;

const BATCH: usize = 64;
const DROPOUT: f64 = 0.1;
const UPDATES: usize = 1000;
const LEARNING_RATES: [f64; 3] = [0.01, 0.002, 0.0004];

/// Fits the network's weights to the sources.
pub fn fit(space: &Space, noise: Noise, sources: &[Source], random: &mut RandomStream) -> Vec<f32> {
    let network = Network::new(space.width(), noise);
    let mut weights = network.initial_weights(random);
    let mut gradient = vec![0.0; weights.len()];
    let mut adam = Adam::new(weights.len());
    let mut batch = network.batch(BATCH);
    let mut targets = [0.0; BATCH];
    let mut point = vec![0.0; space.width()];
    for rate in LEARNING_RATES {
        for _ in 0..UPDATES {
            let inputs = batch.inputs_mut().chunks_exact_mut(point.len());
            for (input, target) in inputs.zip(&mut targets) {
                let source = &sources[random.below(sources.len() as u32) as usize];
                let row = random.below(source.targets.len() as u32) as usize;
                space.encode(&source.task.columns, row, &mut point);
                for (single, &double) in input.iter_mut().zip(&point) {
                    *single = double as f32;
                }
                *target = source.targets[row] as f32;
            }
            batch.draw_dropout(DROPOUT, random);
            network.loss(&weights, &mut batch, &targets, &mut gradient);
            adam.update(&mut weights, &gradient, rate);
        }
    }
    weights
}

/// The optimiser's running moments.
struct Adam {
    first: Vec<f32>,
    second: Vec<f32>,
    updates: i32,
}

const FIRST_DECAY: f64 = 0.9;
const SECOND_DECAY: f64 = 0.999;
const EPSILON: f32 = 1e-8;

impl Adam {
    fn new(size: usize) -> Self {
        Self {
            first: vec![0.0; size],
            second: vec![0.0; size],
            updates: 0,
        }
    }

    fn update(&mut self, weights: &mut [f32], gradient: &[f32], rate: f64) {
        self.updates += 1;
        let first_bias = 1.0 - FIRST_DECAY.powi(self.updates);
        let second_bias = 1.0 - SECOND_DECAY.powi(self.updates);
        let step = Step {
            rate: (rate / first_bias) as f32,
            root_bias: second_bias.sqrt() as f32,
        };
        step_weights(weights, gradient, &mut self.first, &mut self.second, step);
    }
}

/// What is common to all weights in an update.
#[derive(Clone, Copy)]
struct Step {
    /// Learning rate over the bias of the first moment.
    rate: f32,
    /// Root of the bias of the second moment.
    root_bias: f32,
}

#[pulp::with_simd(step_weights = pulp::Arch::new())]
#[inline(always)]
fn step_weights_with<'a, S: Simd>(
    _simd: S,
    weights: &'a mut [f32],
    gradient: &'a [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    step: Step,
) {
    let (keep_first, keep_second) = (FIRST_DECAY as f32, SECOND_DECAY as f32);
    let moments = first.iter_mut().zip(second);
    for ((weight, &slope), (first, second)) in weights.iter_mut().zip(gradient).zip(moments) {
        *first = keep_first * *first + (1.0 - keep_first) * slope;
        *second = keep_second * *second + (1.0 - keep_second) * slope * slope;
        *weight -= step.rate * *first / (second.sqrt() / step.root_bias + EPSILON);
    }
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;
    use crate::prior::network::TRAINING;
    use crate::table::Task;
    use crate::table::encoding::Column;

    #[test]
    fn adam_takes_the_steps_of_a_hand_computation() {
        // Two steps on slopes 1 and 0.5: m = .1, .14; v = .001, .001249;
        // bias-corrected m/sqrt(v): 1 and .14/.19 / sqrt(.001249/.001999).
        let mut adam = Adam::new(1);
        let mut weights = [0.0];
        adam.update(&mut weights, &[1.0], 0.1);
        assert!((weights[0] + 0.1).abs() < 1e-6, "{weights:?}");
        adam.update(&mut weights, &[0.5], 0.1);
        let expected = -0.1 - 0.1 * (0.14 / 0.19) / (0.001_249_f32 / 0.001_999).sqrt();
        assert!(
            (weights[0] - expected).abs() < 1e-5,
            "{weights:?} {expected}"
        );
    }

    #[test]
    fn a_heteroscedastic_line_is_learned_and_small_tasks_count_as_much() {
        let space = Space::numeric(1);
        let mut random = RandomStream::new(TRAINING, Fingerprint([1; 16]), "t", 0);
        // Two tasks, z = 2 x - 1 plus and minus 0.5: mean 2 x - 1, sigma 0.5 for
        // tasks of equal weight, though one has ten times the rows.
        let tasks: Vec<Task> = [2000, 200]
            .map(|rows| Task {
                first_line: 2,
                name: rows.to_string(),
                objective: vec![0.0; rows],
                measurements: None,
                features: Vec::new(),
                columns: vec![Column::Numeric(
                    (0..rows).map(|_| random.uniform()).collect(),
                )],
            })
            .into();
        let targets: Vec<Vec<f64>> = tasks
            .iter()
            .zip([0.5, -0.5])
            .map(|(task, shift)| match &task.columns[0] {
                Column::Numeric(x) => x.iter().map(|x| 2.0 * x - 1.0 + shift).collect(),
                Column::Categorical(_) => unreachable!("the column is numeric"),
            })
            .collect();
        let sources: Vec<Source> = tasks
            .iter()
            .zip(&targets)
            .map(|(task, targets)| Source { task, targets })
            .collect();
        let noise = Noise::Heteroskedastic;
        let weights = fit(&space, noise, &sources, &mut random);
        for (x, (mean, std_dev)) in [0.1, 0.5, 0.9]
            .iter()
            .zip(Network::new(1, noise).predict(&weights, &[0.1, 0.5, 0.9]))
        {
            assert!((mean - (2.0 * x - 1.0)).abs() < 0.12, "{x}: {mean}");
            assert!((std_dev - 0.5).abs() < 0.12, "{x}: {std_dev}");
        }
    }
}
