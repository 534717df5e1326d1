//! Random streams, each with a name.
//!
//! A stream is keyed by its name, the table's fingerprint, the target task and the seed. Methods that share a
//! stream draw the same numbers: those that begin with random rows, for example, begin with the same ones. So
//! methods are compared under common random numbers, and a trace is a pure function of its job.

mod keystream;

use loto_proto::identity::{ContentHasher, Fingerprint};
use pulp::Simd;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::special::normal;
use keystream::{BLOCK, WORDS, fill_blocks};

/// From so many bytes on, whole blocks are drawn by [`fill_blocks`].
const MANY: usize = 16 * BLOCK;

/// Numbers that are drawn together.
const TOGETHER: usize = 512;

/// Names a stream by who draws from it and what for: the id of a method, or what several methods share, and the use
/// of the numbers.
///
/// A name is a constant beside the code that draws from the stream. Two that draw from one stream are not
/// independent, so each name is there once; a test holds that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamName {
    owner: &'static str,
    purpose: &'static str,
}

impl StreamName {
    /// The stream of that owner for that use.
    pub const fn new(owner: &'static str, purpose: &'static str) -> Self {
        Self { owner, purpose }
    }

    /// The first part of the key of a stream that had a name of one part once: its numbers stay the same.
    fn former_name(self) -> Option<&'static str> {
        let is_own =
            |former: &&(&str, &str, &str)| (self.owner, self.purpose) == (former.0, former.1);
        let former = FORMER_NAMES.iter().find(is_own);
        former.map(|(_, _, name)| *name)
    }

    fn hasher(self) -> ContentHasher {
        match self.former_name() {
            Some(name) => {
                let mut hasher = ContentHasher::new("loto random stream 1");
                hasher.field(name.as_bytes());
                hasher
            }
            None => {
                let mut hasher = ContentHasher::new("loto random stream 2");
                hasher
                    .field(self.owner.as_bytes())
                    .field(self.purpose.as_bytes());
                hasher
            }
        }
    }
}

/// Owner and use of the streams that are older than names of two parts, and their names then. No stream comes to
/// this list.
const FORMER_NAMES: [(&str, &str, &str); 9] = [
    ("random search", "order of rows", "random search"),
    ("thompson sampling", "draws", "thompson"),
    ("prior", "training", "prior"),
    ("sources", "sample of rows", "source sample"),
    ("ablr", "initial features", "features"),
    ("rea", "parents and mutations", "evolution"),
    ("reinforce", "policy and draws", "reinforce"),
    ("bohb", "samples", "bohb"),
    ("setting", "source tasks", "source tasks"),
];

/// A stream of random numbers, the same on every host.
pub struct RandomStream {
    generator: ChaCha8Rng,
    /// The key of the generator.
    key: [u32; 8],
}

impl RandomStream {
    /// Starts the stream of that name for a table, target task and seed.
    pub fn new(name: StreamName, table: Fingerprint, task: &str, seed: u32) -> Self {
        let mut hasher = name.hasher();
        hasher
            .field(&table.0)
            .field(task.as_bytes())
            .number(seed.into());
        let bytes: [u8; 32] = hasher.finish();
        let mut key = [0; 8];
        for (word, four) in key.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*four);
        }
        let generator = ChaCha8Rng::from_seed(bytes);
        Self { generator, key }
    }

    /// Draws uniformly from the 2^53 midpoints of (0, 1), rounded to what is neither 0 nor 1.
    pub fn uniform(&mut self) -> f64 {
        midpoint(self.generator.next_u64())
    }

    /// Draws each number as [`Self::uniform`] does, in their order.
    pub fn fill_uniform(&mut self, numbers: &mut [f64]) {
        let mut bytes = [0; 8 * TOGETHER];
        for part in numbers.chunks_mut(TOGETHER) {
            let drawn = &mut bytes[..8 * part.len()];
            self.fill(drawn);
            midpoints(drawn, part);
        }
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
            let product = u64::from(self.generator.next_u32()) * u64::from(bound);
            if product as u32 >= threshold {
                return (product >> 32) as u32;
            }
        }
    }

    /// Fills a buffer with random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        // Up to a whole block by the generator, which is set behind the blocks for the rest.
        let position = self.generator.get_word_pos();
        let words = WORDS as u128;
        let block = position.div_ceil(words);
        let to_block = (block * words - position) as usize * size_of::<u32>();
        if bytes.len() < to_block + MANY {
            self.generator.fill_bytes(bytes);
            return;
        }
        let (before, rest) = bytes.split_at_mut(to_block);
        let (blocks, after) = rest.split_at_mut(rest.len() / BLOCK * BLOCK);
        self.generator.fill_bytes(before);
        fill_blocks(&self.key, block as u64, blocks);
        let end = block + (blocks.len() / BLOCK) as u128;
        self.generator.set_word_pos(end * words);
        self.generator.fill_bytes(after);
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

