//! The choice of each row by a Gaussian process on the scores of a ranker.

use super::ranker::Ranker;
use crate::error::EngineError;
use crate::random::StreamName;
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::sources::coupled::points::{Coupling, SourcePoints};
use crate::sources::coupled::prior::CoupledPrior;
use crate::sources::sample::SourceSample;
use crate::strategies::greatest_improvement::greatest_improvement;
use crate::strategies::random_search::random_priority;
use crate::surrogate::hyperparameters::Hyperprior;
use crate::surrogate::prior_pool::PriorPool;
use crate::transform::Transform;

const PAIRS: StreamName = StreamName::new("scot", "pairs of rows");

/// Rows of a source that are ranked, at most: 2000 pairs are drawn from theirs.
const RANKED_ROWS: usize = 300;

/// Ranks all rows anew after each observation and takes the row of greatest expected improvement of the score.
pub(super) struct CollaborativeTuning {
    ranker: Ranker,
    points: SourcePoints,
    width: usize,
    /// The encoded rows of the target, one after the other.
    rows: Vec<f64>,
    pool: PriorPool<CoupledPrior>,
    /// Breaks ties of the acquisition: the row's place in a random order.
    priority: Vec<u32>,
}

/// The scores of the sources' rows, with the mean taken off and divided by the standard deviation.
struct Scores {
    of_points: Vec<f64>,
    mean: f64,
    std_dev: f64,
}

impl Scores {
    fn new(ranker: &Ranker, points: &SourcePoints, width: usize) -> Self {
        let points = points.points.chunks_exact(width);
        let mut of_points: Vec<f64> = points.map(|point| ranker.score(point)).collect();
        let count = of_points.len() as f64;
        let mean = of_points.iter().sum::<f64>() / count;
        let squares = of_points
            .iter()
            .map(|score| (score - mean) * (score - mean));
        let std_dev = (squares.sum::<f64>() / count).sqrt();
        // Without any pair all scores are 0.
        let std_dev = if std_dev > 0.0 { std_dev } else { 1.0 };
        for score in &mut of_points {
            *score = (*score - mean) / std_dev;
        }
        Self {
            of_points,
            mean,
            std_dev,
        }
    }
}

impl CollaborativeTuning {
    /// With a ranker of all sources, and a process whose hyperparameters are fitted to its first scores.
    ///
    /// # Errors
    /// Those of [`Setting::sources`] and of the fits.
    pub(super) fn new(
        setting: &Setting,
        coupling: Coupling,
        hyperprior: Hyperprior,
    ) -> Result<Self, EngineError> {
        let transform = Transform::Standardisation;
        let width = setting.space().width();
        let mut ranker = Ranker::new(width);
        for source in setting.sources(transform)?.iter() {
            let sample = SourceSample::new(setting, source, RANKED_ROWS);
            let mut random = setting.random_of_task(PAIRS, source.task);
            ranker.add_source(&sample.points, &sample.targets, &mut random);
        }
        ranker.fit(&[], &[])?;
        let points = SourcePoints::new(setting, transform, coupling)?;
        let scores = Scores::new(&ranker, &points, width).of_points;
        let kind = "collaborative-process";
        let prior = CoupledPrior::new(setting, kind, coupling, hyperprior, &points, &scores)?;
        let noise = prior.noise();
        let mut rows = vec![0.0; width * setting.rows()];
        for (row, point) in rows.chunks_exact_mut(width).enumerate() {
            setting.space().encode(setting.columns(), row, point);
        }
        Ok(Self {
            ranker,
            points,
            width,
            rows,
            pool: PriorPool::new(prior, noise),
            priority: random_priority(setting),
        })
    }

    fn row(&self, row: u32) -> &[f64] {
        let first = row as usize * self.width;
        &self.rows[first..first + self.width]
    }
}

impl Search for CollaborativeTuning {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        for &row in &observations.rows[self.pool.count()..] {
            self.pool.observe(row as usize);
        }
        let evaluated: Vec<f64> = observations
            .rows
            .iter()
            .flat_map(|&row| self.row(row))
            .copied()
            .collect();
        self.ranker.fit(&evaluated, &observations.values)?;
        let scores = Scores::new(&self.ranker, &self.points, self.width);
        self.pool.prior_mut().set_values(&scores.of_points);
        let score = |point: &[f64]| (self.ranker.score(point) - scores.mean) / scores.std_dev;
        let values: Vec<f64> = evaluated.chunks_exact(self.width).map(score).collect();
        let means = self.pool.means(&values);
        greatest_improvement(observations, &values, &self.priority, |row| {
            (means[row], self.pool.std_dev(row))
        })
    }
}
