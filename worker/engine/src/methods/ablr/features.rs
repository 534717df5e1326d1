//! The network of features: 3 layers of 50 hyperbolic tangents, the last of which
//! are the features (ICML 2020, appendix B).

use ndarray::Array2;

use crate::dense_layers::{Batch, DenseLayers};
use crate::random::{RandomStream, StreamName};
use crate::special::hyperbolic::tanh;

/// What the initial weights of the network are drawn from.
pub(super) const INITIAL_FEATURES: StreamName = StreamName::new("ablr", "initial features");

/// Number of features.
pub(super) const FEATURES: usize = 50;

/// What is regressed on: the features and a constant.
pub(super) const REGRESSORS: usize = FEATURES + 1;

const LAYERS: usize = 3;

/// The regressors of rows of features: one row each, the constant last.
pub(super) fn regressors(features: &[f32]) -> Array2<f64> {
    let mut rows = Array2::ones((features.len() / FEATURES, REGRESSORS));
    set_regressors(
        features,
        rows.as_slice_mut().expect("rows one after the other"),
    );
    rows
}

/// Writes features over all of `rows`, which lie one after the other, but their constants.
pub(super) fn set_regressors(features: &[f32], rows: &mut [f64]) {
    for (features, row) in features
        .chunks_exact(FEATURES)
        .zip(rows.chunks_exact_mut(REGRESSORS))
    {
        for (entry, feature) in row.iter_mut().zip(features) {
            *entry = f64::from(*feature);
        }
    }
}

/// The network's shape.
pub(super) struct FeatureNetwork {
    layers: DenseLayers,
}

impl FeatureNetwork {
    /// A network on inputs of `width` coordinates.
    pub(super) fn new(width: usize) -> Self {
        Self {
            layers: DenseLayers::new(width, &[FEATURES; LAYERS]),
        }
    }

    /// Number of weights and biases.
    pub(super) fn weight_count(&self) -> usize {
        self.layers.weight_count()
    }

    /// Initial weights and biases.
    pub(super) fn initial_weights(&self, random: &mut RandomStream) -> Vec<f32> {
        self.layers.initial_weights(random)
    }

    /// Buffers for these inputs, row-major.
    pub(super) fn batch(&self, inputs: Vec<f32>) -> Batch {
        self.layers.batch(inputs)
    }

    /// The features of each input, row-major.
    pub(super) fn evaluate<'a>(&self, weights: &[f32], batch: &'a mut Batch) -> &'a [f32] {
        let forward = |_, outputs: &mut [f32]| tanh(outputs);
        self.layers.forward(weights, batch, forward);
        &batch.activations[LAYERS]
    }

    /// From the slope by each regressor, row-major, times `share` the gradient by all weights.
    pub(super) fn propagate(
        &self,
        weights: &[f32],
        batch: &mut Batch,
        (slopes, share): (&[f64], f64),
        gradient: &mut [f32],
    ) {
        let last = &mut batch.gradients[LAYERS - 1];
        for (entries, slopes) in last
            .chunks_exact_mut(FEATURES)
            .zip(slopes.chunks_exact(REGRESSORS))
        {
            for (entry, slope) in entries.iter_mut().zip(slopes) {
                *entry = (share * slope) as f32;
            }
        }
        through_tanh(&batch.activations[LAYERS], last);
        let pass = |_, units: &[f32], slopes: &mut [f32]| through_tanh(units, slopes);
        self.layers.backward(weights, batch, gradient, pass);
    }
}

/// d tanh(x) / dx = 1 - tanh(x)^2.
fn through_tanh(units: &[f32], slopes: &mut [f32]) {
    for (slope, unit) in slopes.iter_mut().zip(units) {
        *slope *= 1.0 - unit * unit;
    }
}
