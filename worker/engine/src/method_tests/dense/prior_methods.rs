//! `ts`, `cts`, `gp-prior` and `gcp-prior`: the parametric prior alone (ICML 2020, algorithm 1), and a
//! Gaussian process on the residuals to it (algorithm 2); `cts-ho` and `gcp-prior-ho`, whose prior has one standard
//! deviation; `pibo`, where the prior is a belief (Hvarfner et al. 2022, eq. 6).

use std::sync::Arc;

use super::comparison::{Case, assert_greatest};
use super::gaussian_process_methods::{Model, assert_improves};
use super::network;
use super::normal;
use super::transform::{Transform, gaussian_quantiles, standardised};
use crate::blobs::{Blobs, MemoryBlobs};
use crate::method_tests::example::fits_in;
use crate::random::StreamName;

/// The two sampling methods' ids, then those of the processes, by transform.
const METHODS: [(&str, &str, Transform); 3] = [
    ("ts", "gp-prior", standardised),
    ("cts", "gcp-prior", gaussian_quantiles),
    ("cts-ho", "gcp-prior-ho", gaussian_quantiles),
];

/// The fitted weights, from the store in which there is one prior.
pub(super) fn fitted_weights(blobs: &MemoryBlobs) -> Vec<f64> {
    let names = blobs.names();
    let of_prior: Vec<_> = names
        .iter()
        .filter(|name| name.starts_with("prior:"))
        .collect();
    assert_eq!(of_prior.len(), 1, "{names:?}");
    let bytes = blobs.get(of_prior[0]).unwrap().unwrap();
    let (weights, _checksum) = bytes.split_last_chunk::<8>().unwrap();
    let numbers = weights.chunks_exact(4);
    numbers
        .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()).into())
        .collect()
}

/// mu and sigma of a configuration: three layers of 50 rectified linear units; mu is linear in the last
/// one, sigma a softplus.
pub(super) fn prediction(weights: &[f64], point: &[f64]) -> (f64, f64) {
    let heads = network::outputs(weights, point, &[50, 50, 50, 2], 1, |x| x.max(0.0));
    (heads[0], heads[1].exp().ln_1p() + 1e-4)
}

#[test]
fn samples_and_processes_are_those_of_the_prior() {
    for (sampling, process, transform) in METHODS {
        let case = Case::of(sampling, 40);
        let blobs = Arc::new(MemoryBlobs::default());
        let fits = fits_in(blobs.clone());
        // Makes the fit, which all later runs find.
        let sampled = case.run(&fits, sampling, &[], |_, _| ());
        let weights = fitted_weights(&blobs);
        let points = case.points(case.target());
        let prior: Vec<(f64, f64)> = points
            .iter()
            .map(|point| prediction(&weights, point))
            .collect();
        assert_learned(&case, transform, &weights);
        let one_sigma = prior
            .iter()
            .all(|(_, sigma)| (sigma - prior[0].1).abs() < 1e-12);
        assert_eq!(one_sigma, sampling == "cts-ho");

        // Algorithm 1: z ~ N(mu, sigma^2) for each row, those evaluated included; the least is taken.
        let mut random = case
            .setting(&fits)
            .random(StreamName::new("thompson sampling", "draws"));
        let again = case.run(&fits, sampling, &[], |observations, chosen| {
            let samples: Vec<f64> = prior
                .iter()
                .map(|(mu, sigma)| mu + sigma * random.normal())
                .collect();
            assert_greatest(observations, chosen, 1e-5, sampling, |row| -samples[row]);
        });
        assert_eq!(again, sampled);

        // Algorithm 2. The product predicts the prior in single precision.
        let model = Model {
            prior: Some(prior),
            tolerance: 1e-3,
            ..Model::new(&case, transform)
        };
        let rows = assert_improves(&fits, process, &model, |_| true);
        assert_eq!(rows[..5], sampled[..5]);
    }
}

#[test]
fn pibo_multiplies_by_the_belief_that_a_row_is_among_the_best_tenth() {
    let case = Case::of("pibo", 40);
    let blobs = Arc::new(MemoryBlobs::default());
    let fits = fits_in(blobs.clone());
    let sampled = case.run(&fits, "cts", &[], |_, _| ());
    let weights = fitted_weights(&blobs);
    let log_belief = case.points(case.target()).into_iter().map(|point| {
        let (mu, sigma) = prediction(&weights, &point);
        normal::cdf((normal::quantile(0.1) - mu) / sigma).ln()
    });
    let model = Model {
        log_belief: Some(log_belief.collect()),
        // The product predicts the prior in single precision, and the power is up to 2.
        tolerance: 1e-3,
        ..Model::new(&case, gaussian_quantiles)
    };
    let rows = assert_improves(&fits, "pibo", &model, |_| true);
    assert_eq!(rows[..5], sampled[..5]);
}

/// Fails unless the prior predicts the sources that it was fitted to much better than a constant
/// does, and its standard deviations are about its errors.
fn assert_learned(case: &Case, transform: Transform, weights: &[f64]) {
    let (mut squares, mut scaled, mut total, mut count) = (0.0, 0.0, 0.0, 0.0);
    for source in case.sources() {
        let points = case.points(source);
        for (z, point) in transform(&source.objective).iter().zip(points) {
            let (mu, sigma) = prediction(weights, &point);
            squares += (z - mu) * (z - mu);
            scaled += (z - mu) * (z - mu) / (sigma * sigma);
            total += z * z;
            count += 1.0;
        }
    }
    assert!(squares < 0.6 * total, "{squares} of {total}");
    assert!((0.4..2.5).contains(&(scaled / count)), "{}", scaled / count);
}
