//! The network of features: 3 layers of 50 hyperbolic tangents, the last of which
//! are the features (ICML 2020, appendix B).

use ndarray::Array2;

use crate::dense_layers::DenseLayers;
use crate::random::RandomStream;
use crate::special::hyperbolic::tanh;

/// Number of features.
pub(super) const FEATURES: usize = 50;

/// What is regressed on: the features and a constant.
pub(super) const REGRESSORS: usize = FEATURES + 1;

const LAYERS: usize = 3;

/// The regressors of rows of features: one row each, the constant last.
pub(super) fn regressors(features: &[f32]) -> Array2<f64> {
    Array2::from_shape_fn(
        (features.len() / FEATURES, REGRESSORS),
        |(row, column)| match column {
            FEATURES => 1.0,
            _ => f64::from(features[row * FEATURES + column]),
        },
    )
}

/// The network's shape.
pub(super) struct FeatureNetwork {
    layers: DenseLayers,
}

/// Activations and gradients for a fixed set of inputs.
pub(super) struct Activations {
    rows: usize,
    /// Inputs, then the outputs of each layer.
    activations: Vec<Vec<f32>>,
    gradients: Vec<Vec<f32>>,
}

impl Activations {
    /// The features of each input, row-major, after [`FeatureNetwork::evaluate`].
    pub(super) fn features(&self) -> &[f32] {
        &self.activations[LAYERS]
    }
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
    pub(super) fn activations(&self, inputs: Vec<f32>) -> Activations {
        let rows = inputs.len() / self.layers.inputs();
        let outputs = || {
            self.layers
                .outputs()
                .map(|outputs| vec![0.0; rows * outputs])
        };
        Activations {
            rows,
            activations: std::iter::once(inputs).chain(outputs()).collect(),
            gradients: outputs().collect(),
        }
    }

    /// Computes the features.
    pub(super) fn evaluate(&self, weights: &[f32], activations: &mut Activations) {
        let buffers = &mut activations.activations;
        let forward = |_, outputs: &mut [f32]| tanh(outputs);
        self.layers
            .forward(weights, activations.rows, buffers, forward);
    }

    /// From the slope by each feature, row-major, the gradient by all weights.
    pub(super) fn propagate(
        &self,
        weights: &[f32],
        activations: &mut Activations,
        slopes: impl Iterator<Item = f64>,
        gradient: &mut [f32],
    ) {
        let last = &mut activations.gradients[LAYERS - 1];
        for (entry, slope) in last.iter_mut().zip(slopes) {
            *entry = slope as f32;
        }
        through_tanh(&activations.activations[LAYERS], last);
        self.layers.backward(
            weights,
            activations.rows,
            &activations.activations,
            &mut activations.gradients,
            gradient,
            |_, units, slopes| through_tanh(units, slopes),
        );
    }
}

/// d tanh(x) / dx = 1 - tanh(x)^2.
fn through_tanh(units: &[f32], slopes: &mut [f32]) {
    for (slope, unit) in slopes.iter_mut().zip(units) {
        *slope *= 1.0 - unit * unit;
    }
}
