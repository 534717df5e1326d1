//! The best candidate of a pool under a Bayesian linear regression.

use super::evidence::RegressionPosterior;
use super::features::{FEATURES, REGRESSORS};
use super::training::FittedFeatures;
use crate::acquisition::Acquisition;
use crate::acquisition::maximisation::{BLOCK, BlockPredictions, Maximiser};
use crate::blas;
use crate::setting::Setting;

/// Rows whose features are computed at a time.
const FEATURE_ROWS: usize = 1024;

/// The features of a target's rows.
pub struct FeaturePool {
    /// Row-major.
    features: Vec<f32>,
    maximiser: Maximiser,
    /// Regressors of a block, column-major.
    block: Vec<f64>,
}

impl FeaturePool {
    /// Computes the features of all rows of the target.
    pub fn new(setting: &Setting, fitted: &FittedFeatures) -> Self {
        let (space, rows) = (setting.space(), setting.rows());
        let mut features = Vec::with_capacity(rows * FEATURES);
        let mut point = vec![0.0; space.width()];
        for first in (0..rows).step_by(FEATURE_ROWS) {
            let mut inputs = Vec::with_capacity(FEATURE_ROWS * point.len());
            for row in first..rows.min(first + FEATURE_ROWS) {
                space.encode(setting.columns(), row, &mut point);
                inputs.extend(point.iter().map(|&coordinate| coordinate as f32));
            }
            let mut activations = fitted.network.activations(inputs);
            fitted.network.evaluate(&fitted.weights, &mut activations);
            features.extend_from_slice(activations.features());
        }
        Self {
            features,
            maximiser: Maximiser::new((0..rows as u32).collect()),
            block: vec![1.0; BLOCK * REGRESSORS],
        }
    }

    /// The features of a row.
    pub fn features(&self, row: usize) -> &[f32] {
        &self.features[row * FEATURES..(row + 1) * FEATURES]
    }

    /// The greatest deviation that a row can have under a regression: without
    /// observations it is |regressors| / sqrt(alpha), none of which exceeds 1.
    pub fn largest_deviation(posterior: &RegressionPosterior) -> f64 {
        (REGRESSORS as f64 / posterior.alpha).sqrt()
    }

    /// The row of greatest `acquisition` under the regression among those not
    /// `evaluated`; of equal ones the one of least `priority`. `None` if every row is
    /// evaluated.
    pub fn best_row(
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
        let rows = self.features.chunks_exact(FEATURES).skip(first);
        for (place, (row, bound)) in rows.zip(bounds.iter_mut()).enumerate() {
            let mut square = 1.0;
            for (column, &feature) in row.iter().enumerate() {
                let feature = f64::from(feature);
                self.block[column * BLOCK + place] = feature;
                square += feature * feature;
            }
            // A little above, as the deviation itself is rounded.
            *bound = (1.0 + 1e-9) * (square / self.posterior.alpha).sqrt();
        }
        self.block[FEATURES * BLOCK..].fill(1.0);
        let weights = self.posterior.weights.as_slice().expect("a vector");
        blas::multiply_vector(self.block, means.len(), REGRESSORS, BLOCK, weights, means);
    }

    fn solve(&mut self, open: &[usize], deviations: &mut [f64]) {
        for column in self.block.chunks_exact_mut(BLOCK) {
            for (to, &from) in open.iter().enumerate() {
                column[to] = column[from];
            }
        }
        let factor = &self.posterior.factor;
        blas::solve_rows(
            factor,
            REGRESSORS,
            REGRESSORS,
            self.block,
            open.len(),
            BLOCK,
        );
        deviations.fill(0.0);
        for column in self.block.chunks_exact(BLOCK) {
            for (square, entry) in deviations.iter_mut().zip(column) {
                *square += entry * entry;
            }
        }
        for entry in deviations {
            *entry = (*entry / self.posterior.alpha).sqrt();
        }
    }
}
