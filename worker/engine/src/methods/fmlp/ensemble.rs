//! Several factorised networks, fitted to the sources from different weights with different batches: their mean and how far
//! they are apart.

use super::network::{Input, Network, weight_count};
use crate::adam::Adam;
use crate::error::EngineError;
use crate::random::{RandomStream, StreamName};
use crate::setting::{Setting, Source};
use crate::table::encoding::Space;
use crate::transform::Transform;

/// What draws initial weights and batches.
const FIT: StreamName = StreamName::new("fmlp", "initial weights and batches");

/// Raised whenever the fit changes.
const VERSION: u64 = 1;

const NETWORKS: usize = 5;
const UPDATES: usize = 1500;
const BATCH: usize = 64;
const LEARNING_RATE: f64 = 0.01;

/// Added to the variance of a prediction.
const LEAST_VARIANCE: f64 = 1e-3;

/// The inputs that stand for rows of tasks: the encoded configuration, the task's features, and an indicator of the task.
pub(super) struct Inputs {
    width: usize,
    /// The features of each source, then of the target.
    features: Vec<Vec<f64>>,
}

impl Inputs {
    /// For the sources of a setting.
    pub(super) fn new(setting: &Setting, sources: &[Source]) -> Self {
        let own = &setting.table().tasks[setting.target()].features;
        let features = sources.iter().map(|source| &source.task.features);
        Self {
            width: setting.space().width(),
            features: features.chain([own]).cloned().collect(),
        }
    }

    /// The position of the target among the tasks.
    pub(super) fn target(&self) -> usize {
        self.features.len() - 1
    }

    fn first_indicator(&self) -> usize {
        self.width + self.features[0].len()
    }

    /// Number of entries, and how many of them are not 0 at most.
    fn entries(&self) -> (usize, usize) {
        let first = self.first_indicator();
        (first + self.features.len(), first + 1)
    }

    /// The input of an encoded configuration on a task.
    pub(super) fn of(&self, point: &[f64], task: usize) -> Input {
        let dense = point.iter().chain(&self.features[task]).enumerate();
        let filled = dense.filter(|(_, value)| **value != 0.0);
        let filled = filled.map(|(entry, &value)| (entry, value as f32));
        filled
            .chain([(self.first_indicator() + task, 1.0)])
            .collect()
    }
}

/// The networks.
pub(super) struct Ensemble {
    networks: Vec<Network>,
    optimisers: Vec<Adam>,
    gradient: Vec<f32>,
}

impl Ensemble {
    /// Fitted to the sources of a setting, or found fitted. The indicator of the target, which no source has, gets the mean
    /// weights of theirs.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn of_sources(
        setting: &Setting,
        inputs: &Inputs,
        sources: &[Source],
    ) -> Result<Self, EngineError> {
        let (entries, filled) = inputs.entries();
        let count = weight_count(entries);
        let name = setting.fit_name("fmlp", VERSION, Transform::Standardisation);
        let weights = setting.shared().fit(&name, NETWORKS * count, || {
            let mut random = setting.random(FIT);
            let networks = (0..NETWORKS).flat_map(|_| {
                let mut network = Network::random(entries, filled, &mut random);
                fit(&mut network, setting.space(), inputs, sources, &mut random);
                let first = inputs.first_indicator();
                network.average_entries(first + inputs.target(), first..first + inputs.target());
                network.weights
            });
            Ok(networks.collect())
        })?;
        let networks = weights.chunks_exact(count);
        Ok(Self {
            networks: networks
                .map(|weights| Network {
                    weights: weights.to_vec(),
                })
                .collect(),
            optimisers: (0..NETWORKS).map(|_| Adam::new(count)).collect(),
            gradient: vec![0.0; count],
        })
    }

    /// One update of each network, each on a batch of its own.
    pub(super) fn update(&mut self, mut batch: impl FnMut() -> Vec<(Input, f32)>) {
        for (network, optimiser) in self.networks.iter_mut().zip(&mut self.optimisers) {
            network.gradient(&batch(), &mut self.gradient);
            optimiser.update(&mut network.weights, &self.gradient, LEARNING_RATE);
        }
    }

    /// Mean and standard deviation of the networks' outputs.
    pub(super) fn predict(&self, input: &Input) -> (f64, f64) {
        let outputs = self.networks.iter().map(|network| network.predict(input));
        let outputs: Vec<f64> = outputs.collect();
        let count = outputs.len() as f64;
        let mean = outputs.iter().sum::<f64>() / count;
        let squares = outputs
            .iter()
            .map(|output| (output - mean) * (output - mean));
        (mean, (squares.sum::<f64>() / count + LEAST_VARIANCE).sqrt())
    }
}

/// A random row of a random source as a sample.
pub(super) fn source_sample(
    space: &Space,
    inputs: &Inputs,
    sources: &[Source],
    random: &mut RandomStream,
) -> (Input, f32) {
    let task = random.below(sources.len() as u32) as usize;
    let row = random.below(sources[task].targets.len() as u32) as usize;
    let mut point = vec![0.0; space.width()];
    space.encode(&sources[task].task.columns, row, &mut point);
    (inputs.of(&point, task), sources[task].targets[row] as f32)
}

fn fit(
    network: &mut Network,
    space: &Space,
    inputs: &Inputs,
    sources: &[Source],
    random: &mut RandomStream,
) {
    let mut optimiser = Adam::new(network.weights.len());
    let mut gradient = vec![0.0; network.weights.len()];
    for _ in 0..UPDATES {
        let samples = (0..BATCH).map(|_| source_sample(space, inputs, sources, random));
        let batch: Vec<(Input, f32)> = samples.collect();
        network.gradient(&batch, &mut gradient);
        optimiser.update(&mut network.weights, &gradient, LEARNING_RATE);
    }
}
