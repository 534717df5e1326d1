//! Random streams, each of which belongs to a purpose rather than to a method.
//!
//! A stream is keyed by its purpose, the table's fingerprint, the target task and the seed. Two
//! methods that both begin with random rows, for example, draw the same ones. So methods are
//! compared under common random numbers, and a trace is a pure function of its job.

use loto_proto::identity::{ContentHasher, Fingerprint};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::special::normal;

/// What a stream is for; part of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The order in which random search visits the rows.
    RandomSearch,
    /// The standard normal draws of Thompson sampling.
    Thompson,
    /// The initial weights, batches and dropout of the parametric prior.
    Prior,
    /// The rows of a source task to which a surrogate is fitted.
    SourceSample,
    /// The initial weights of the network whose outputs are the features of a linear regression.
    Features,
    /// The parents and mutations of regularised evolution.
    Evolution,
    /// The initial policy of REINFORCE and the draws from it.
    Reinforce,
    /// The samples of BOHB around good configurations.
    Bohb,
}

impl Purpose {
    fn key(self) -> &'static str {
        match self {
            Self::RandomSearch => "random search",
            Self::Thompson => "thompson",
            Self::Prior => "prior",
            Self::SourceSample => "source sample",
            Self::Features => "features",
            Self::Evolution => "evolution",
            Self::Reinforce => "reinforce",
            Self::Bohb => "bohb",
        }
    }
}

/// A stream of random numbers, the same on every host.
pub struct RandomStream(ChaCha8Rng);

impl RandomStream {
    /// Starts the stream of that purpose for a table, target task and seed.
    pub fn new(purpose: Purpose, table: Fingerprint, task: &str, seed: u32) -> Self {
        let mut hasher = ContentHasher::new("loto random stream 1");
        hasher
            .field(purpose.key().as_bytes())
            .field(&table.0)
            .field(task.as_bytes())
            .number(seed.into());
        Self(ChaCha8Rng::from_seed(hasher.finish()))
    }

    /// Draws uniformly from the 2^53 midpoints of (0, 1), which are neither 0 nor 1.
    pub fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64)
    }

    /// Draws from the standard normal distribution, by inversion.
    pub fn normal(&mut self) -> f64 {
        normal::quantile(self.uniform())
    }

    /// Draws uniformly from 0 .. `bound`, which must be above 0, without bias (Lemire 2019).
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "nothing is below 0");
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(bound);
            if product as u32 >= threshold {
                return (product >> 32) as u32;
            }
        }
    }

    /// Fills a buffer with random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }

    /// Shuffles the numbers 0 .. `count` (Fisher-Yates).
    pub fn permutation(&mut self, count: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last as usize, self.below(last + 1) as usize);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(purpose: Purpose, task: &str, seed: u32) -> RandomStream {
        RandomStream::new(purpose, Fingerprint([3; 16]), task, seed)
    }

    #[test]
    fn a_stream_depends_on_each_part_of_its_key() {
        let first = |mut stream: RandomStream| stream.uniform();
        let base = first(stream(Purpose::Thompson, "a", 0));
        assert_eq!(base, first(stream(Purpose::Thompson, "a", 0)));
        assert_ne!(base, first(stream(Purpose::RandomSearch, "a", 0)));
        assert_ne!(base, first(stream(Purpose::Thompson, "b", 0)));
        assert_ne!(base, first(stream(Purpose::Thompson, "a", 1)));
    }

    #[test]
    fn normals_have_the_right_moments() {
        let mut stream = stream(Purpose::Thompson, "a", 0);
        let draws: Vec<f64> = (0..200_000).map(|_| stream.normal()).collect();
        let moment = |power| draws.iter().map(|z| z.powi(power)).sum::<f64>() / draws.len() as f64;
        // Four standard errors of each sample moment: sqrt(var / 200,000).
        for (power, expected, variance) in
            [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)]
        {
            let error = (moment(power) - expected).abs();
            assert!(
                error < 4.0 * f64::sqrt(variance / 200_000.0),
                "{power}: {error}"
            );
        }
    }

    #[test]
    fn permutations_are_permutations_and_uniform() {
        let mut counts = [0; 6];
        let mut stream = stream(Purpose::RandomSearch, "a", 0);
        for _ in 0..6_000 {
            let order = stream.permutation(3);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2]);
            counts[(order[0] * 2 + u32::from(order[1] > order[2])) as usize] += 1;
        }
        // Chi-square with 5 degrees of freedom: 20.5 is its .999 quantile.
        let chi_square: f64 = counts
            .iter()
            .map(|&count| (f64::from(count) - 1000.0).powi(2) / 1000.0)
            .sum();
        assert!(chi_square < 20.5, "{counts:?}");
    }
}
