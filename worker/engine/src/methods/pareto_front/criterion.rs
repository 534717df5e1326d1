//! The row of greatest acquisition among those that are open.

use crate::acquisition::front::excursion_volume::ExcursionVolume;
use crate::acquisition::front::hypervolume_improvement::expected_hypervolume_improvement;
use crate::acquisition::front::maximin_improvement::{
    MaximinImprovement, probability_of_nondomination,
};
use crate::acquisition::front::optimistic_hypervolume::OptimisticHypervolume;
use crate::acquisition::front::{Front, Prediction};
use crate::random::RandomStream;
use crate::special::bivariate_normal::BivariateNormal;
use crate::surrogate::gaussian_process::GaussianProcess;
use crate::table::encoding::{Column, Space};

/// Rows of greatest expected hypervolume improvement whose reduction of the excursion volume is computed.
const SHORTLIST: usize = 100;

/// Rows that the excursion volume is averaged over, drawn anew for each choice.
const INTEGRATION_ROWS: usize = 100;

/// Rows that improve the front with a smaller probability add nothing to the excursion volume.
const LEAST_PROBABILITY: f64 = 1e-9;

/// Which acquisition function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Criterion {
    ExpectedHypervolume,
    OptimisticHypervolume,
    Maximin,
    ExcursionVolume,
}

/// All that a choice depends on.
pub(super) struct Situation<'a> {
    /// Of the standardised observations.
    pub front: &'a Front,
    /// The corner that bounds the hypervolume.
    pub reference: [f64; 2],
    /// For each row of the target.
    pub predictions: &'a [Prediction],
    /// The rows to choose among.
    pub open: &'a [u32],
    /// Breaks ties: the least wins.
    pub priority: &'a [u32],
    /// Evaluations to come, with the one that is being chosen.
    pub evaluations_left: usize,
    /// One per objective, fitted.
    pub processes: &'a [GaussianProcess; 2],
    pub space: &'a Space,
    pub columns: &'a [Column],
    pub distribution: &'a BivariateNormal,
}

/// A row with its value.
type Scored = (f64, u32);

impl Criterion {
    /// The best of the open rows; `None` if there is none.
    pub(super) fn best(self, situation: &Situation, random: &mut RandomStream) -> Option<u32> {
        match self {
            Self::ExpectedHypervolume => situation.best(situation.by_hypervolume()),
            Self::OptimisticHypervolume => {
                let acquisition = OptimisticHypervolume {
                    reference: situation.reference,
                    evaluations_left: situation.evaluations_left,
                };
                situation.best(
                    situation.scored(|prediction| acquisition.value(situation.front, prediction)),
                )
            }
            Self::Maximin => situation.best_by_maximin(),
            Self::ExcursionVolume => situation.best_by_excursion_volume(random),
        }
    }
}

impl Situation<'_> {
    fn prediction(&self, row: u32) -> &Prediction {
        &self.predictions[row as usize]
    }

    fn scored(&self, value: impl Fn(&Prediction) -> f64) -> Vec<Scored> {
        let open = self.open.iter();
        open.map(|&row| (value(self.prediction(row)), row))
            .collect()
    }

    fn by_hypervolume(&self) -> Vec<Scored> {
        self.scored(|prediction| {
            expected_hypervolume_improvement(self.front, self.reference, prediction)
        })
    }

    /// Which of two rows is better: the greater.
    fn order(&self, left: &Scored, right: &Scored) -> std::cmp::Ordering {
        let priority = |scored: &Scored| self.priority[scored.1 as usize];
        let by_value = left.0.total_cmp(&right.0);
        by_value.then(priority(right).cmp(&priority(left)))
    }

    fn best(&self, scored: Vec<Scored>) -> Option<u32> {
        let best = scored.into_iter();
        best.max_by(|left, right| self.order(left, right))
            .map(|(_, row)| row)
    }

    /// The row of greatest maximin improvement, which is computed only where a bound on it reaches the best one found, and
    /// only as far as it may.
    fn best_by_maximin(&self) -> Option<u32> {
        let improvement = MaximinImprovement::new(self.front);
        let mut bounds = self.scored(|prediction| improvement.bound(prediction));
        bounds.sort_unstable_by(|left, right| self.order(right, left));
        let mut best: Option<Scored> = None;
        for (bound, row) in bounds {
            if best.is_some_and(|(value, _)| bound < value) {
                break;
            }
            let bar = best.map_or(0.0, |(value, _)| value);
            let Some(value) = improvement.value(self.prediction(row), bar) else {
                continue;
            };
            let found = (value, row);
            if best.is_none_or(|best| self.order(&found, &best).is_gt()) {
                best = Some(found);
            }
        }
        best.map(|(_, row)| row)
    }

    /// The row that most reduces the excursion volume, averaged over some rows, among the most promising ones.
    fn best_by_excursion_volume(&self, random: &mut RandomStream) -> Option<u32> {
        let mut candidates = self.by_hypervolume();
        candidates.sort_unstable_by(|left, right| self.order(right, left));
        candidates.truncate(SHORTLIST);
        let candidates: Vec<u32> = candidates.into_iter().map(|(_, row)| row).collect();
        let drawn = drawn(self.open.to_vec(), INTEGRATION_ROWS, random);
        // A row that the front surely dominates adds nothing: most rows drop out.
        let may_improve = |row: &u32| {
            probability_of_nondomination(self.front, self.prediction(*row)) > LEAST_PROBABILITY
        };
        let others: Vec<u32> = drawn.iter().copied().filter(may_improve).collect();
        if others.is_empty() {
            return candidates.first().copied();
        }
        let covariances = {
            let (candidates, others) = (self.points(&candidates), self.points(&others));
            let of = |process: &GaussianProcess| process.covariances(&candidates, &others);
            self.processes.each_ref().map(of)
        };
        let volume = ExcursionVolume::new(self.front, self.distribution);
        let scored = candidates.iter().enumerate().map(|(place, &row)| {
            let probabilities = others.iter().enumerate().map(|(other_place, &other)| {
                let entry = place * others.len() + other_place;
                let covariances = [covariances[0][entry], covariances[1][entry]];
                volume.probability(self.prediction(row), self.prediction(other), covariances)
            });
            (probabilities.sum::<f64>() / drawn.len() as f64, row)
        });
        self.best(scored.collect())
    }

    /// The encoded rows, one after the other.
    fn points(&self, rows: &[u32]) -> Vec<f64> {
        let width = self.space.width();
        let mut points = vec![0.0; width * rows.len()];
        for (&row, point) in rows.iter().zip(points.chunks_exact_mut(width)) {
            self.space.encode(self.columns, row as usize, point);
        }
        points
    }
}

/// At most so many of the rows, drawn at random, ascending.
pub(super) fn drawn(mut rows: Vec<u32>, most: usize, random: &mut RandomStream) -> Vec<u32> {
    if rows.len() > most {
        for place in 0..most {
            let left = rows.len() - place;
            rows.swap(place, place + random.below(left as u32) as usize);
        }
        rows.truncate(most);
        rows.sort_unstable();
    }
    rows
}
