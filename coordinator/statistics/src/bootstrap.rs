//! Percentile bootstrap bands of mean curves: seeds are resampled with
//! replacement within every method and task.
//!
//! A best-so-far curve only falls, and rarely. So the resampled means are built
//! from the last iteration backwards: each fall adds the distance times the number of
//! times the seed was drawn, for all resamples. Only non-negative numbers are added, so
//! nothing cancels. Resamples are drawn in batches, so that memory is bounded
//! however many seeds there are. This is own code because that trick makes a thousand
//! resamples affordable, and because the bands must be the same bits on every machine.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::dtm::GapCurves;
use crate::interval::Interval;
use crate::variates::stream;

/// Resamples that are drawn at a time: their counts stay in the processor's cache.
const RESAMPLES_PER_BATCH: usize = 64;

/// Means of one method and task over resampled seeds, at every iteration. Reuses its memory.
#[derive(Debug)]
pub(crate) struct ResampledMeans {
    resamples: usize,
    iterations: usize,
    /// By iteration, then resample.
    means: Vec<f64>,
    /// By iteration: whether the means differ from those of the next one.
    changed: Vec<bool>,
    /// How often each seed was drawn: one row of a batch's resamples per seed.
    draws: Vec<f32>,
    falls: Vec<Fall>,
}

/// The distance of a seed at an iteration, less that at the next one.
#[derive(Debug, Clone, Copy)]
struct Fall {
    /// The iteration, from 0.
    index: u32,
    seed: u32,
    by: f64,
}

impl ResampledMeans {
    /// Room for means of so many resamples at so many iterations (at least 1).
    pub(crate) fn new(resamples: usize, iterations: usize) -> Self {
        Self {
            resamples,
            iterations,
            means: vec![0.0; resamples * iterations],
            changed: vec![false; iterations],
            draws: Vec::new(),
            falls: Vec::new(),
        }
    }

    /// Resamples the seeds of `curves`. The means are divided by `range`, which makes them DTM.
    ///
    /// # Panics
    /// If the curves are of another number of iterations.
    pub(crate) fn resample(&mut self, curves: &GapCurves<'_>, range: f64, random: &mut ChaCha8Rng) {
        assert_eq!(curves.iterations(), self.iterations, "as long as announced");
        let seeds = curves.seeds();
        self.list_falls(curves, seeds as f64 * range);
        for begin in (0..self.resamples).step_by(RESAMPLES_PER_BATCH) {
            let batch = RESAMPLES_PER_BATCH.min(self.resamples - begin);
            self.draws.clear();
            self.draws.resize(seeds * batch, 0.0);
            for resample in 0..batch {
                for _ in 0..seeds {
                    self.draws[draw_seed(random, seeds) * batch + resample] += 1.0;
                }
            }
            self.sum_falls(begin, batch);
        }
    }

    /// Lists the falls of all seeds as shares of `whole`, the last iteration first, then by seed.
    fn list_falls(&mut self, curves: &GapCurves<'_>, whole: f64) {
        self.falls.clear();
        for (seed, segments) in (0..).zip(curves.segments()) {
            let mut segments = segments.peekable();
            while let Some((_, end, gap)) = segments.next() {
                let next = segments.peek().map_or(0.0, |&(_, _, gap)| gap);
                let by = (gap - next) / whole;
                if by != 0.0 {
                    let index = end as u32 - 1;
                    self.falls.push(Fall { index, seed, by });
                }
            }
        }
        self.falls.sort_by_key(|fall| std::cmp::Reverse(fall.index));
        self.changed.fill(false);
        self.changed[self.iterations - 1] = true;
        for fall in &self.falls {
            self.changed[fall.index as usize] = true;
        }
    }

    /// Sums up the falls, each as often as its seed was drawn, for a batch of resamples.
    fn sum_falls(&mut self, begin: usize, batch: usize) {
        let sums = &mut [0.0; RESAMPLES_PER_BATCH][..batch];
        let mut falls = self.falls.iter().peekable();
        for index in (0..self.iterations).rev() {
            while let Some(fall) = falls.next_if(|fall| fall.index as usize == index) {
                let draws = &self.draws[fall.seed as usize * batch..][..batch];
                for (sum, &times) in sums.iter_mut().zip(draws) {
                    *sum += fall.by * f64::from(times);
                }
            }
            self.means[index * self.resamples + begin..][..batch].copy_from_slice(sums);
        }
    }

    /// Mean of each resample at the iteration at `index`.
    pub(crate) fn at(&self, index: usize) -> &[f64] {
        &self.means[index * self.resamples..][..self.resamples]
    }

    /// Whether the means at `index` differ from those at the next iteration.
    pub(crate) fn changed(&self, index: usize) -> bool {
        self.changed[index]
    }
}

/// A seed's index, drawn at random among so many.
pub(crate) fn draw_seed(random: &mut ChaCha8Rng, seeds: usize) -> usize {
    // Fixed-point scaling: its bias, below seeds / 2^32, does not matter here.
    ((u64::from(random.next_u32()) * seeds as u64) >> 32) as usize
}

