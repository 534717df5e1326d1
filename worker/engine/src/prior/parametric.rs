//! The parametric prior of a setting, fitted or found fitted.
//!
//! There is one fit per (target task, seed, transform, noise), shared by all methods.

use std::sync::Arc;

use super::network::{Network, Noise, TRAINING};
use super::training;
use crate::error::EngineError;
use crate::fits::FitName;
use crate::setting::Setting;
use crate::transform::Transform;

/// Raised whenever the fit changes.
const VERSION: u64 = 2;

/// The versions whose fits and errors stores may have, the newest first.
pub(super) const STORED_VERSIONS: [u64; 2] = [VERSION, 1];

/// Rows predicted at a time.
const PREDICTION_ROWS: usize = 256;

/// A fitted prior's predictions for every row of the target task.
#[derive(Debug, Clone, PartialEq)]
pub struct ParametricPrior {
    /// Mean mu of the transformed objective.
    pub means: Vec<f64>,
    /// Standard deviation sigma.
    pub std_devs: Vec<f64>,
}

impl ParametricPrior {
    /// The prior of a setting, fitted to its source tasks unless that is done. Its error
    /// on the target is stored beside a new fit.
    ///
    /// # Errors
    /// Those of [`Setting::sources`] and [`crate::fits::SharedFits::fit`].
    pub(crate) fn new(
        setting: &Setting,
        transform: Transform,
        noise: Noise,
    ) -> Result<Self, EngineError> {
        let mut is_new = false;
        let fitted = FittedNetwork::of_sources(setting, transform, noise, || is_new = true)?;
        let prior = predict(&fitted.network, &fitted.weights, setting);
        if is_new {
            let name = FitName {
                variant: variant(noise),
                ..error_name(setting, transform, VERSION)
            };
            setting.store_error(&name, &prior.means)?;
        }
        Ok(prior)
    }

    /// The mean mu of the prior of a setting at encoded points, which lie one after the other, of any task.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub(crate) fn means_at(
        setting: &Setting,
        transform: Transform,
        noise: Noise,
        points: &[f64],
    ) -> Result<Vec<f64>, EngineError> {
        let fitted = FittedNetwork::of_sources(setting, transform, noise, || ())?;
        let width = setting.space().width();
        let coordinate = |number| points.iter().skip(number).step_by(width);
        let by_coordinate = (0..width).flat_map(coordinate);
        let inputs: Vec<f32> = by_coordinate.map(|&entry| entry as f32).collect();
        let predictions = fitted.network.predict(&fitted.weights, &inputs);
        Ok(predictions.into_iter().map(|(mu, _)| mu.into()).collect())
    }

    /// The heteroskedastic prior of a setting and version that was computed with this linear algebra, if the store has it:
    /// nothing is fitted. `None` finds one of an earlier release, which did not name it.
    ///
    /// # Errors
    /// Those of [`crate::fits::SharedFits::find`].
    pub(crate) fn find(
        setting: &Setting,
        transform: Transform,
        version: u64,
        linear_algebra: Option<&str>,
    ) -> Result<Option<Self>, EngineError> {
        let network = Network::new(setting.space().width(), Noise::Heteroskedastic);
        let name = FitName {
            linear_algebra,
            ..setting.fit_name("prior", version, transform)
        };
        let weights = setting.shared().find(&name, network.weight_count())?;
        Ok(weights.map(|weights| predict(&network, &weights, setting)))
    }
}

/// The network behind a prior, with its weights.
struct FittedNetwork {
    network: Network,
    weights: Arc<Vec<f32>>,
}

impl FittedNetwork {
    /// That of a setting; `when_new` is called if it was not fitted before.
    fn of_sources(
        setting: &Setting,
        transform: Transform,
        noise: Noise,
        when_new: impl FnOnce(),
    ) -> Result<Self, EngineError> {
        let network = Network::new(setting.space().width(), noise);
        let name = FitName {
            variant: variant(noise),
            ..setting.fit_name("prior", VERSION, transform)
        };
        let weights = setting.shared().fit(&name, network.weight_count(), || {
            when_new();
            let sources = setting.sources(transform)?;
            let all: Vec<_> = sources.iter().collect();
            let mut random = setting.random(TRAINING);
            Ok(training::fit(setting.space(), noise, &all, &mut random))
        })?;
        Ok(Self { network, weights })
    }
}

/// What the name of a fit says of the noise.
fn variant(noise: Noise) -> &'static str {
    match noise {
        Noise::Heteroskedastic => "",
        Noise::Homoskedastic => "homoskedastic",
    }
}

/// Names the error of a setting's heteroskedastic prior of that version on the target.
pub(super) fn error_name<'a>(
    setting: &Setting<'a>,
    transform: Transform,
    version: u64,
) -> FitName<'a> {
    setting.fit_name("prior-error", version, transform)
}

fn predict(network: &Network, weights: &[f32], setting: &Setting) -> ParametricPrior {
    let rows = setting.rows();
    let mut prior = ParametricPrior {
        means: Vec::with_capacity(rows),
        std_devs: Vec::with_capacity(rows),
    };
    let mut buffer = vec![0.0; PREDICTION_ROWS * network.width()];
    for first in (0..rows).step_by(PREDICTION_ROWS) {
        let block = first..rows.min(first + PREDICTION_ROWS);
        let count = block.len();
        let inputs = &mut buffer[..count * network.width()];
        setting
            .space()
            .encode_by_coordinate(setting.columns(), block, count, inputs);
        for (mean, std_dev) in network.predict(weights, inputs) {
            prior.means.push(mean.into());
            prior.std_devs.push(std_dev.into());
        }
    }
    prior
}
