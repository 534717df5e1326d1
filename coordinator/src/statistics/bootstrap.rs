//! Percentile bootstrap bands of mean curves: seeds are resampled with
//! replacement within every method and task.
//!
//! A best-so-far curve only falls, and rarely. So the resampled means are built
//! from the last iteration backwards: each step adds, for the few seeds whose
//! curve changes there, the change times the number of times the seed was drawn. Only
//! non-negative numbers are added, so nothing cancels.

use loto_proto::identity::ContentHasher;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::dtm::GapCurves;

/// Means of one method and task over resampled seeds, at one iteration after the other, backwards.
#[derive(Debug)]
pub struct ResampledMeans<'curves> {
    curves: &'curves GapCurves,
    /// What a gap is multiplied with, number of seeds included.
    scale: f64,
    /// How often each seed was drawn: one row of all resamples per seed.
    draws: Vec<f32>,
    /// Mean of each resample at the current iteration.
    means: Vec<f64>,
}

impl<'curves> ResampledMeans<'curves> {
    /// Resamples the seeds of `curves`. The means are divided by `range`, which makes them DTM.
    pub fn new(
        curves: &'curves GapCurves,
        range: f64,
        resamples: usize,
        random: &mut ChaCha8Rng,
    ) -> Self {
        let seeds = curves.seeds();
        let mut draws = vec![0.0; seeds * resamples];
        for resample in 0..resamples {
            for _ in 0..seeds {
                // Fixed-point scaling: its bias, below seeds / 2^32, does not matter here.
                let seed = (u64::from(random.next_u32()) * seeds as u64) >> 32;
                draws[seed as usize * resamples + resample] += 1.0;
            }
        }
        Self {
            curves,
            scale: 1.0 / (seeds as f64 * range),
            draws,
            means: vec![0.0; resamples],
        }
    }

    /// Moves the means to the iteration at `index`, which must be the last at
    /// first and then one less each time. Returns whether they changed.
    pub fn step_back(&mut self, index: usize) -> bool {
        let last = index + 1 == self.curves.iterations();
        let resamples = self.means.len();
        let mut changed = last;
        for (row, draws) in self.curves.rows().zip(self.draws.chunks_exact(resamples)) {
            let increment = row[index] - if last { 0.0 } else { row[index + 1] };
            if increment == 0.0 {
                continue;
            }
            changed = true;
            let increment = increment * self.scale;
            for (mean, &times) in self.means.iter_mut().zip(draws) {
                *mean += increment * f64::from(times);
            }
        }
        changed
    }

    /// Mean of each resample at the iteration last stepped to.
    pub fn means(&self) -> &[f64] {
        &self.means
    }
}

/// The random stream of one method on one task: it depends on nothing else, so
/// that a further method or task moves no other band.
pub fn random_stream(seed: u64, blackbox: &str, task: &str, method: &str) -> ChaCha8Rng {
    let mut hasher = ContentHasher::new("loto bootstrap 1");
    hasher.number(seed);
    for name in [blackbox, task, method] {
        hasher.field(name.as_bytes());
    }
    ChaCha8Rng::from_seed(hasher.finish())
}

/// The limits of a central interval, reusing its memory.
#[derive(Debug)]
pub struct PercentileLimits {
    lower: f64,
    upper: f64,
    values: Vec<f64>,
}

impl PercentileLimits {
    /// Limits that leave out (1 - `confidence`) / 2 on either side.
    pub fn new(confidence: f64) -> Self {
        Self {
            lower: (1.0 - confidence) / 2.0,
            upper: (1.0 + confidence) / 2.0,
            values: Vec::new(),
        }
    }

    /// Lower and upper limit of at least one value, linear between order statistics
    /// (the default of numpy.percentile).
    pub fn of(&mut self, values: &[f64]) -> (f64, f64) {
        self.values.clear();
        self.values.extend_from_slice(values);
        let last = (values.len() - 1) as f64;
        let (lower, upper) = (self.lower * last, self.upper * last);
        let lower_limit = quantile(&mut self.values, lower);
        // Everything from the lower limit's order statistic on is now to its right.
        let skipped = lower.floor();
        let upper_limit = quantile(&mut self.values[skipped as usize..], upper - skipped);
        (lower_limit, upper_limit)
    }
}