/// The random stream of one method on one task: it depends on nothing else, so
/// that a further method or task moves no other band.
pub(crate) fn random_stream(seed: u64, blackbox: &str, task: &str, method: &str) -> ChaCha8Rng {
    stream("loto bootstrap 1", seed, &[blackbox, task, method])
}

/// The limits of a central interval, reusing its memory.
#[derive(Debug)]
pub(crate) struct PercentileLimits {
    lower: f64,
    upper: f64,
    values: Vec<f64>,
}

impl PercentileLimits {
    /// Limits that leave out (1 - `confidence`) / 2 on either side.
    pub(crate) fn new(confidence: f64) -> Self {
        Self {
            lower: (1.0 - confidence) / 2.0,
            upper: (1.0 + confidence) / 2.0,
            values: Vec::new(),
        }
    }

    /// Lower and upper limit of at least one value, linear between order statistics
    /// (the default of numpy.percentile).
    pub(crate) fn of(&mut self, values: &[f64]) -> Interval {
        self.values.clear();
        self.values.extend_from_slice(values);
        let last = (values.len() - 1) as f64;
        let (lower, upper) = (self.lower * last, self.upper * last);
        let lower_limit = quantile(&mut self.values, lower);
        // Everything from the lower limit's order statistic on is now to its right.
        let skipped = lower.floor();
        let upper_limit = quantile(&mut self.values[skipped as usize..], upper - skipped);
        Interval {
            lower: lower_limit,
            upper: upper_limit,
        }
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
    use crate::reference_cases::best_curves;

    fn random() -> ChaCha8Rng {
        random_stream(1, "blackbox", "task", "method")
    }

    #[test]
    fn percentiles_are_those_of_numpy() {
        // numpy.percentile([5, 1, 4, 2, 3, 9], [10, 90]) = [1.5, 7.0]; [25, 75] = [2.25, 4.75]
        let values = [5.0, 1.0, 4.0, 2.0, 3.0, 9.0];
        for (confidence, expected) in [(0.8, (1.5, 7.0)), (0.5, (2.25, 4.75))] {
            let Interval { lower, upper } = PercentileLimits::new(confidence).of(&values);
            assert!((lower - expected.0).abs() < 1e-12 && (upper - expected.1).abs() < 1e-12);
        }
        let of_one = PercentileLimits::new(0.95).of(&[7.0]);
        assert_eq!((of_one.lower, of_one.upper), (7.0, 7.0));
    }

    #[test]
    fn the_backward_sums_are_the_means_of_the_drawn_seeds() {
        let best = best_curves(&[&[9.0, 4.0, 4.0, 1.0], &[7.0, 7.0, 2.0, 2.0], &[3.0; 4]]);
        let curves = GapCurves::new(&best, 4, 1.0);
        let rows = [[8.0, 3.0, 3.0, 0.0], [6.0, 6.0, 1.0, 1.0], [2.0; 4]];
        let mut means = ResampledMeans::new(150, 4);
        means.resample(&curves, 10.0, &mut random());
        let mut random = random();
        for resample in 0..150 {
            let drawn = [(); 3].map(|()| (u64::from(random.next_u32()) * 3) >> 32);
            let drawn_rows = drawn.map(|seed| rows[seed as usize]);
            for (index, means) in (0..4).map(|index| (index, means.at(index))) {
                let sum: f64 = drawn_rows.iter().map(|row| row[index]).sum();
                assert!((means[resample] - sum / 3.0 / 10.0).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn the_least_numbers_have_means_as_others_do() {
        let means_of = |unit: f64| {
            let best = best_curves(&[
                &[9.0 * unit, 4.0 * unit, unit],
                &[7.0 * unit, 2.0 * unit, 2.0 * unit],
            ]);
            let curves = GapCurves::new(&best, 3, unit);
            let mut means = ResampledMeans::new(20, 3);
            means.resample(&curves, 10.0 * unit, &mut random());
            [0, 1, 2].map(|index| means.at(index).to_vec()).concat()
        };
        for (found, expected) in means_of(1e-310).into_iter().zip(means_of(1.0)) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn iterations_without_change_are_told() {
        let best = best_curves(&[&[5.0, 5.0, 1.0]]);
        let curves = GapCurves::new(&best, 3, 0.0);
        let mut means = ResampledMeans::new(10, 3);
        means.resample(&curves, 1.0, &mut random());
        assert_eq!(
            [2, 1, 0].map(|index| means.changed(index)),
            [true, true, false]
        );
    }

    #[test]
    fn the_band_of_a_mean_has_the_width_of_its_standard_error() {
        let values: Vec<[f64; 1]> = (0..400).map(|seed| [f64::from(seed)]).collect();
        let traces: Vec<&[f64]> = values.iter().map(|values| values.as_slice()).collect();
        let best = best_curves(&traces);
        let curves = GapCurves::new(&best, 1, 0.0);
        let mut means = ResampledMeans::new(4000, 1);
        means.resample(&curves, 1.0, &mut random());
        let Interval { lower, upper } = PercentileLimits::new(0.95).of(means.at(0));
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
