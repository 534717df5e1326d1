//! Distance to the minimum (DTM) of a task's table (ICML section 5).
//!
//! DTM(t) = (mean over seeds of the best y so far - minimum) / (maximum - minimum).

use crate::results::BestCurves;

/// The least and the greatest distance that values of the table have.
pub(crate) const POSSIBLE_DISTANCES: (f64, f64) = (0.0, 1.0);

/// How far the best value so far of every seed is above the task's minimum, in
/// the objective's unit, at every iteration.
///
/// Seen as distances rather than values so that a solved task is exactly 0,
/// whatever the number of seeds; and by the steps at which they fall, which are few.
#[derive(Debug, Clone, Copy)]
pub struct GapCurves<'a> {
    curves: &'a BestCurves,
    iterations: usize,
    minimum: f64,
}

impl<'a> GapCurves<'a> {
    /// The curves of traces that were reduced to their least values. If a trace is shorter than
    /// `iterations`, its best value stays for the rest.
    pub fn new(curves: &'a BestCurves, iterations: usize, minimum: f64) -> Self {
        Self {
            curves,
            iterations,
            minimum,
        }
    }

    /// Number of iterations.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Number of seeds.
    pub fn seeds(&self) -> usize {
        self.curves.len()
    }

    /// The distances of each seed, in order: the iteration (from 0) from which one holds, the iteration
    /// from which it holds no longer, and the distance.
    pub fn segments(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, usize, f64)>> {
        let Self {
            iterations,
            minimum,
            ..
        } = *self;
        self.curves.curves().map(move |steps| {
            let distances = steps.map(move |(from, best)| (from as usize, best - minimum));
            let mut steps = distances
                .take_while(move |&(from, _)| from < iterations)
                .peekable();
            std::iter::from_fn(move || {
                let (from, gap) = steps.next()?;
                let end = steps.peek().map_or(iterations, |&(next, _)| next);
                Some((from, end, gap))
            })
        })
    }

    /// Mean over the seeds at every iteration; there must be a seed.
    ///
    /// The sum at an iteration takes the seeds in order and nothing else, so that methods that agree
    /// at an iteration tie there, wherever they differ.
    pub fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.iterations];
        for (begin, end, gap) in self.segments().flatten() {
            for sum in &mut mean[begin..end] {
                *sum += gap;
            }
        }
        let seeds = self.seeds() as f64;
        mean.iter_mut().for_each(|sum| *sum /= seeds);
        mean
    }

    /// The distance of each seed at the iteration at `index`.
    pub fn gaps_at(&self, index: usize) -> Vec<f64> {
        let there = |&(_, end, _): &(usize, usize, f64)| index < end;
        let segments = self.segments();
        let at = segments.filter_map(|mut segments| segments.find(there));
        at.map(|(.., gap)| gap).collect()
    }

    /// The distance of each seed at the last iteration.
    pub fn final_gaps(&self) -> Vec<f64> {
        self.gaps_at(self.iterations - 1)
    }

    /// Variance of that mean at every iteration, from the sample variance over the seeds; there must
    /// be two.
    pub fn variance_of_mean(&self) -> Vec<f64> {
        let mean = self.mean();
        let mut variance = vec![0.0; self.iterations];
        for (begin, end, gap) in self.segments().flatten() {
            for (sum, mean) in variance[begin..end].iter_mut().zip(&mean[begin..end]) {
                *sum += (gap - mean).powi(2);
            }
        }
        let seeds = self.seeds() as f64;
        let divisor = seeds * (seeds - 1.0);
        variance.iter_mut().for_each(|sum| *sum /= divisor);
        variance
    }
}

/// DTM from mean gaps: divided by the range, maximum - minimum, of the task's objective.
pub fn dtm(mean_gaps: &[f64], range: f64) -> Vec<f64> {
    mean_gaps.iter().map(|gap| gap / range).collect()
}

/// Area under a curve over the iterations, divided by their number: the mean of its values. Of DTM it is at most 1,
/// and less is better.
pub fn area_under(curve: &[f64]) -> f64 {
    curve.iter().sum::<f64>() / curve.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_cases::best_curves;

    #[test]
    fn dtm_averages_the_best_so_far_over_seeds_then_normalises() {
        // best so far: 5 5 1 and 3 2 2; minimum 1, maximum 9
        let best = best_curves(&[&[5.0, 7.0, 1.0], &[3.0, 2.0, 9.0]]);
        let curves = GapCurves::new(&best, 3, 1.0);
        assert_eq!(curves.seeds(), 2);
        assert_eq!(curves.mean(), [3.0, 2.5, 0.5]);
        // numpy.var([4, 2], ddof=1) / 2 = 1, numpy.var([4, 1], ddof=1) / 2 = 2.25, numpy.var([0, 1], ddof=1) / 2 = .25
        assert_eq!(curves.variance_of_mean(), [1.0, 2.25, 0.25]);
        assert_eq!(curves.gaps_at(1), [4.0, 1.0]);
        assert_eq!(curves.final_gaps(), [0.0, 1.0]);
        assert_eq!(dtm(&curves.mean(), 8.0), [3.0 / 8.0, 2.5 / 8.0, 0.5 / 8.0]);
    }

    #[test]
    fn a_solved_task_is_exactly_zero_for_any_number_of_seeds() {
        let best = best_curves(&[[0.1].as_slice(); 7]);
        assert_eq!(GapCurves::new(&best, 1, 0.1).mean(), [0.0]);
    }

    #[test]
    fn an_exhausted_table_keeps_its_best() {
        let best = best_curves(&[&[4.0]]);
        assert_eq!(GapCurves::new(&best, 3, 1.0).mean(), [3.0, 3.0, 3.0]);
    }

    #[test]
    fn later_iterations_do_not_count() {
        let best = best_curves(&[&[4.0, 3.0, 2.0]]);
        assert_eq!(GapCurves::new(&best, 2, 1.0).mean(), [3.0, 2.0]);
    }
}
