//! The fit of the features to the sources: the weights of the network and every
//! source's precisions minimise the sum of the sources' negative log marginal
//! likelihoods, by L-BFGS (Perrone et al. 2018, section 3.2; ICML 2020, appendix B).

use std::ops::Range;

use ndarray::{Array2, ArrayView1};

use super::evidence::Regression;
use super::features::{FEATURES, FeatureNetwork, regressors};
use crate::dense_layers::Batch;
use crate::error::EngineError;
use crate::lbfgs::{self, Settings};
use crate::random::Purpose;
use crate::setting::Setting;
use crate::sources::sample::SourceSample;
use crate::transform::Transform;

/// Raised whenever the fit changes.
const VERSION: u64 = 1;

/// Rows of all sources together: what ICML 2020, appendix B, restricts itself to.
const ROWS: usize = 2000;

/// Bounds of log alpha and log beta: standard deviations of 1/100 to 100 times the
/// targets'.
pub(super) const PRECISION_BOUNDS: (f64, f64) = (-9.0, 9.0);

/// Weights far beyond these saturate every unit.
const WEIGHT_BOUND: f64 = 100.0;

/// Start of log alpha and log beta: weights of variance 1, noise of 1/10.
const START: [f64; 2] = [0.0, 2.3];

/// Measured on DeepAR, 4 seeds: 300 iterations give ablr -.78 where 100 give -1.02, for
/// three times the time; ablr-copula gains nothing on any black box.
const FIT: Settings = Settings {
    iterations: 100,
    gradient_tolerance: 1e-4,
    value_tolerance: 1e-5,
    longest_step: 1.0,
};

/// A network fitted to the sources.
pub(super) struct FittedFeatures {
    /// Its shape.
    pub network: FeatureNetwork,
    /// Its weights.
    pub weights: Vec<f32>,
    /// The sources' mean log alpha and log beta: where a target's fit starts.
    pub precisions: [f64; 2],
}

impl FittedFeatures {
    /// The features of a setting, fitted to its source tasks unless that is done.
    ///
    /// # Errors
    /// Those of [`Setting::sources`] and [`crate::fits::SharedFits::fit`].
    pub(super) fn new(setting: &Setting, transform: Transform) -> Result<Self, EngineError> {
        let network = FeatureNetwork::new(setting.space().width());
        let name = setting.fit_name("features", VERSION, transform);
        let count = network.weight_count() + 2;
        let numbers = setting
            .shared()
            .fit(&name, count, || fit(setting, transform, &network))?;
        let (weights, precisions) = numbers.split_at(network.weight_count());
        Ok(Self {
            weights: weights.to_vec(),
            precisions: [precisions[0].into(), precisions[1].into()],
            network,
        })
    }
}

/// The sampled rows of all sources.
struct Data {
    targets: Vec<f64>,
    /// Each source's rows.
    sources: Vec<Range<usize>>,
}

/// The network's weights, then the mean of the sources' log alpha and log beta.
fn fit(
    setting: &Setting,
    transform: Transform,
    network: &FeatureNetwork,
) -> Result<Vec<f32>, EngineError> {
    let sources = setting.sources(transform)?;
    let rows_each = ROWS.div_ceil(sources.iter().count());
    let mut inputs = Vec::new();
    let mut data = Data {
        targets: Vec::new(),
        sources: Vec::new(),
    };
    for source in sources.iter() {
        let sample = SourceSample::new(setting, source, rows_each);
        inputs.extend(sample.points.iter().map(|&coordinate| coordinate as f32));
        let first = data.targets.len();
        data.targets.extend(sample.targets);
        data.sources.push(first..data.targets.len());
    }
    let initial = network.initial_weights(&mut setting.random(Purpose::Features));
    let mut point: Vec<f64> = initial.into_iter().map(f64::from).collect();
    let weight_count = point.len();
    for _ in &data.sources {
        point.extend(START);
    }
    let bound = |index: usize| match index < weight_count {
        true => (-WEIGHT_BOUND, WEIGHT_BOUND),
        false => PRECISION_BOUNDS,
    };
    let (lower, upper): (Vec<_>, Vec<_>) = (0..point.len()).map(bound).unzip();
    let mut batch = network.batch(inputs);
    lbfgs::minimise(
        |point, gradient| loss(network, &data, &mut batch, point, gradient),
        &mut point,
        (&lower, &upper),
        FIT,
    )?;
    let (weights, precisions) = point.split_at(weight_count);
    let mean = |which: usize| {
        let logarithms = precisions.iter().skip(which).step_by(2);
        logarithms.sum::<f64>() / data.sources.len() as f64
    };
    let numbers = weights.iter().copied().chain([mean(0), mean(1)]);
    Ok(numbers.map(|number| number as f32).collect())
}

