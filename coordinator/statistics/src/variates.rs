//! Random variates for the posteriors of Bayesian tests, from streams that are keyed by names.
//!
//! Logarithms and cosines are those of `libm`, so that the variates are the same bits on every machine.

use std::f64::consts::TAU;

use loto_proto::identity::ContentHasher;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The stream of a use, which `label` says, that is keyed by a seed and by names.
pub(crate) fn stream(label: &'static str, seed: u64, names: &[&str]) -> ChaCha8Rng {
    let mut hasher = ContentHasher::new(label);
    hasher.number(seed);
    for name in names {
        hasher.field(name.as_bytes());
    }
    ChaCha8Rng::from_seed(hasher.finish())
}

/// Uniform, strictly between 0 and 1.
pub(crate) fn uniform(random: &mut ChaCha8Rng) -> f64 {
    let bits = random.next_u64() >> 11;
    (bits as f64 + 0.5) / (1_u64 << 53) as f64
}

/// Exponential with mean 1.
pub(crate) fn exponential(random: &mut ChaCha8Rng) -> f64 {
    -libm::log(uniform(random))
}

/// Standard normal (Box and Muller 1958).
pub(crate) fn normal(random: &mut ChaCha8Rng) -> f64 {
    let radius = (2.0 * exponential(random)).sqrt();
    radius * libm::cos(TAU * uniform(random))
}

/// Gamma with a positive shape and rate 1 (Marsaglia and Tsang, ACM Transactions on Mathematical Software 26, 2000).
pub(crate) fn gamma(shape: f64, random: &mut ChaCha8Rng) -> f64 {
    if shape < 1.0 {
        let power = libm::pow(uniform(random), 1.0 / shape);
        return gamma(shape + 1.0, random) * power;
    }
    let depth = shape - 1.0 / 3.0;
    let scale = 1.0 / (9.0 * depth).sqrt();
    loop {
        let deviate = normal(random);
        let root = 1.0 + scale * deviate;
        if root <= 0.0 {
            continue;
        }
        let cube = root * root * root;
        let bound = 0.5 * deviate * deviate + depth * (1.0 - cube + libm::log(cube));
        if libm::log(uniform(random)) < bound {
            return depth * cube;
        }
    }
}

/// Gamma with a positive shape and a rate that is not negative, between two limits, of which the lower one is below its mean.
pub(crate) fn gamma_within(
    shape: f64,
    rate: f64,
    (lower, upper): (f64, f64),
    random: &mut ChaCha8Rng,
) -> f64 {
    if rate * upper > shape {
        loop {
            let value = gamma(shape, random) / rate;
            if (lower..=upper).contains(&value) {
                return value;
            }
        }
    }
    // Most of the density is beyond the upper limit: below it, it is nearly a power.
    let [least, greatest] = [lower, upper].map(|limit| libm::pow(limit, shape));
    loop {
        let power = least + uniform(random) * (greatest - least);
        let value = libm::pow(power, 1.0 / shape).clamp(lower, upper);
        if exponential(random) >= rate * (value - lower) {
            return value;
        }
    }
}

/// One step of a Markov chain whose distribution within two limits has this logarithm of a density, from a value
/// within them (slice sampling with shrinkage: Neal, The Annals of Statistics 31, 2003, section 4).
pub(crate) fn slice_within(
    from: f64,
    (mut lower, mut upper): (f64, f64),
    log_density: impl Fn(f64) -> f64,
    random: &mut ChaCha8Rng,
) -> f64 {
    let height = log_density(from) - exponential(random);
    loop {
        let value = lower + uniform(random) * (upper - lower);
        if value == from || log_density(value) > height {
            return value;
        }
        match value < from {
            true => lower = value,
            false => upper = value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(mut draw: impl FnMut(&mut ChaCha8Rng) -> f64) -> (f64, f64) {
        let mut random = stream("test", 0, &[]);
        let values: Vec<f64> = (0..100_000).map(|_| draw(&mut random)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares = values.iter().map(|value| (value - mean).powi(2));
        (mean, squares.sum::<f64>() / values.len() as f64)
    }

    #[track_caller]
    fn check((mean, variance): (f64, f64), expected: (f64, f64)) {
        let error = 5.0 * (expected.1 / 100_000.0).sqrt();
        assert!((mean - expected.0).abs() < error, "mean {mean}");
        assert!(
            (variance / expected.1 - 1.0).abs() < 0.05,
            "variance {variance}"
        );
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        check(moments(normal), (0.0, 1.0));
        check(moments(exponential), (1.0, 1.0));
        for shape in [0.5, 1.0, 4.5] {
            check(moments(|random| gamma(shape, random)), (shape, shape));
        }
        // scipy 1.17: a = 1.5; g = gamma(a, scale=1 / b); p = g.cdf(u) - g.cdf(l);
        // quad(lambda x: x * g.pdf(x), l, u)[0] / p, and the same with x ** 2, for (b, l, u) = (2, .1, 3), (.2, .1, 3)
        check(
            moments(|random| gamma_within(1.5, 2.0, (0.1, 3.0), random)),
            (0.7722561516, 0.3072712395),
        );
        check(
            moments(|random| gamma_within(1.5, 0.2, (0.1, 3.0), random)),
            (1.6876485848, 0.6251679408),
        );
    }

    #[test]
    fn slices_have_the_distribution_of_their_density() {
        // The density 2 x on [0, 1] has mean 2 / 3 and variance 1 / 18; a chain's mean varies more than that of draws.
        let mut value = 0.5;
        let (mean, variance) = moments(|random| {
            value = slice_within(value, (0.0, 1.0), |value| libm::log(2.0 * value), random);
            value
        });
        assert!((mean - 2.0 / 3.0).abs() < 0.01, "{mean}");
        assert!((variance * 18.0 - 1.0).abs() < 0.05, "{variance}");
    }

    #[test]
    fn streams_differ_by_every_part_of_their_key() {
        let first = |mut random: ChaCha8Rng| random.next_u64();
        let base = first(stream("a", 0, &["x", "y"]));
        assert_eq!(base, first(stream("a", 0, &["x", "y"])));
        for other in [
            stream("b", 0, &["x", "y"]),
            stream("a", 1, &["x", "y"]),
            stream("a", 0, &["xy"]),
        ] {
            assert_ne!(base, first(other));
        }
    }
}
