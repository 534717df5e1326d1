//! The choice of each row by a Gaussian process on the scores of a ranker.

use super::inputs::{Inputs, Landmarks, RankerKernel};
use super::ranker::Ranker;
use crate::error::EngineError;
use crate::random::StreamName;
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::sources::coupled::points::{Coupling, SourcePoints};
use crate::sources::coupled::prior::CoupledPrior;
use crate::strategies::greatest_improvement::greatest_improvement;
use crate::strategies::random_search::{random_order, random_priority};
use crate::surrogate::hyperparameters::Hyperprior;
use crate::surrogate::prior_pool::PriorPool;
use crate::transform::Transform;

const PAIRS: StreamName = StreamName::new("scot", "pairs of rows");

/// Landmarks of the ranker's kernel, at most: rows of the sources, and as many of the target, which no source may be like.
const LANDMARKS_OF_EACH: usize = 100;

/// Ranks all rows anew after each observation and takes the row of greatest expected improvement of the score.
pub(super) struct CollaborativeTuning {
    ranker: Ranker,
    /// What the ranker sees of the target's rows.
    inputs: Inputs,
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
    fn new(mut of_points: Vec<f64>) -> Self {
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
    /// With a ranker of the sources, and a process whose hyperparameters are fitted to its first scores.
    ///
    /// # Errors
    /// Those of [`Setting::sources`] and of the fits.
    pub(super) fn new(
        setting: &Setting,
        kernel: RankerKernel,
        coupling: Coupling,
        hyperprior: Hyperprior,
    ) -> Result<Self, EngineError> {
        let points = SourcePoints::new(setting, Transform::Standardisation, coupling)?;
        let (sources, inputs) = inputs(setting, kernel, &points)?;
        let mut random = setting.random(PAIRS);
        let mut ranker = Ranker::new(sources, &points.tasks, &points.targets, &mut random);
        ranker.fit(&inputs.of_rows(&[]), &[])?;
        let scores = Scores::new(ranker.source_scores()).of_points;
        let kind = match kernel {
            RankerKernel::SquaredExponential => "collaborative-process",
            RankerKernel::Linear => "collaborative-process of a linear ranker",
        };
        let prior = CoupledPrior::new(setting, kind, coupling, hyperprior, &points, &scores)?;
        let noise = prior.noise();
        Ok(Self {
            ranker,
            inputs,
            pool: PriorPool::new(prior, noise),
            priority: random_priority(setting),
        })
    }
}

/// What the ranker sees of the rows of the sources and of those of the target.
fn inputs(
    setting: &Setting,
    kernel: RankerKernel,
    points: &SourcePoints,
) -> Result<(Inputs, Inputs), EngineError> {
    let width = setting.space().width();
    let rows = setting.points();
    match kernel {
        RankerKernel::Linear => Ok((
            Inputs::coordinates(&points.points, width),
            Inputs::coordinates(&rows, width),
        )),
        RankerKernel::SquaredExponential => {
            let described = |point: &[f64], task: usize| [point, &points.features[task]].concat();
            let of_sources = points.points.chunks_exact(width).zip(&points.tasks);
            let of_sources: Vec<f64> = of_sources
                .flat_map(|(point, &task)| described(point, task))
                .collect();
            let target = points.features.len() - 1;
            let of_target: Vec<f64> = rows
                .chunks_exact(width)
                .flat_map(|point| described(point, target))
                .collect();
            let whole = width + points.features[target].len();
            let mut landmarks: Vec<f64> = of_sources
                .chunks_exact(whole)
                .take(LANDMARKS_OF_EACH)
                .flatten()
                .copied()
                .collect();
            for row in random_order(setting).into_iter().take(LANDMARKS_OF_EACH) {
                let first = row as usize * whole;
                landmarks.extend_from_slice(&of_target[first..first + whole]);
            }
            let landmarks = Landmarks::new(landmarks, whole)?;
            Ok((landmarks.inputs(&of_sources), landmarks.inputs(&of_target)))
        }
    }
}

impl Search for CollaborativeTuning {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        for &row in &observations.rows[self.pool.count()..] {
            self.pool.observe(row as usize);
        }
        let evaluated = self.inputs.of_rows(&observations.rows);
        let values = observations.comparable(Transform::Standardisation);
        self.ranker.fit(&evaluated, &values)?;
        let scores = Scores::new(self.ranker.source_scores());
        self.pool.prior_mut().set_values(&scores.of_points);
        let scored = self.ranker.scores(&evaluated).into_iter();
        let values = scored.map(|score| (score - scores.mean) / scores.std_dev);
        let values: Vec<f64> = values.collect();
        let means = self.pool.means(&values);
        greatest_improvement(observations, &values, &self.priority, |row| {
            (means[row], self.pool.std_dev(row))
        })
    }
}
