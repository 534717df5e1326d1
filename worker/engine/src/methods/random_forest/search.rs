//! Expected improvement under a random forest.

use super::tree::{Growth, Sample, Tree};
use crate::error::EngineError;
use crate::random::{RandomStream, StreamName};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::strategies::greatest_improvement::greatest_improvement;
use crate::strategies::random_search::random_priority;
use crate::table::encoding::Column;
use crate::transform::Transform;

const GROWTH: StreamName = StreamName::new("random forest", "bootstrap, columns and thresholds");

/// The share of the hyperparameters that a node tries, as in SMAC3.
const TRIED: (usize, usize) = (5, 6);

/// The least variance of a prediction.
const LEAST_VARIANCE: f64 = 1e-6;

/// After some rows of another search: grows a forest on all observations and takes the row of greatest expected
/// improvement.
pub(super) struct ForestSearch<'a> {
    initial: Box<dyn Search + 'a>,
    initial_evaluations: usize,
    columns: &'a [Column],
    trees: usize,
    growth: Growth,
    random: RandomStream,
    /// Breaks ties of the acquisition: the row's place in a random order.
    priority: Vec<u32>,
}

impl<'a> ForestSearch<'a> {
    /// Takes the first `initial_evaluations` rows, at least 1, from `initial`.
    pub(super) fn new(
        setting: &Setting<'a>,
        initial: Box<dyn Search + 'a>,
        initial_evaluations: usize,
        trees: usize,
        least_leaf: usize,
    ) -> Self {
        let columns = setting.columns();
        Self {
            initial,
            initial_evaluations,
            columns,
            trees,
            growth: Growth {
                tried: (columns.len() * TRIED.0).div_ceil(TRIED.1),
                least_leaf,
            },
            random: setting.random(GROWTH),
            priority: random_priority(setting),
        }
    }

    fn grow(&mut self, samples: &[Sample]) -> Vec<Tree> {
        let count = samples.len() as u32;
        let tree = |_| {
            let drawn = (0..count).map(|_| samples[self.random.below(count) as usize]);
            let drawn = drawn.collect();
            Tree::grow(self.columns, drawn, self.growth, &mut self.random)
        };
        (0..self.trees).map(tree).collect()
    }
}

/// Mean and standard deviation at a row by the law of total variance: the mean of the leaves' means; the variance of those
/// means plus the mean of the leaves' variances.
fn prediction(trees: &[Tree], columns: &[Column], row: usize) -> (f64, f64) {
    let count = trees.len() as f64;
    let (mut sum, mut squares, mut within) = (0.0, 0.0, 0.0);
    for leaf in trees.iter().map(|tree| tree.leaf(columns, row)) {
        sum += leaf.mean;
        squares += leaf.mean * leaf.mean;
        within += leaf.variance;
    }
    let mean = sum / count;
    let among = (squares / count - mean * mean).max(0.0);
    (mean, (among + within / count).max(LEAST_VARIANCE).sqrt())
}

impl Search for ForestSearch<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        if observations.rows.len() < self.initial_evaluations {
            return self.initial.choose(observations);
        }
        let values = observations.transformed(Transform::Standardisation);
        let rows = observations.rows.iter().copied();
        let samples: Vec<Sample> = rows.zip(values.iter().copied()).collect();
        let trees = self.grow(&samples);
        greatest_improvement(observations, &values, &self.priority, |row| {
            prediction(&trees, self.columns, row)
        })
    }
}
