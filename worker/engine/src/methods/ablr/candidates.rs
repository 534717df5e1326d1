//! The best candidate of a pool under a Bayesian linear regression.

use super::evidence::RegressionPosterior;
use super::features::{FEATURES, FeatureNetwork, REGRESSORS};
use crate::acquisition::function::Acquisition;
use crate::acquisition::maximisation::{BLOCK, BlockPredictions, Maximiser, keep_rows};
use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::dense_layers::Batch;
use crate::setting::Setting;

/// The features of a target's rows.
pub(super) struct FeaturePool {
    /// Encoded rows, one after the other; zeros fill the last block up to [`BLOCK`] rows.
    inputs: Vec<f32>,
    /// Coordinates of an encoded row.
    width: usize,
    /// Of each block, column-major: [`BLOCK`] rows by [`FEATURES`].
    features: Vec<f32>,
    maximiser: Maximiser,
    /// Buffers for a block of inputs.
    batch: Batch,
    /// Regressors of a block, column-major.
    block: Vec<f64>,
}

impl FeaturePool {
    /// The pool of all rows of the target, with their features at `point`, which begins with the weights.
    pub(super) fn new(setting: &Setting, network: &FeatureNetwork, point: &[f64]) -> Self {
        let (space, rows) = (setting.space(), setting.rows());
        let (width, padded) = (space.width(), rows.next_multiple_of(BLOCK));
        let mut inputs = space.encode_single(setting.columns(), 0..rows);
        inputs.resize(padded * width, 0.0);
        let mut pool = Self {
            inputs,
            width,
            features: vec![0.0; padded * FEATURES],
            maximiser: Maximiser::new((0..rows as u32).collect()),
            batch: network.batch(vec![0.0; BLOCK * width]),
            block: vec![1.0; BLOCK * REGRESSORS],
        };
        pool.update(network, point);
        pool
    }

    /// Computes all features anew at `point`, which begins with the weights.
    pub(super) fn update(&mut self, network: &FeatureNetwork, point: &[f64]) {
        let weights = &point[..network.weight_count()];
        let weights: Vec<f32> = weights.iter().map(|&weight| weight as f32).collect();
        let blocks = self.inputs.chunks_exact(BLOCK * self.width);
        let columns = self.features.chunks_exact_mut(BLOCK * FEATURES);
        for (inputs, columns) in blocks.zip(columns) {
            self.batch.activations[0].copy_from_slice(inputs);
            let of_rows = network.evaluate(&weights, &mut self.batch);
            for (place, row) in of_rows.chunks_exact(FEATURES).enumerate() {
                for (feature, value) in row.iter().enumerate() {
                    columns[feature * BLOCK + place] = *value;
                }
            }
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

    /// The greatest standard deviation that a row can have under a regression: without
    /// observations it is |regressors| / sqrt(alpha), none of which exceeds 1.
    pub(super) fn largest_std_dev(posterior: &RegressionPosterior) -> f64 {
        (REGRESSORS as f64 / posterior.alpha).sqrt()
    }

    /// The row of greatest `acquisition` under the regression among those not
    /// `evaluated`; of equal ones the one of least `priority`. `None` if every row is
    /// evaluated.
    pub(super) fn best_row(
        &mut self,
        posterior: &RegressionPosterior,
        acquisition: &impl Acquisition,
        evaluated: &[bool],
        priority: &[u32],
    ) -> Option<u32> {
        let mut predictions = RegressionPredictions {
            posterior,
            features: &self.features,
            block: &mut self.block,
        };
        self.maximiser
            .best_row(&mut predictions, acquisition, evaluated, priority)
    }
}

struct RegressionPredictions<'a> {
    posterior: &'a RegressionPosterior,
    features: &'a [f32],
    block: &'a mut [f64],
}

impl BlockPredictions for RegressionPredictions<'_> {
    fn bound(&mut self, first: usize, means: &mut [f64], bounds: &mut [f64]) {
        let features = &self.features[first * FEATURES..(first + BLOCK) * FEATURES];
        for (entry, feature) in self.block.iter_mut().zip(features) {
            *entry = f64::from(*feature);
        }
        self.block[FEATURES * BLOCK..].fill(1.0);
        bounds.fill(0.0);
        for column in self.block.chunks_exact(BLOCK) {
            for (square, entry) in bounds.iter_mut().zip(column) {
                *square += entry * entry;
            }
        }
        for bound in bounds {
            // A little above, as the standard deviation itself is rounded.
            *bound = (1.0 + 1e-9) * (*bound / self.posterior.alpha).sqrt();
        }
        let weights = self.posterior.weights.as_slice().expect("a vector");
        let block = MatrixRef::new(self.block, means.len(), REGRESSORS, BLOCK);
        blas::multiply_vector(block, weights, means);
    }

    fn solve(&mut self, open: &[usize], std_devs: &mut [f64]) {
        keep_rows(self.block, open);
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
