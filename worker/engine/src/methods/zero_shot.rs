//! `zero-shot`: a portfolio of configurations that the sources alone choose.

use super::method::{Method, Spaces};
use super::parameters::HYPERPRIOR;
use crate::error::{EngineError, ImpossibleJob};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::sources::process::{SourceModel, SourcePrediction, source_means};
use crate::strategies::random_search::random_priority;
use crate::transform::Transform;

pub(super) const ZERO_SHOT: Method = Method {
    id: "zero-shot",
    version: 1,
    summary: "greedy portfolio of the sources: each row is the one that most improves the best rank so far, on average \
              over the sources' Gaussian processes; the target's values play no part",
    source: "Wistuba, Schilling and Schmidt-Thieme 2015, Sequential model-free hyperparameter tuning (ICDM); \
             Winkelmolen et al. 2020, Practical and sample efficient zero-shot HPO",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let model = SourceModel::matern(Transform::Standardisation, parameters.hyperprior());
        let sources = source_means(setting, model)?;
        Ok(Box::new(Portfolio::new(setting, sources)))
    },
};

/// Covers every source by rows that it ranks high.
struct Portfolio {
    sources: Vec<SourcePrediction>,
    /// By source, the rank of every row among those that were open when the ranks were made.
    ranks: Vec<Vec<u32>>,
    /// By source, the best rank among the rows taken since then.
    best: Vec<u32>,
    /// How many of the observations are in `best`.
    observed: usize,
    priority: Vec<u32>,
}

impl Portfolio {
    fn new(setting: &Setting, sources: Vec<SourcePrediction>) -> Self {
        let mut portfolio = Self {
            ranks: vec![vec![0; setting.rows()]; sources.len()],
            best: vec![0; sources.len()],
            sources,
            observed: 0,
            priority: random_priority(setting),
        };
        portfolio.begin(&vec![false; setting.rows()]);
        portfolio
    }

    /// Ranks the rows that are not evaluated, and forgets what was taken before. Rows of equal mean share their rank,
    /// the number of rows below.
    fn begin(&mut self, evaluated: &[bool]) {
        for (source, ranks) in self.sources.iter().zip(&mut self.ranks) {
            let mean = |row: usize| source.means[row];
            let mut order: Vec<usize> = (0..evaluated.len())
                .filter(|&row| !evaluated[row])
                .collect();
            order.sort_unstable_by(|&left, &right| mean(left).total_cmp(&mean(right)));
            let mut rank = 0;
            for (below, &row) in order.iter().enumerate() {
                if below == 0 || mean(row) != mean(order[below - 1]) {
                    rank = below as u32;
                }
                ranks[row] = rank;
            }
        }
        self.best.fill(u32::MAX);
    }

    /// The sum over the sources of the best rank, with the row and without it. A source of which no row is taken yet
    /// counts as if its best were worse than any.
    fn covers(&self, row: usize) -> (u64, bool) {
        let ranks = self.ranks.iter().zip(&self.best);
        ranks.fold((0, false), |(sum, improves), (ranks, &best)| {
            let rank = ranks[row];
            (sum + u64::from(rank.min(best)), improves || rank < best)
        })
    }

    /// The row of least sum of best ranks among those that improve one.
    fn next(&self, evaluated: &[bool]) -> Option<u32> {
        let open = (0..evaluated.len()).filter(|&row| !evaluated[row]);
        let improving = open.filter_map(|row| {
            let (sum, improves) = self.covers(row);
            improves.then_some((sum, self.priority[row], row as u32))
        });
        improving.min().map(|(_, _, row)| row)
    }
}

impl Search for Portfolio {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        for &row in &observations.rows[self.observed..] {
            for (ranks, best) in self.ranks.iter().zip(&mut self.best) {
                *best = ranks[row as usize].min(*best);
            }
        }
        self.observed = observations.rows.len();
        let mut row = self.next(&observations.evaluated);
        if row.is_none() {
            self.begin(&observations.evaluated);
            row = self.next(&observations.evaluated);
        }
        row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
    }
}
