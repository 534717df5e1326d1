//! Thompson sampling from the parametric prior (ICML 2020, algorithm 1).

use crate::error::{EngineError, ImpossibleJob};
use crate::prior::parametric::ParametricPrior;
use crate::random::{RandomStream, StreamName};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::special::normal::quantile;

const DRAWS: StreamName = StreamName::new("thompson sampling", "draws");

/// Intervals of equal probability that the standard normal distribution is cut into.
const INTERVALS: usize = 256;

/// Draws z ~ N(mu, sigma^2) for every candidate and takes the least.
///
/// It learns nothing from the target: the draws are independent of what was observed. A draw is at least the lower end of its interval,
/// so that most draws need not be computed to know that they are not the least.
pub(crate) struct ThompsonSampling {
    prior: ParametricPrior,
    random: RandomStream,
    /// What the draw of each candidate is the quantile of.
    probabilities: Vec<f64>,
    /// A little below the lower end of each interval.
    least_draws: Vec<f64>,
}

impl ThompsonSampling {
    /// Samples from `prior`.
    pub(crate) fn new(setting: &Setting, prior: ParametricPrior) -> Self {
        let lower_end = |interval: usize| match interval {
            0 => f64::NEG_INFINITY,
            _ => quantile(interval as f64 / INTERVALS as f64) - 1e-9,
        };
        Self {
            probabilities: vec![0.0; prior.means.len()],
            prior,
            random: setting.random(DRAWS),
            least_draws: (0..INTERVALS).map(lower_end).collect(),
        }
    }
}

impl Search for ThompsonSampling {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        // Drawn for evaluated rows too, so that two methods see the same draws
        // whatever they evaluated.
        self.random.fill_uniform(&mut self.probabilities);
        let mut least = (f64::INFINITY, None);
        let draws = self.probabilities.iter().zip(&observations.evaluated);
        for (row, (&probability, &evaluated)) in draws.enumerate() {
            let value = |draw: f64| self.prior.means[row] + self.prior.std_devs[row] * draw;
            let least_draw = self.least_draws[(probability * INTERVALS as f64) as usize];
            if evaluated || value(least_draw) >= least.0 {
                continue;
            }
            let z = value(quantile(probability));
            if z < least.0 {
                least = (z, Some(row as u32));
            }
        }
        least
            .1
            .ok_or_else(|| ImpossibleJob::NoRow("no candidate has a finite draw").into())
    }
}
