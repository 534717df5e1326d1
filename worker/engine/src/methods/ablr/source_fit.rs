//! The fit of the features to the sources alone: where the joint fit of every job of a target and seed
//! starts.

use super::features::{FeatureNetwork, INITIAL_FEATURES};
use super::joint_likelihood::JointLikelihood;
use super::training_set::TrainingTask;
use crate::error::EngineError;
use crate::lbfgs::{Curvature, Settings};
use crate::setting::Setting;
use crate::transform::Transform;

/// Raised whenever the fit changes.
const VERSION: u64 = 6;

/// Start of log alpha and log beta: weights of variance 1, noise of 1/10.
const START: [f64; 2] = [0.0, 2.3];

/// The first iterations, which have the longest way to go, see samples of the sources.
const ROUGH_FIT: Settings = Settings {
    iterations: 150,
    gradient_tolerance: 1e-4,
    value_tolerance: 1e-5,
    longest_step: 1.0,
};

/// The last iterations see all rows. There are few in all, and the joint fits go on from there: more cost time and make `ablr-copula`
/// worse. Measured on DeepAR (3 seeds, a joint fit before every choice, all rows in all iterations), with 100 and 400: ablr -.61 and
/// -.28, ablr-copula .71 and .50 (the last with joint fits that forget their curvature).
const FIT: Settings = Settings {
    iterations: 50,
    ..ROUGH_FIT
};

/// The weights of the features, then log alpha and log beta of each source, fitted to the sources unless
/// that is done. `samples` is the likelihood of samples of the `sources`.
///
/// # Errors
/// Those of [`crate::fits::SharedFits::fit`] and of [`JointLikelihood::minimise`].
pub(super) fn source_fit(
    setting: &Setting,
    transform: Transform,
    network: &FeatureNetwork,
    sources: Vec<TrainingTask>,
    samples: &mut JointLikelihood,
) -> Result<Vec<f64>, EngineError> {
    let name = setting.fit_name("features", VERSION, transform);
    let count = network.layers.weight_count() + 2 * sources.len();
    let numbers = setting.shared().fit(&name, count, || {
        let initial = network
            .layers
            .initial_weights(&mut setting.random(INITIAL_FEATURES));
        let mut point: Vec<f64> = initial.into_iter().map(f64::from).collect();
        for _ in 0..sources.len() {
            point.extend(START);
        }
        let mut curvature = Curvature::default();
        samples.minimise(None, &mut curvature, &mut point, ROUGH_FIT)?;
        let mut likelihood = JointLikelihood::new(network, sources);
        likelihood.minimise(None, &mut curvature, &mut point, FIT)?;
        Ok(point.into_iter().map(|number| number as f32).collect())
    })?;
    Ok(numbers.iter().map(|&number| number.into()).collect())
}
