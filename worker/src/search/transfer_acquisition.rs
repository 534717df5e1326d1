//! Bayesian optimisation by a transfer acquisition function (Wistuba, Schilling and
//! Schmidt-Thieme 2018, section 7).

use super::gaussian_process::INITIAL;
use super::random::random_priority;
use super::{History, Search};
use crate::WorkerError;
use crate::acquisition::transfer::TransferAcquisition;
use crate::setting::Setting;
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::target::TargetSurrogate;
use crate::transfer::rank_distance::{RankDistance, weight};

/// One source task.
struct Expert {
    /// Its process's mean at every row of the target.
    means: Vec<f64>,
    /// The least of them among the rows evaluated.
    least: f64,
    distance: RankDistance,
}

/// After [`INITIAL`] rows, takes the row of greatest transfer acquisition.
pub struct TransferAcquisitionSearch<'a> {
    /// Chooses the first rows; if there is none, the sources do.
    initial: Option<Box<dyn Search + 'a>>,
    experts: Vec<Expert>,
    bandwidth: f64,
    surrogate: TargetSurrogate<'a>,
    pool: CandidatePool,
    priority: Vec<u32>,
    /// Weighted predicted improvement of the sources at every row.
    transferred: Vec<f64>,
    observed: usize,
}

impl<'a> TransferAcquisitionSearch<'a> {
    /// With each source's predictions at every row, and the bandwidth of their weights.
    ///
    /// The first rows are those of `initial`. Without it the first is the one of least
    /// prediction summed over the sources, the next are those of greatest predicted
    /// improvement.
    pub fn new(
        setting: &Setting<'a>,
        initial: Option<Box<dyn Search + 'a>>,
        surrogate: TargetSurrogate<'a>,
        source_means: Vec<Vec<f64>>,
        bandwidth: f64,
    ) -> Self {
        let expert = |means| Expert {
            means,
            least: f64::INFINITY,
            distance: RankDistance::default(),
        };
        let rows = (0..setting.rows() as u32).collect();
        Self {
            initial,
            experts: source_means.into_iter().map(expert).collect(),
            bandwidth,
            surrogate,
            pool: CandidatePool::new(setting.space(), setting.columns(), rows),
            priority: random_priority(setting),
            transferred: vec![0.0; setting.rows()],
            observed: 0,
        }
    }

    /// Shows the observations since the last call to the experts.
    fn observe(&mut self, history: &History) {
        let observations = history.rows.iter().zip(&history.values);
        for (&row, &value) in observations.skip(self.observed) {
            for expert in &mut self.experts {
                let mean = expert.means[row as usize];
                expert.least = expert.least.min(mean);
                expert.distance.observe(mean, value);
            }
        }
        self.observed = history.rows.len();
    }

    /// Sums the weighted predicted improvements I = max(least - mean, 0) of the
    /// sources (eq. 47); before anything is evaluated, the predictions themselves.
    fn transfer(&mut self) {
        self.transferred.fill(0.0);
        for expert in &self.experts {
            let weight = weight(expert.distance.distance(), self.bandwidth);
            if weight == 0.0 {
                continue;
            }
            for (sum, mean) in self.transferred.iter_mut().zip(&expert.means) {
                *sum += match self.observed {
                    0 => -weight * mean,
                    _ => weight * (expert.least - mean).max(0.0),
                };
            }
        }
    }

    /// The row that the sources alone find best.
    fn most_transferred(&self, history: &History) -> Option<u32> {
        let open = (0..self.priority.len()).filter(|&row| !history.evaluated[row]);
        let best = open.max_by(|&left, &right| {
            let by_value = self.transferred[left].total_cmp(&self.transferred[right]);
            by_value.then(self.priority[right].cmp(&self.priority[left]))
        });
        best.map(|row| row as u32)
    }
}

impl Search for TransferAcquisitionSearch<'_> {
    fn choose(&mut self, history: &History) -> Result<u32, WorkerError> {
        self.observe(history);
        self.transfer();
        let row = if history.rows.len() < INITIAL {
            match &mut self.initial {
                Some(initial) => Some(initial.choose(history)?),
                None => self.most_transferred(history),
            }
        } else {
            self.surrogate.fit(history)?;
            let acquisition = TransferAcquisition {
                incumbent: self.surrogate.incumbent(),
                target_weight: weight(0.0, self.bandwidth),
                transferred: &self.transferred,
            };
            let process = self.surrogate.process();
            self.pool
                .best_row(process, &acquisition, &history.evaluated, &self.priority)
        };
        row.ok_or_else(|| WorkerError::ImpossibleJob("every row is evaluated".into()))
    }
}