/// A number of (0, 1) from random bits.
#[inline(always)]
fn midpoint(bits: u64) -> f64 {
    // From 1/2 on the midpoints are rounded, the last of them to 1.
    let rounded = ((bits >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64);
    rounded.min(1.0 - 0.5 * f64::EPSILON)
}

#[pulp::with_simd(midpoints = pulp::Arch::new())]
#[inline(always)]
fn midpoints_with<S: Simd>(_simd: S, bytes: &[u8], numbers: &mut [f64]) {
    for (number, bits) in numbers.iter_mut().zip(bytes.as_chunks().0) {
        *number = midpoint(u64::from_le_bytes(*bits));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: StreamName = StreamName::new("test", "one");
    const OTHER: StreamName = StreamName::new("test", "other");

    fn stream(name: StreamName, task: &str, seed: u32) -> RandomStream {
        RandomStream::new(name, Fingerprint([3; 16]), task, seed)
    }

    #[test]
    fn numbers_are_neither_0_nor_1() {
        for bits in [0, 1 << 11, u64::MAX / 2, u64::MAX - (1 << 11), u64::MAX] {
            let number = midpoint(bits);
            assert!(0.0 < number && number < 1.0, "{bits}: {number}");
            assert!(
                (number - bits as f64 / 2f64.powi(64)).abs() < 1e-15,
                "{bits}"
            );
        }
    }

    #[test]
    fn a_stream_depends_on_each_part_of_its_key() {
        let first = |mut stream: RandomStream| stream.uniform();
        let base = first(stream(ONE, "a", 0));
        assert_eq!(base, first(stream(ONE, "a", 0)));
        assert_ne!(base, first(stream(OTHER, "a", 0)));
        assert_ne!(base, first(stream(StreamName::new("tes", "tone"), "a", 0)));
        assert_ne!(base, first(stream(ONE, "b", 0)));
        assert_ne!(base, first(stream(ONE, "a", 1)));
    }

    #[test]
    fn former_streams_keep_their_bytes() {
        // SHA-256 over the fields, each after its length in 8 bytes, from Python's hashlib.
        let expected = [
            [0xdd, 0x13, 0x76, 0x77],
            [0x75, 0x19, 0xcf, 0x0f],
            [0x12, 0x78, 0x3d, 0x88],
            [0xe2, 0x51, 0x69, 0xd9],
            [0xe8, 0x2e, 0x90, 0x81],
            [0xfc, 0x7c, 0x32, 0x05],
            [0xe4, 0x15, 0x24, 0xb1],
            [0x20, 0xcc, 0xd2, 0xd3],
            [0x62, 0xd3, 0xea, 0x46],
        ];
        let names = FORMER_NAMES.map(|(owner, purpose, _)| StreamName::new(owner, purpose));
        for (name, expected) in names.into_iter().zip(expected) {
            let mut hasher = name.hasher();
            hasher.field(&[3; 16]).field(b"a").number(7);
            assert_eq!(hasher.finish()[..4], expected, "{name:?}");
        }
    }

    #[test]
    fn many_bytes_are_those_of_the_generator() {
        let mut stream = stream(ONE, "a", 0);
        let mut generator = stream.generator.clone();
        // Beginning at every word of a block, ending anywhere.
        for count in (0..5000).step_by(97) {
            let (mut found, mut expected) = (vec![1; count], vec![2; count]);
            stream.fill(&mut found);
            generator.fill_bytes(&mut expected);
            assert_eq!(found, expected, "{count} bytes");
            assert_eq!(stream.generator.next_u32(), generator.next_u32());
            assert_eq!(stream.generator.get_word_pos(), generator.get_word_pos());
        }
    }

    #[test]
    fn numbers_drawn_together_are_those_drawn_one_by_one() {
        let (mut together, mut single) = (stream(ONE, "a", 0), stream(ONE, "a", 0));
        for count in [1, 2, 700, 1024, 3] {
            let mut found = vec![0.0; count];
            together.fill_uniform(&mut found);
            let expected: Vec<f64> = (0..count).map(|_| single.uniform()).collect();
            assert_eq!(found, expected);
            assert_eq!(together.below(7), single.below(7));
        }
    }

    #[test]
    fn normals_have_the_right_moments() {
        let mut stream = stream(ONE, "a", 0);
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
        let mut stream = stream(OTHER, "a", 0);
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