/// The value at a fractional position of the sorted values; partitions them there.
fn quantile(values: &mut [f64], position: f64) -> f64 {
    let index = position as usize;
    let (_, &mut below, rest) = values.select_nth_unstable_by(index, f64::total_cmp);
    let above = rest.iter().copied().reduce(f64::min).unwrap_or(below);
    below + (above - below) * (position - index as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random() -> ChaCha8Rng {
        random_stream(1, "blackbox", "task", "method")
    }

    #[test]
    fn percentiles_are_those_of_numpy() {
        // numpy.percentile([5, 1, 4, 2, 3, 9], [10, 90]) = [1.5, 7.0]; [25, 75] = [2.25, 4.75]
        let values = [5.0, 1.0, 4.0, 2.0, 3.0, 9.0];
        for (confidence, expected) in [(0.8, (1.5, 7.0)), (0.5, (2.25, 4.75))] {
            let (lower, upper) = PercentileLimits::new(confidence).of(&values);
            assert!((lower - expected.0).abs() < 1e-12 && (upper - expected.1).abs() < 1e-12);
        }
        assert_eq!(PercentileLimits::new(0.95).of(&[7.0]), (7.0, 7.0));
    }

    #[test]
    fn the_backward_sums_are_the_means_of_the_drawn_seeds() {
        let mut curves = GapCurves::new(4);
        curves.push(&[9.0, 4.0, 4.0, 1.0], 1.0);
        curves.push(&[7.0, 7.0, 2.0, 2.0], 1.0);
        curves.push(&[3.0, 3.0, 3.0, 3.0], 1.0);
        let mut means = ResampledMeans::new(&curves, 10.0, 50, &mut random());
        for index in (0..4).rev() {
            means.step_back(index);
            for (resample, mean) in means.means().iter().enumerate() {
                let drawn: f64 = (0..3)
                    .map(|seed| f64::from(means.draws[seed * 50 + resample]))
                    .sum();
                assert_eq!(drawn, 3.0);
                let sum: f64 = curves
                    .rows()
                    .enumerate()
                    .map(|(seed, row)| row[index] * f64::from(means.draws[seed * 50 + resample]))
                    .sum();
                assert!((mean - sum / 3.0 / 10.0).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn iterations_without_change_are_told() {
        let mut curves = GapCurves::new(3);
        curves.push(&[5.0, 5.0, 1.0], 0.0);
        let mut means = ResampledMeans::new(&curves, 1.0, 10, &mut random());
        assert_eq!(
            [2, 1, 0].map(|index| means.step_back(index)),
            [true, true, false]
        );
    }

    #[test]
    fn the_band_of_a_mean_has_the_width_of_its_standard_error() {
        let mut curves = GapCurves::new(1);
        for seed in 0..400 {
            curves.push(&[f64::from(seed)], 0.0);
        }
        let mut means = ResampledMeans::new(&curves, 1.0, 4000, &mut random());
        means.step_back(0);
        let (lower, upper) = PercentileLimits::new(0.95).of(means.means());
        let standard_error = (400.0_f64.powi(2) / 12.0 / 400.0).sqrt();
        let width = (upper - lower) / (2.0 * 1.959964 * standard_error);
        assert!((width - 1.0).abs() < 0.06, "{width}");
        assert!(((lower + upper) / 2.0 - 199.5).abs() < 0.1 * standard_error);
    }

    #[test]
    fn streams_differ_by_every_part_of_their_key_and_repeat() {
        let first = |mut random: ChaCha8Rng| random.next_u64();
        let base = first(random());
        assert_eq!(base, first(random()));
        for other in [
            random_stream(2, "blackbox", "task", "method"),
            random_stream(1, "x", "task", "method"),
            random_stream(1, "blackbox", "x", "method"),
            random_stream(1, "blackbox", "task", "x"),
        ] {
            assert_ne!(base, first(other));
        }
    }
}
