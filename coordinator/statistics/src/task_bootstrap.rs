//! Bootstrap intervals over the tasks: tasks are resampled with replacement, the scores on them stay.
//!
//! So an interval says how an average would vary with another choice of tasks of the same kind, which
//! is what a paper claims beyond its tasks. The luck of the seeds is in it as far as it is in the
//! scores. [`crate::small_samples`] corrects it for few tasks. Tasks of one black box are sources of each
//! other, hence not quite independent.

use rand_chacha::ChaCha8Rng;

use crate::bootstrap::{PercentileLimits, draw_seed};
use crate::interval::Interval;
use crate::small_samples::{LimitStretch, resampling_stretch};

/// Draws of tasks, the same for all methods and statistics of a black box.
#[derive(Debug)]
pub(crate) struct TaskResamples {
    tasks: usize,
    resamples: usize,
    /// The drawn tasks of one resample after the other.
    drawn: Vec<u32>,
    /// How often each task was drawn: the resamples of one task after the other.
    counts: Vec<f64>,
    limits: PercentileLimits,
    /// By how much limits are further from the centre than percentiles are.
    stretch: f64,
}

impl TaskResamples {
    /// Draws so many tasks again and again, for intervals that cover a share `confidence`; `None` with fewer
    /// than two.
    pub(crate) fn new(
        tasks: usize,
        resamples: usize,
        confidence: f64,
        random: &mut ChaCha8Rng,
    ) -> Option<Self> {
        if tasks < 2 {
            return None;
        }
        let mut drawn = Vec::with_capacity(tasks * resamples);
        let mut counts = vec![0.0; tasks * resamples];
        for resample in 0..resamples {
            for _ in 0..tasks {
                let task = draw_seed(random, tasks);
                drawn.push(task as u32);
                counts[task * resamples + resample] += 1.0;
            }
        }
        let limits = LimitStretch::new(confidence).at(tasks as f64 - 1.0);
        Some(Self {
            tasks,
            resamples,
            drawn,
            counts,
            limits: PercentileLimits::new(confidence),
            stretch: resampling_stretch(tasks) * limits,
        })
    }

    /// The interval of a `statistic` of one value per task that lies within `possible`.
    pub(crate) fn interval(
        &mut self,
        values: &[f64],
        statistic: fn(&mut [f64]) -> f64,
        possible: (f64, f64),
    ) -> Interval {
        assert_eq!(values.len(), self.tasks, "a value per task");
        let mut sample = vec![0.0; self.tasks];
        let of_resample = |drawn: &[u32]| {
            for (place, &task) in sample.iter_mut().zip(drawn) {
                *place = values[task as usize];
            }
            statistic(&mut sample)
        };
        let resampled: Vec<f64> = self.drawn.chunks(self.tasks).map(of_resample).collect();
        let centre = statistic(&mut values.to_vec());
        self.stretched(&resampled, centre, possible)
    }

    /// The limits of the mean of curves, one per task, at each of their points.
    pub(crate) fn mean_limits(&mut self, curves: &[&[f64]], possible: (f64, f64)) -> Vec<Interval> {
        assert_eq!(curves.len(), self.tasks, "a curve per task");
        let points = curves[0].len();
        let mut means = vec![0.0; self.resamples];
        let at = |index: usize| {
            means.fill(0.0);
            let mut centre = 0.0;
            for (curve, counts) in curves.iter().zip(self.counts.chunks(self.resamples)) {
                let share = curve[index] / self.tasks as f64;
                centre += share;
                for (mean, count) in means.iter_mut().zip(counts) {
                    *mean += count * share;
                }
            }
            self.stretched(&means, centre, possible)
        };
        (0..points).map(at).collect()
    }

    fn stretched(&mut self, resampled: &[f64], centre: f64, possible: (f64, f64)) -> Interval {
        let limits = self.limits.of(resampled);
        limits.stretched_within(centre, self.stretch, possible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::random_stream;
    use crate::means::mean_of;
    use crate::robust_means::{interquartile_mean, median};

    const ANYTHING: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

    fn resamples(tasks: usize, resamples: usize) -> TaskResamples {
        let mut random = random_stream(0, "blackbox", "", "");
        TaskResamples::new(tasks, resamples, 0.9, &mut random).unwrap()
    }

    fn assert_near(found: Interval, expected: (f64, f64), tolerance: f64) {
        let near = |one: f64, other: f64| (one - other).abs() <= tolerance;
        assert!(
            near(found.lower, expected.0) && near(found.upper, expected.1),
            "{found:?}, expected {expected:?}"
        );
    }

    #[test]
    fn intervals_are_those_of_all_possible_draws() {
        // All 3125 draws of five tasks, their percentiles 5 and 95, stretched about the statistic:
        // x = numpy.array([-2, .3, .5, .8, .9]); s = numpy.sqrt(5 / 4) * scipy.stats.t.isf(.05, 4) / scipy.stats.norm.isf(.05)
        // r = [f(x[list(i)]) for i in itertools.product(range(5), repeat=5)]; f(x) + s * (numpy.percentile(r, [5, 95]) - f(x))
        // for f = numpy.mean, numpy.median, lambda y: scipy.stats.trim_mean(y, .25)
        let values = [-2.0, 0.3, 0.5, 0.8, 0.9];
        let mut drawn = resamples(5, 40_000);
        let mut check = |statistic, expected, tolerance| {
            assert_near(
                drawn.interval(&values, statistic, ANYTHING),
                expected,
                tolerance,
            );
        };
        check(mean_of, (-1.2910891776579452, 1.0273927851052969), 0.03);
        check(median, (-3.122628066817566, 1.0796204906908105), 1e-12);
        check(
            interquartile_mean,
            (-1.785148629429909, 0.9680487013514413),
            1e-12,
        );
    }

    #[test]
    fn the_limits_of_curves_are_those_of_their_values() {
        let curves = [[0.5, 0.1], [0.25, 0.0], [0.75, 0.05]];
        let mut drawn = resamples(3, 500);
        let limits = drawn.mean_limits(&curves.each_ref().map(|curve| curve.as_slice()), ANYTHING);
        for (index, limits) in limits.into_iter().enumerate() {
            let values = curves.map(|curve| curve[index]);
            let expected = drawn.interval(&values, mean_of, ANYTHING);
            assert_near(limits, (expected.lower, expected.upper), 1e-12);
        }
    }

    #[test]
    fn limits_stay_within_what_is_possible_and_one_task_has_none() {
        let found = resamples(2, 200).interval(&[0.9, 1.0], mean_of, (f64::NEG_INFINITY, 1.0));
        assert_eq!(found.upper, 1.0);
        let mut random = random_stream(0, "blackbox", "", "");
        assert!(TaskResamples::new(1, 10, 0.9, &mut random).is_none());
    }
}
