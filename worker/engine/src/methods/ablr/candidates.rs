//! The best candidate of a pool under a Bayesian linear regression.
//!
//! Features are computed once per fit of the network, block by block. Under each regression [`super::bounds`] leaves few candidates, of
//! which alone the means and deviations in double precision are computed.

use super::bounds::{PredictionBounds, squared_lengths};
use super::evidence::{Regression, RegressionPosterior};
use super::features::{FEATURES, FeatureNetwork, REGRESSORS};
use crate::acquisition::function::Acquisition;
use crate::acquisition::maximisation::{BLOCK, BlockPredictions, Effort, Maximiser};
use crate::error::EngineError;
use crate::matrix_products::{Factor, Start, multiply};
use crate::setting::Setting;
use crate::table::encoding::{Column, Space};

/// Open candidates of a block from which on a tighter bound costs less than what it saves.
const LEAST_OPEN: usize = 8;

/// The features of a target's rows.
pub(super) struct FeaturePool<'a> {
    blocks: Blocks<'a>,
    /// How many of the observations the upper bounds take account of.
    accounted: usize,
    maximiser: Maximiser,
}

/// The features of each block, computed when the block is first bounded after a fit: they are in the cache then.
struct Blocks<'a> {
    space: &'a Space,
    /// The rows. Encoded ones would take far more memory.
    columns: &'a [Column],
    rows: usize,
    network: FeatureNetwork,
    weights: Vec<f32>,
    /// Whether the features of a block are those of the weights.
    are_current: Vec<bool>,
    /// The encoded rows of a block, coordinate by coordinate.
    inputs: Vec<f32>,
    /// Of each block, column-major: [`BLOCK`] rows by [`FEATURES`].
    features: Vec<f32>,
    /// Upper bounds on alpha s^2 of each row, alpha being the precision of the regression's weights and s the standard deviation:
    /// squared lengths of the regressors until something is observed.
    squares: Vec<f32>,
    /// Outputs of the network's layers for a block.
    buffers: [Vec<f32>; 2],
    open: OpenRows,
}

/// Buffers for the open rows of a block.
#[derive(Default)]
struct OpenRows {
    /// Their places, in a type that can name no place beyond a block: they are looked up without a check.
    places: Vec<u8>,
    /// Their regressors, regressor by regressor.
    single: Vec<f32>,
    double: Vec<f64>,
    /// Products in single precision.
    products: Vec<f32>,
    /// The inverse Cholesky factor times those, row by row. The length of a column is the deviation times the root of alpha.
    solved: Vec<f64>,
}

const _: () = assert!(BLOCK == u8::MAX as usize + 1, "a place is one byte");

impl OpenRows {
    /// Gathers the regressors of the rows at these places of a block's features.
    fn gather(&mut self, features: &[f32], places: &[usize]) {
        self.places.clear();
        self.places.extend(places.iter().map(|&place| place as u8));
        self.single.clear();
        for column in features.as_chunks::<BLOCK>().0 {
            let of_open = self.places.iter().map(|&place| column[usize::from(place)]);
            self.single.extend(of_open);
        }
        self.single.resize(REGRESSORS * places.len(), 1.0);
    }
}

impl<'a> FeaturePool<'a> {
    /// The pool of all rows of the target, without features until [`Self::update`].
    pub(super) fn new(setting: &Setting<'a>) -> Self {
        let (space, rows) = (setting.space(), setting.rows());
        let padded = rows.next_multiple_of(BLOCK);
        Self {
            blocks: Blocks {
                network: FeatureNetwork::new(space.width()),
                inputs: vec![0.0; BLOCK * space.width()],
                space,
                columns: setting.columns(),
                rows,
                weights: Vec::new(),
                are_current: vec![false; padded / BLOCK],
                features: vec![0.0; padded * FEATURES],
                squares: vec![0.0; padded],
                buffers: [Vec::new(), Vec::new()],
                open: OpenRows::default(),
            },
            accounted: 0,
            maximiser: Maximiser::new((0..rows as u32).collect()),
        }
    }

    /// Makes the features those at `point`, which begins with the weights.
    pub(super) fn update(&mut self, point: &[f64]) {
        let weights = &point[..self.blocks.network.layers.weight_count()];
        let rounded = weights.iter().map(|&weight| weight as f32);
        self.blocks.weights = rounded.collect();
        self.blocks.are_current.fill(false);
        self.accounted = 0;
    }

    /// An encoded row.
    pub(super) fn input(&self, row: usize) -> Vec<f32> {
        let Blocks { space, columns, .. } = &self.blocks;
        space.encode_single(columns, row..row + 1)
    }

    /// The features of some rows, at least one, which lie one after the other.
    pub(super) fn features(&self, rows: &[u32]) -> Vec<f32> {
        let inputs = rows.iter().flat_map(|&row| self.input(row as usize));
        let Blocks {
            network, weights, ..
        } = &self.blocks;
        let mut batch = network.layers.batch(inputs.collect());
        network.evaluate(weights, &mut batch).to_vec()
    }

