//! The network of features: 3 layers of 50 hyperbolic tangents, the last of which
//! are the features (ICML 2020, appendix B).

use pulp::Simd;

use crate::dense_layers::{Batch, DenseLayers};
use crate::random::StreamName;
use crate::special::hyperbolic::tanh;

/// What the initial weights of the network are drawn from.
pub(super) const INITIAL_FEATURES: StreamName = StreamName::new("ablr", "initial features");

/// Number of features.
pub(super) const FEATURES: usize = 50;

/// What is regressed on: the features and a constant.
pub(super) const REGRESSORS: usize = FEATURES + 1;

const LAYERS: usize = 3;

/// Entries of a row of a design: the regressors, the constant last, then the target.
pub(super) const DESIGN: usize = REGRESSORS + 1;

/// The design of rows of features and their targets.
pub(super) fn design(features: &[f32], targets: &[f64]) -> Vec<f64> {
    let mut rows = vec![1.0; targets.len() * DESIGN];
    fill_design(features, targets, &mut rows);
    rows
}

/// Writes features and targets over all of a design but its constants.
#[pulp::with_simd(fill_design = pulp::Arch::new())]
#[inline(always)]
pub(super) fn fill_design_with<S: Simd>(
    _simd: S,
    features: &[f32],
    targets: &[f64],
    rows: &mut [f64],
) {
    let (features, _) = features.as_chunks::<FEATURES>();
    let (rows, _) = rows.as_chunks_mut::<DESIGN>();
    for ((features, target), row) in features.iter().zip(targets).zip(rows) {
        for (entry, feature) in row.iter_mut().zip(features) {
            *entry = f64::from(*feature);
        }
        row[REGRESSORS] = *target;
    }
}

/// The network's shape.
#[derive(Clone)]
pub(super) struct FeatureNetwork {
    /// Its layers.
    pub layers: DenseLayers,
}

impl FeatureNetwork {
    /// A network on inputs of `width` coordinates.
    pub(super) fn new(width: usize) -> Self {
        Self {
            layers: DenseLayers::new(width, &[FEATURES; LAYERS]),
        }
    }

    /// The features of each input, row-major.
    pub(super) fn evaluate<'a>(&self, weights: &[f32], batch: &'a mut Batch) -> &'a [f32] {
        self.layers.forward(weights, batch, activate);
        &batch.activations[LAYERS]
    }

    /// The features of inputs that lie coordinate by coordinate, feature by feature.
    pub(super) fn evaluate_by_unit(
        &self,
        weights: &[f32],
        inputs: &[f32],
        buffers: &mut [Vec<f32>; 2],
        features: &mut [f32],
    ) {
        self.layers
            .forward_by_unit(weights, inputs, buffers, features, activate);
    }

    /// From the slope by each feature, row-major, the gradient by all weights.
    pub(super) fn propagate(
        &self,
        weights: &[f32],
        batch: &mut Batch,
        slopes: &[f64],
        gradient: &mut [f32],
    ) {
        let last = &mut batch.gradients[LAYERS - 1];
        round(slopes, last);
        through_tanh(&batch.activations[LAYERS], last);
        let pass = |_, units: &[f32], slopes: &mut [f32]| through_tanh(units, slopes);
        self.layers.backward(weights, batch, gradient, pass);
    }
}

/// All layers have the same units.
fn activate(_layer: usize, outputs: &mut [f32]) {
    tanh(outputs);
}

#[pulp::with_simd(round = pulp::Arch::new())]
#[inline(always)]
fn round_with<S: Simd>(_simd: S, exact: &[f64], rounded: &mut [f32]) {
    for (rounded, exact) in rounded.iter_mut().zip(exact) {
        *rounded = *exact as f32;
    }
}

/// d tanh(x) / dx = 1 - tanh(x)^2.
#[pulp::with_simd(through_tanh = pulp::Arch::new())]
#[inline(always)]
fn through_tanh_with<S: Simd>(_simd: S, units: &[f32], slopes: &mut [f32]) {
    for (slope, unit) in slopes.iter_mut().zip(units) {
        *slope *= 1.0 - unit * unit;
    }
}
