//! Bayesian optimisation of two objectives: the steps that all acquisition functions share.

use super::criterion::{Criterion, Situation, drawn};
use crate::acquisition::front::{Front, Prediction};
use crate::error::{EngineError, ImpossibleJob};
use crate::random::{RandomStream, StreamName};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::special::bivariate_normal::BivariateNormal;
use crate::strategies::bayesian_optimisation::INITIAL;
use crate::strategies::random_search::{RandomSearch, random_priority};
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::gaussian_process::GaussianProcess;
use crate::surrogate::hyperparameters::Hyperprior;
use crate::table::encoding::{Column, Space};
use crate::transform::Transform;

/// What draws the rows that are scored, and those that the excursion volume is averaged over. The methods share it.
const ROWS: StreamName = StreamName::new("pareto front", "candidates and integration rows");

/// Least standard deviation of a prediction.
const LEAST_STD_DEV: f64 = 1e-6;

/// How far beyond the largest observation the reference point lies, as a share of the observed range: a search does not
/// know the largest values of the table.
const MARGIN: f64 = 0.1;

/// After [`INITIAL`] random rows: fits a process to each of the standardised objectives and takes the row that a
/// criterion finds best.
pub(super) struct FrontSearch<'a> {
    initial: RandomSearch,
    space: &'a Space,
    columns: &'a [Column],
    processes: [GaussianProcess; 2],
    pool: CandidatePool,
    /// Breaks ties: the row's place in a random order.
    priority: Vec<u32>,
    criterion: Criterion,
    /// How many rows are scored; all if there is no limit.
    candidates: Option<usize>,
    iterations: usize,
    random: RandomStream,
    distribution: BivariateNormal,
}

impl<'a> FrontSearch<'a> {
    /// On a setting with two objectives.
    pub(super) fn new(
        setting: &Setting<'a>,
        hyperprior: Hyperprior,
        criterion: Criterion,
        candidates: Option<usize>,
    ) -> Self {
        let (space, columns) = (setting.space(), setting.columns());
        let process = || GaussianProcess::new(space, setting.iterations, hyperprior);
        Self {
            initial: RandomSearch::new(setting),
            space,
            columns,
            processes: [process(), process()],
            pool: CandidatePool::new(space, columns, (0..setting.rows() as u32).collect()),
            priority: random_priority(setting),
            criterion,
            candidates,
            iterations: setting.iterations,
            random: setting.random(ROWS),
            distribution: BivariateNormal::new(),
        }
    }

    /// Fits each process to its standardised objective, and gives these.
    fn fit(&mut self, observations: &Observations) -> Result<[Vec<f64>; 2], EngineError> {
        let mut point = vec![0.0; self.space.width()];
        let mut targets = [Vec::new(), Vec::new()];
        let objectives = observations.objectives();
        let processes = self.processes.iter_mut().zip(&mut targets);
        for ((process, targets), objective) in processes.zip(objectives) {
            for &row in &observations.rows[process.count()..] {
                self.space.encode(self.columns, row as usize, &mut point);
                process.observe(&point);
            }
            *targets = Transform::Standardisation.average(&[objective]);
            process.fit(targets)?;
        }
        Ok(targets)
    }

    /// The predictions of both processes for every row.
    fn predictions(&mut self) -> Result<Vec<Prediction>, EngineError> {
        let mut of_objectives = Vec::new();
        for process in &self.processes {
            let (posterior, points) = (process.posterior(), process.points());
            let means = self.pool.means(posterior, points);
            of_objectives.push((means, self.pool.std_devs(posterior, points)?));
        }
        let [first, second] = [&of_objectives[0], &of_objectives[1]];
        let prediction = |row: usize| Prediction {
            means: [first.0[row], second.0[row]],
            std_devs: [first.1[row], second.1[row]].map(|std_dev| std_dev.max(LEAST_STD_DEV)),
        };
        Ok((0..first.0.len()).map(prediction).collect())
    }

    /// The rows that are scored, ascending.
    fn open(&mut self, observations: &Observations) -> Vec<u32> {
        let rows = 0..self.priority.len() as u32;
        let open: Vec<u32> = rows
            .filter(|&row| !observations.evaluated[row as usize])
            .collect();
        match self.candidates {
            Some(most) => drawn(open, most, &mut self.random),
            None => open,
        }
    }
}

/// The corner that bounds the hypervolume.
fn reference(targets: &[Vec<f64>; 2]) -> [f64; 2] {
    [0, 1].map(|objective| {
        let values = targets[objective].iter().copied();
        let greatest = values.clone().fold(f64::NEG_INFINITY, f64::max);
        let least = values.fold(f64::INFINITY, f64::min);
        greatest + MARGIN * (greatest - least)
    })
}

impl Search for FrontSearch<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        if observations.rows.len() < INITIAL {
            return self.initial.choose(observations);
        }
        let targets = self.fit(observations)?;
        let predictions = self.predictions()?;
        let open = self.open(observations);
        let pairs = targets[0].iter().zip(&targets[1]);
        let front = Front::of(pairs.map(|(&first, &second)| [first, second]));
        let situation = Situation {
            front: &front,
            reference: reference(&targets),
            predictions: &predictions,
            open: &open,
            priority: &self.priority,
            evaluations_left: self.iterations.saturating_sub(observations.rows.len()),
            processes: &self.processes,
            space: self.space,
            columns: self.columns,
            distribution: &self.distribution,
        };
        let row = self.criterion.best(&situation, &mut self.random);
        row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_lies_beyond_what_was_observed() {
        let found = reference(&[vec![-1.0, 1.0, 0.0], vec![3.0, 3.0, 3.0]]);
        assert_eq!(found, [1.2, 3.0]);
    }
}
