//! Values of each acquisition on a front of three points, and their agreement with sampling.

use loto_proto::identity::Fingerprint;

use super::excursion_volume::ExcursionVolume;
use super::hypervolume_improvement::expected_hypervolume_improvement;
use super::maximin_improvement::{MaximinImprovement, probability_of_nondomination};
use super::optimistic_hypervolume::OptimisticHypervolume;
use super::{Front, Prediction};
use crate::random::{RandomStream, StreamName};
use crate::special::bivariate_normal::BivariateNormal;

const REFERENCE: [f64; 2] = [4.0, 4.0];

const DRAWS: usize = 200_000;

fn front() -> Front {
    Front::of([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])
}

fn prediction(means: [f64; 2], std_devs: [f64; 2]) -> Prediction {
    Prediction { means, std_devs }
}

fn candidates() -> [Prediction; 3] {
    [
        prediction([1.5, 1.5], [0.5, 0.7]),
        prediction([2.5, 2.5], [0.3, 0.3]),
        prediction([0.0, 5.0], [1.0, 1.0]),
    ]
}

fn random() -> RandomStream {
    let name = StreamName::new("test", "acquisitions of two objectives");
    RandomStream::new(name, Fingerprint([1; 16]), "task", 0)
}

/// The mean over draws of the prediction, with its standard error.
fn sampled(prediction: &Prediction, of: impl Fn([f64; 2]) -> f64) -> (f64, f64) {
    let mut random = random();
    let draws = (0..DRAWS).map(|_| {
        of([0, 1].map(|l| prediction.means[l] + prediction.std_devs[l] * random.normal()))
    });
    mean_and_error(draws)
}

fn mean_and_error(draws: impl Iterator<Item = f64>) -> (f64, f64) {
    let (mut sum, mut squares) = (0.0, 0.0);
    for draw in draws {
        sum += draw;
        squares += draw * draw;
    }
    let count = DRAWS as f64;
    let mean = sum / count;
    (mean, ((squares / count - mean * mean) / count).sqrt())
}

fn assert_near(found: f64, (mean, error): (f64, f64)) {
    assert!(
        (found - mean).abs() < 4.0 * error,
        "{found}: {mean} +- {error}"
    );
}

#[test]
fn the_hypervolume_improvement_is_the_known_one_and_that_of_samples() {
    let expected = [1.526_591_718, 0.005_983_376, 0.098_498_524];
    let front = front();
    for (candidate, expected) in candidates().iter().zip(expected) {
        let found = expected_hypervolume_improvement(&front, REFERENCE, candidate);
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        let gained = |point| {
            let with_it = Front::of(front.points().iter().copied().chain([point]));
            with_it.hypervolume(REFERENCE) - front.hypervolume(REFERENCE)
        };
        assert_near(found, sampled(candidate, gained));
    }
}

#[test]
fn the_maximin_improvement_is_the_known_one_and_that_of_samples() {
    let expected = [
        (0.754_021_1, 0.950_641_187),
        (0.010_431_7, 0.088_728_979),
        (1.085_071_0, 0.844_465_536),
    ];
    let front = front();
    let improvement = MaximinImprovement::new(&front);
    for (candidate, (expected, nondominated)) in candidates().iter().zip(expected) {
        let found = improvement.value(candidate, 0.0).unwrap();
        // A bar that it reaches changes nothing, and one beyond it ends the integral.
        assert_eq!(improvement.value(candidate, found), Some(found));
        assert_eq!(improvement.value(candidate, 1.001 * found + 1e-9), None);
        assert!((found - expected).abs() < 1e-7, "{found} {expected}");
        let bound = improvement.bound(candidate);
        assert!(
            found <= bound && bound < 5.0 * found + 0.2,
            "{found} {bound}"
        );
        let found_probability = probability_of_nondomination(&front, candidate);
        assert!(
            (found_probability - nondominated).abs() < 1e-9,
            "{found_probability}"
        );
        let gained = |point: [f64; 2]| {
            let gains = front.points().iter();
            let gains = gains.map(|other| (other[0] - point[0]).max(other[1] - point[1]));
            gains.fold(f64::INFINITY, f64::min).max(0.0)
        };
        assert_near(found, sampled(candidate, gained));
    }
}

#[test]
fn the_optimistic_hypervolume_is_the_known_one() {
    let front = front();
    for (evaluations_left, expected) in [
        (1, [1.975_754_671, -1.387_276_622, 0.0]),
        (10, [1.975_754_671, -0.924_536_425, 0.0]),
    ] {
        let acquisition = OptimisticHypervolume {
            reference: REFERENCE,
            evaluations_left,
        };
        for (candidate, expected) in candidates().iter().zip(expected) {
            let found = acquisition.value(&front, candidate);
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }
}

#[test]
fn the_excursion_volume_is_the_known_one_and_that_of_samples() {
    let (front, distribution) = (front(), BivariateNormal::new());
    let volume = ExcursionVolume::new(&front, &distribution);
    let known = (
        prediction([1.5, 1.5], [0.5, 0.7]),
        prediction([1.8, 1.7], [0.6, 0.5]),
        [0.15, 0.1],
    );
    let found = volume.probability(&known.0, &known.1, known.2);
    assert!((found - 0.344_340).abs() < 1e-6, "{found}");
    // Also far apart, and nearly the same configuration.
    let cases = [
        known,
        (
            prediction([2.5, 0.9], [0.3, 0.3]),
            prediction([2.6, 1.4], [0.4, 0.6]),
            [-0.1, 0.05],
        ),
        (
            prediction([1.5, 1.5], [0.5, 0.7]),
            prediction([1.5, 1.6], [0.5, 0.7]),
            [0.249, 0.489],
        ),
    ];
    for (candidate, other, covariances) in cases {
        let mut random = random();
        let draws = (0..DRAWS).map(|_| {
            let drawn = [0, 1].map(|l| {
                let (own, others) = (candidate.std_devs[l], other.std_devs[l]);
                let shared = random.normal();
                let slope = covariances[l] / own;
                let rest = (others * others - slope * slope).max(0.0).sqrt();
                let of_other = other.means[l] + slope * shared + rest * random.normal();
                (candidate.means[l] + own * shared, of_other)
            });
            let dominated = |point: &[f64; 2]| point[0] <= drawn[0].1 && point[1] <= drawn[1].1;
            let newly = drawn.iter().all(|(own, others)| own < others);
            f64::from(u8::from(newly && !front.points().iter().any(dominated)))
        });
        let found = volume.probability(&candidate, &other, covariances);
        assert_near(found, mean_and_error(draws));
    }
}