    /// The row of greatest `acquisition` under the regression of observations with these features among those not
    /// `evaluated`; of equal ones the one of least `priority`. `None` if every row is
    /// evaluated. Until the next [`Self::update`] the precisions of the regression stay as they are, and observations are only added.
    ///
    /// # Errors
    /// Those of [`PredictionBounds::of_all`].
    pub(super) fn best_row(
        &mut self,
        (regression, posterior): (&Regression, &RegressionPosterior),
        observed: &[f32],
        acquisition: &impl Acquisition,
        evaluated: &[bool],
        priority: &[u32],
    ) -> Result<Option<u32>, EngineError> {
        let (observed, _) = observed.as_chunks();
        let bounds = self.bounds(regression, posterior, observed)?;
        self.accounted = observed.len();
        let mut predictions = RegressionPredictions {
            posterior,
            bounds: &bounds,
            blocks: &mut self.blocks,
            bounded: 0,
        };
        let maximiser = &mut self.maximiser;
        Ok(maximiser.best_row(&mut predictions, acquisition, evaluated, priority))
    }

    /// From the newest observation alone if what is known of alpha s^2 takes account of the others, else from all.
    fn bounds(
        &mut self,
        regression: &Regression,
        posterior: &RegressionPosterior,
        observed: &[[f32; FEATURES]],
    ) -> Result<PredictionBounds, EngineError> {
        if self.accounted > 0 {
            if let Some([newest]) = observed.get(self.accounted..) {
                let mut regressors = [1.0; REGRESSORS];
                for (entry, feature) in regressors.iter_mut().zip(newest) {
                    *entry = f64::from(*feature);
                }
                let bounds = PredictionBounds::of_newest(regression, posterior, &regressors);
                if let Some(bounds) = bounds {
                    return Ok(bounds);
                }
            }
            let blocks = self.blocks.features.chunks_exact(BLOCK * FEATURES);
            for (columns, lengths) in blocks.zip(self.blocks.squares.chunks_exact_mut(BLOCK)) {
                squared_lengths(columns, lengths);
            }
        }
        PredictionBounds::of_all(regression, posterior)
    }
}

impl Blocks<'_> {
    /// The features of the block from `first` on, and what is known of alpha s^2.
    fn of_block(&mut self, first: usize) -> (&[f32], &mut [f32], &mut OpenRows) {
        let features = &mut self.features[first * FEATURES..(first + BLOCK) * FEATURES];
        let squares = &mut self.squares[first..first + BLOCK];
        let is_current = &mut self.are_current[first / BLOCK];
        if !std::mem::replace(is_current, true) {
            let rows = first..self.rows.min(first + BLOCK);
            self.space
                .encode_by_coordinate(self.columns, rows, BLOCK, &mut self.inputs);
            self.network
                .evaluate_by_unit(&self.weights, &self.inputs, &mut self.buffers, features);
            squared_lengths(features, squares);
        }
        (features, squares, &mut self.open)
    }
}

struct RegressionPredictions<'a, 'b> {
    posterior: &'a RegressionPosterior,
    bounds: &'a PredictionBounds,
    blocks: &'a mut Blocks<'b>,
    /// Where the block last bounded begins.
    bounded: usize,
}

impl BlockPredictions for RegressionPredictions<'_, '_> {
    fn bound(&mut self, first: usize, means: &mut [f64], std_devs: &mut [f64]) {
        self.bounded = first;
        let (features, squares, _) = self.blocks.of_block(first);
        self.bounds.bound(features, squares, means, std_devs);
    }

    fn tighten(&mut self, effort: Effort, open: &[usize], std_devs: &mut [f64]) -> bool {
        if effort == Effort::Less || open.len() < LEAST_OPEN {
            return false;
        }
        let (features, squares, buffers) = self.blocks.of_block(self.bounded);
        buffers.gather(features, open);
        let (single, products) = (&buffers.single, &mut buffers.products);
        self.bounds
            .tighten(single, open, products, squares, std_devs);
        true
    }

    fn refine(&mut self, open: &[usize], means: &mut [f64]) {
        let weights = Factor::new(&self.posterior.weights, REGRESSORS);
        let (features, _, buffers) = self.blocks.of_block(self.bounded);
        buffers.gather(features, open);
        let OpenRows { single, double, .. } = buffers;
        double.clear();
        double.extend(single.iter().map(|entry| f64::from(*entry)));
        let regressors = Factor::new(double, open.len());
        let mut of_open = [0.0; BLOCK];
        let of_open = &mut of_open[..open.len()];
        multiply(weights, regressors, Start::Zero, of_open);
        for (&place, mean) in open.iter().zip(of_open) {
            means[place] = *mean;
        }
    }

    fn solve(&mut self, open: &[usize], std_devs: &mut [f64]) {
        let OpenRows { double, solved, .. } = &mut self.blocks.open;
        let root = self.posterior.elimination.inverse_factor();
        let regressors = Factor::new(double, open.len());
        solved.resize(REGRESSORS * open.len(), 0.0);
        multiply(root, regressors, Start::Zero, solved);
        std_devs.fill(0.0);
        for row in solved.chunks_exact(open.len()) {
            for (square, entry) in std_devs.iter_mut().zip(row) {
                *square += entry * entry;
            }
        }
        for entry in std_devs {
            *entry = (*entry / self.posterior.alpha).sqrt();
        }
    }
}