/// Mean over the rows of the negative log marginal likelihood; its gradient goes to
/// `gradient`. `point` holds the weights, then log alpha and log beta of each source.
fn loss(
    network: &FeatureNetwork,
    data: &Data,
    batch: &mut Batch,
    point: &[f64],
    gradient: &mut [f64],
) -> Result<f64, EngineError> {
    let (doubles, precisions) = point.split_at(network.weight_count());
    let weights: Vec<f32> = doubles.iter().map(|&weight| weight as f32).collect();
    let design = regressors(network.evaluate(&weights, batch));
    let share = 1.0 / data.targets.len() as f64;
    let (weight_gradient, precision_gradient) = gradient.split_at_mut(weights.len());
    let mut slopes = Array2::zeros(design.dim());
    let mut loss = 0.0;
    let of_sources = precisions
        .chunks_exact(2)
        .zip(precision_gradient.chunks_exact_mut(2));
    for (rows, (logarithms, precision_slopes)) in data.sources.iter().zip(of_sources) {
        let targets = ArrayView1::from(&data.targets[rows.clone()]);
        let block = ndarray::s![rows.clone(), ..];
        let features = design.slice(block);
        let regression = Regression::new(features, targets);
        let posterior = regression.posterior([logarithms[0], logarithms[1]])?;
        loss += share * posterior.value;
        for (slot, slope) in precision_slopes.iter_mut().zip(posterior.slopes) {
            *slot = share * slope;
        }
        slopes
            .slice_mut(block)
            .assign(&posterior.feature_slopes(features, targets));
    }
    let of_features = slopes.slice(ndarray::s![.., ..FEATURES]);
    let shares = of_features.iter().map(|slope| share * slope);
    let mut single = vec![0.0; weights.len()];
    network.propagate(&weights, batch, shares, &mut single);
    for (slot, slope) in weight_gradient.iter_mut().zip(single) {
        *slot = slope.into();
    }
    Ok(loss)
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;
    use crate::random::RandomStream;

    #[test]
    fn the_gradient_agrees_with_finite_differences() {
        let network = FeatureNetwork::new(3);
        let mut random = RandomStream::new(Purpose::Features, Fingerprint([1; 16]), "t", 0);
        let inputs = (0..3 * 40).map(|_| random.uniform() as f32).collect();
        let data = Data {
            targets: (0..40).map(|_| random.normal()).collect(),
            sources: vec![0..25, 25..40],
        };
        let mut point: Vec<f64> = network
            .initial_weights(&mut random)
            .into_iter()
            .map(f64::from)
            .collect();
        point.extend([0.2, 1.0, -0.3, 0.5]);
        let mut batch = network.batch(inputs);
        let mut gradient = vec![0.0; point.len()];
        loss(&network, &data, &mut batch, &point, &mut gradient).unwrap();
        // The precisions, and the steepest weights of each layer: small slopes drown
        // in single precision.
        let first = network.weight_count();
        let mut indices: Vec<usize> = (first..point.len()).collect();
        for layer in [0..200, 200..2750, 2750..5300] {
            let mut steepest: Vec<usize> = layer.collect();
            steepest.sort_by(|&a, &b| gradient[b].abs().total_cmp(&gradient[a].abs()));
            indices.extend(&steepest[..6]);
        }
        for index in indices {
            let mut ignored = vec![0.0; point.len()];
            let mut shifted = |step: f64| {
                let mut point = point.clone();
                point[index] += step;
                loss(&network, &data, &mut batch, &point, &mut ignored).unwrap()
            };
            let step = 1e-2;
            let expected = (shifted(step) - shifted(-step)) / (2.0 * step);
            let error = (gradient[index] - expected).abs();
            assert!(
                error < 1e-2 * expected.abs() + 1e-5,
                "{index}: {error} of {expected}"
            );
        }
    }
}
