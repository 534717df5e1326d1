//! Thompson sampling from the parametric prior (ICML 2020, algorithm 1).

use crate::error::{EngineError, ImpossibleJob};
use crate::prior::parametric::ParametricPrior;
use crate::random::{RandomStream, StreamName};
use crate::search::{Observations, Search};
use crate::setting::Setting;

const DRAWS: StreamName = StreamName::new("thompson sampling", "draws");

/// Draws z ~ N(mu, sigma^2) for every candidate and takes the least.
///
/// It learns nothing from the target: the draws are independent of what was observed.
pub(crate) struct ThompsonSampling {
    prior: ParametricPrior,
    random: RandomStream,
}

impl ThompsonSampling {
    /// Samples from `prior`.
    pub(crate) fn new(setting: &Setting, prior: ParametricPrior) -> Self {
        Self {
            prior,
            random: setting.random(DRAWS),
        }
    }
}

impl Search for ThompsonSampling {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let mut least = (f64::INFINITY, None);
        for (row, &evaluated) in observations.evaluated.iter().enumerate() {
            // Drawn for evaluated rows too, so that two methods see the same draws
            // whatever they evaluated.
            let draw = self.random.normal();
            let z = self.prior.means[row] + self.prior.std_devs[row] * draw;
            if !evaluated && z < least.0 {
                least = (z, Some(row as u32));
            }
        }
        least
            .1
            .ok_or_else(|| ImpossibleJob::NoRow("no candidate has a finite draw").into())
    }
}
