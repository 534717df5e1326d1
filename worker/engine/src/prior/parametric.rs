//! The parametric prior of a setting, fitted or found fitted.
//!
//! There is one fit per (target task, seed, transform), shared by all methods.

use super::network::Network;
use super::training;
use crate::error::EngineError;
use crate::random::Purpose;
use crate::setting::Setting;
use crate::table::encoding::{Column, Space};
use crate::transform::Transform;

/// Raised whenever the fit changes.
const VERSION: u64 = 1;

/// Rows predicted at a time.
const PREDICTION_ROWS: usize = 1024;

/// A fitted prior's predictions for every row of the target task.
#[derive(Debug, Clone, PartialEq)]
pub struct ParametricPrior {
    /// Mean mu of the transformed objective.
    pub means: Vec<f64>,
    /// Standard deviation sigma.
    pub deviations: Vec<f64>,
}

impl ParametricPrior {
    /// The prior of a setting, fitted to its source tasks unless that is done.
    ///
    /// # Errors
    /// Those of [`Setting::sources`] and [`crate::fits::SharedFits::fit`].
    pub fn new(setting: &Setting, transform: Transform) -> Result<Self, EngineError> {
        let network = Network::new(setting.space().width());
        let name = setting.fit_name("prior", VERSION, transform);
        let weights = setting.shared().fit(&name, network.weight_count(), || {
            let sources = setting.sources(transform)?;
            let sources: Vec<_> = sources.iter().collect();
            let mut random = setting.random(Purpose::Prior);
            Ok(training::fit(setting.space(), &sources, &mut random))
        })?;
        Ok(predict(
            &network,
            &weights,
            setting.space(),
            setting.columns(),
            setting.rows(),
        ))
    }

    /// The prior of a setting, if the store has it: nothing is fitted.
    ///
    /// # Errors
    /// Those of [`crate::fits::SharedFits::find`].
    pub fn find(setting: &Setting, transform: Transform) -> Result<Option<Self>, EngineError> {
        let network = Network::new(setting.space().width());
        let name = setting.fit_name("prior", VERSION, transform);
        let weights = setting.shared().find(&name, network.weight_count())?;
        Ok(weights.map(|weights| {
            predict(
                &network,
                &weights,
                setting.space(),
                setting.columns(),
                setting.rows(),
            )
        }))
    }
}

fn predict(
    network: &Network,
    weights: &[f32],
    space: &Space,
    columns: &[Column],
    rows: usize,
) -> ParametricPrior {
    let mut prior = ParametricPrior {
        means: Vec::with_capacity(rows),
        deviations: Vec::with_capacity(rows),
    };
    for first in (0..rows).step_by(PREDICTION_ROWS) {
        let rows = first..rows.min(first + PREDICTION_ROWS);
        let inputs = space.encode_single(columns, rows);
        for (mean, deviation) in network.predict(weights, &inputs) {
            prior.means.push(mean.into());
            prior.deviations.push(deviation.into());
        }
    }
    prior
}
