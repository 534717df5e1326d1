//! Expected improvement under the deep kernel, fine-tuned to what was observed.

use super::deep_kernel::{DeepKernel, FEATURES};
use crate::acquisition::expected_improvement::LogExpectedImprovement;
use crate::adam::Adam;
use crate::error::{EngineError, ImpossibleJob};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::strategies::least_prediction::LeastPrediction;
use crate::strategies::random_search::random_priority;
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::gaussian_process::GaussianProcess;
use crate::surrogate::hyperparameters::Hyperprior;
use crate::table::encoding::{Column, Space};
use crate::transform::Transform;

/// Steps of fine-tuning before each choice, and their learning rate.
const STEPS: usize = 20;
const LEARNING_RATE: f64 = 1e-3;

/// Observations below which the kernel stays as the sources made it: two values that are standardised say nothing.
const FEWEST: usize = 3;

/// After a row of another search: fine-tunes the kernel, beginning with what the sources taught, and takes the row of
/// greatest expected improvement.
pub(super) struct DeepKernelSearch {
    first: LeastPrediction,
    trained: Vec<f32>,
    width: usize,
    /// Encoded configurations of all rows, one after the other.
    inputs: Vec<f32>,
    /// The space of the features.
    features: Space,
    transform: Transform,
    /// Breaks ties of the acquisition: the row's place in a random order.
    priority: Vec<u32>,
}

impl DeepKernelSearch {
    /// With a kernel that was trained on the setting's sources.
    pub(super) fn new(
        setting: &Setting,
        first: LeastPrediction,
        trained: DeepKernel,
        transform: Transform,
    ) -> Self {
        Self {
            first,
            trained: trained.parameters,
            width: setting.space().width(),
            inputs: setting
                .space()
                .encode_single(setting.columns(), 0..setting.rows()),
            features: Space::numeric(FEATURES),
            transform,
            priority: random_priority(setting),
        }
    }

    /// The kernel after some steps on the observations.
    fn tune(&self, rows: &[u32], targets: &[f64]) -> Result<DeepKernel, EngineError> {
        let mut kernel = DeepKernel::with_parameters(self.width, self.trained.clone());
        if rows.len() < FEWEST {
            return Ok(kernel);
        }
        let input = |&row: &u32| {
            let first = row as usize * self.width;
            &self.inputs[first..first + self.width]
        };
        let inputs: Vec<f32> = rows.iter().flat_map(input).copied().collect();
        let mut adam = Adam::new(self.trained.len());
        let mut gradient = vec![0.0; self.trained.len()];
        for _ in 0..STEPS {
            kernel.loss(&inputs, targets, &mut gradient)?;
            adam.update(&mut kernel.parameters, &gradient, LEARNING_RATE);
        }
        Ok(kernel)
    }
}

impl Search for DeepKernelSearch {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        if observations.rows.is_empty() {
            return self.first.choose(observations);
        }
        let targets = observations.transformed(self.transform);
        let kernel = self.tune(&observations.rows, &targets)?;

        // The process on the features, which are as the coordinates of another space.
        let features = kernel.features(&self.inputs);
        let coordinate = |number: usize| {
            let of_rows = features.iter().skip(number).step_by(FEATURES);
            Column::Numeric(of_rows.map(|&feature| feature.into()).collect())
        };
        let columns: Vec<Column> = (0..FEATURES).map(coordinate).collect();
        let mut process = GaussianProcess::new(&self.features, targets.len(), Hyperprior::None);
        let mut point = vec![0.0; FEATURES];
        for &row in &observations.rows {
            self.features.encode(&columns, row as usize, &mut point);
            process.observe(&point);
        }
        let [lengthscale, signal, noise] = kernel.hyperparameters();
        let mut logarithms = vec![lengthscale; FEATURES];
        logarithms.extend([signal, noise]);
        process.condition_under(&logarithms, &targets)?;
        let rows = (0..self.priority.len() as u32).collect();
        let mut pool = CandidatePool::new(&self.features, &columns, rows);
        let incumbent = targets.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = process.posterior().signal.sqrt();
        let improvement = LogExpectedImprovement::new(incumbent, largest);
        let (evaluated, priority) = (&observations.evaluated, &self.priority);
        let row = pool.best_row(&process, &improvement, evaluated, priority);
        row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
    }
}

#[cfg(test)]
mod tests;
