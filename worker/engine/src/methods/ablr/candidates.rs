//! The best candidate of a pool under a Bayesian linear regression.
//!
//! Features are computed once per fit of the network. Under each regression [`super::bounds`] leaves few candidates, of
//! which alone the means and deviations in double precision are computed.

use super::bounds::{PredictionBounds, squared_lengths};
use super::evidence::RegressionPosterior;
use super::features::{FEATURES, FeatureNetwork, REGRESSORS};
use crate::acquisition::function::Acquisition;
use crate::acquisition::maximisation::{BLOCK, BlockPredictions, Maximiser};
use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::dense_layers::Batch;
use crate::setting::Setting;

/// Rows of a block that are put side by side at a time, so that they stay in the cache.
const TILE: usize = 16;

/// The features of a target's rows.
pub(super) struct FeaturePool {
    /// Encoded rows, one after the other; zeros fill the last block up to [`BLOCK`] rows.
    inputs: Vec<f32>,
    /// Coordinates of an encoded row.
    width: usize,
    /// Of each block, column-major: [`BLOCK`] rows by [`FEATURES`].
    features: Vec<f32>,
    /// Squared lengths of the regressors of each row.
    lengths: Vec<f32>,
    maximiser: Maximiser,
    /// Buffers for a block of inputs.
    batch: Batch,
    /// Regressors of the open rows of a block, column-major.
    block: Vec<f64>,
}

impl FeaturePool {
    /// The pool of all rows of the target, without features until [`Self::update`].
    pub(super) fn new(setting: &Setting, network: &FeatureNetwork) -> Self {
        let (space, rows) = (setting.space(), setting.rows());
        let (width, padded) = (space.width(), rows.next_multiple_of(BLOCK));
        let mut inputs = space.encode_single(setting.columns(), 0..rows);
        inputs.resize(padded * width, 0.0);
        Self {
            inputs,
            width,
            features: vec![0.0; padded * FEATURES],
            lengths: vec![0.0; padded],
            maximiser: Maximiser::new((0..rows as u32).collect()),
            batch: network.batch(vec![0.0; BLOCK * width]),
            block: vec![1.0; BLOCK * REGRESSORS],
        }
    }

    /// Computes all features anew at `point`, which begins with the weights.
    pub(super) fn update(&mut self, network: &FeatureNetwork, point: &[f64]) {
        let weights = &point[..network.weight_count()];
        let weights: Vec<f32> = weights.iter().map(|&weight| weight as f32).collect();
        let blocks = self.inputs.chunks_exact(BLOCK * self.width);
        let columns = self.features.chunks_exact_mut(BLOCK * FEATURES);
        let lengths = self.lengths.chunks_exact_mut(BLOCK);
        for ((inputs, columns), lengths) in blocks.zip(columns).zip(lengths) {
            self.batch.set_inputs(inputs);
            let of_rows = network.evaluate(&weights, &mut self.batch);
            for (tile, of_rows) in of_rows.chunks_exact(TILE * FEATURES).enumerate() {
                for (feature, column) in columns.chunks_exact_mut(BLOCK).enumerate() {
                    let places = &mut column[tile * TILE..(tile + 1) * TILE];
                    for (place, row) in places.iter_mut().zip(of_rows.chunks_exact(FEATURES)) {
                        *place = row[feature];
                    }
                }
            }
            squared_lengths(columns, lengths);
        }
    }

    /// An encoded row.
    pub(super) fn input(&self, row: usize) -> &[f32] {
        &self.inputs[row * self.width..(row + 1) * self.width]
    }

    /// The features of a row.
    pub(super) fn features(&self, row: usize) -> impl Iterator<Item = f32> + '_ {
        let (block, place) = (row / BLOCK, row % BLOCK);
        let features = &self.features[block * BLOCK * FEATURES..];
        features
            .iter()
            .skip(place)
            .step_by(BLOCK)
            .take(FEATURES)
            .copied()
    }

    /// The row of greatest `acquisition` under the regression, which has these `bounds`, among those not
    /// `evaluated`; of equal ones the one of least `priority`. `None` if every row is
    /// evaluated.
    pub(super) fn best_row(
        &mut self,
        posterior: &RegressionPosterior,
        bounds: &PredictionBounds,
        acquisition: &impl Acquisition,
        evaluated: &[bool],
        priority: &[u32],
    ) -> Option<u32> {
        let mut predictions = RegressionPredictions {
            posterior,
            bounds,
            features: &self.features,
            lengths: &self.lengths,
            bounded: &[],
            block: &mut self.block,
        };
        self.maximiser
            .best_row(&mut predictions, acquisition, evaluated, priority)
    }
}

struct RegressionPredictions<'a> {
    posterior: &'a RegressionPosterior,
    bounds: &'a PredictionBounds,
    features: &'a [f32],
    lengths: &'a [f32],
    /// The features of the block last bounded.
    bounded: &'a [f32],
    block: &'a mut [f64],
}

impl BlockPredictions for RegressionPredictions<'_> {
    fn bound(&mut self, first: usize, means: &mut [f64], std_devs: &mut [f64]) {
        self.bounded = &self.features[first * FEATURES..(first + BLOCK) * FEATURES];
        let lengths = &self.lengths[first..first + BLOCK];
        self.bounds.bound(self.bounded, lengths, means, std_devs);
    }

    fn refine(&mut self, open: &[usize], means: &mut [f64]) {
        let columns = self.bounded.chunks_exact(BLOCK);
        for (entries, features) in self.block.chunks_exact_mut(BLOCK).zip(columns) {
            for (entry, &place) in entries.iter_mut().zip(open) {
                *entry = f64::from(features[place]);
            }
        }
        self.block[FEATURES * BLOCK..].fill(1.0);
        let weights = self.posterior.weights.as_slice().expect("a vector");
        let block = MatrixRef::new(self.block, open.len(), REGRESSORS, BLOCK);
        let mut of_open = [0.0; BLOCK];
        blas::multiply_vector(block, weights, &mut of_open);
        for (&place, mean) in open.iter().zip(of_open) {
            means[place] = mean;
        }
    }

    fn solve(&mut self, open: &[usize], std_devs: &mut [f64]) {
        let factor = MatrixRef::square(&self.posterior.factor, REGRESSORS, REGRESSORS);
        let block = MatrixMut::new(self.block, open.len(), REGRESSORS, BLOCK);
        blas::solve_triangular(Triangular::Rows, factor, block);
        std_devs.fill(0.0);
        for column in self.block.chunks_exact(BLOCK) {
            for (square, entry) in std_devs.iter_mut().zip(column) {
                *square += entry * entry;
            }
        }
        for entry in std_devs {
            *entry = (*entry / self.posterior.alpha).sqrt();
        }
    }
}
