//! Distance to the minimum (DTM) of a task's table (ICML section 5).
//!
//! DTM(t) = (mean over seeds of the best y so far - minimum) / (maximum - minimum).

use crate::results::BestCurves;

/// How far the best value so far of every seed is above the task's minimum, in
/// the objective's unit, at every iteration.
///
/// Kept as distances rather than values so that a solved task is exactly 0,
/// whatever the number of seeds; and by the steps at which they fall, which are few.
#[derive(Debug, Clone, PartialEq)]
pub struct GapCurves {
    iterations: usize,
    /// Where the steps of each seed end; they begin where those before end.
    ends: Vec<usize>,
    steps: Vec<GapStep>,
}

/// From an iteration on, the distance is this one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GapStep {
    /// The iteration, from 0.
    pub(crate) from: u32,
    /// The distance.
    pub(crate) gap: f64,
}

impl GapCurves {
    /// Curves of `iterations` entries, without any seed yet.
    pub fn new(iterations: usize) -> Self {
        Self {
            iterations,
            ends: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// The curves of traces that were reduced to their least values.
    pub fn of(curves: &BestCurves, iterations: usize, minimum: f64) -> Self {
        let mut gaps = Self::new(iterations);
        for curve in curves.curves() {
            gaps.push_steps(curve, minimum);
        }
        gaps
    }

    /// Adds a seed by the objective values of its trace, in order. If they are
    /// fewer than the iterations, the best value stays for the rest.
    #[cfg(test)]
    pub(crate) fn push(&mut self, values: &[f64], minimum: f64) {
        let mut best = f64::INFINITY;
        let falls = (0..).zip(values.iter().copied()).filter(|&(_, value)| {
            let falls = value < best;
            best = best.min(value);
            falls
        });
        self.push_steps(falls, minimum);
    }

    fn push_steps(&mut self, steps: impl Iterator<Item = (u32, f64)>, minimum: f64) {
        let within = steps.take_while(|&(from, _)| (from as usize) < self.iterations);
        let steps = within.map(|(from, best)| GapStep {
            from,
            gap: best - minimum,
        });
        self.steps.extend(steps);
        self.ends.push(self.steps.len());
    }

    /// Number of iterations.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Number of seeds.
    pub fn seeds(&self) -> usize {
        self.ends.len()
    }

    /// The steps of each seed, the first at iteration 0.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &[GapStep]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins
            .zip(&self.ends)
            .map(|(begin, &end)| &self.steps[begin..end])
    }

    /// The distances of each seed: iterations from, to (exclusive) and the distance there.
    pub(crate) fn segments(
        &self,
    ) -> impl Iterator<Item = impl Iterator<Item = (usize, usize, f64)> + '_> + '_ {
        self.steps().map(|steps| {
            let ends = steps.iter().skip(1).map(|step| step.from as usize);
            let ends = ends.chain(std::iter::once(self.iterations));
            let steps = steps.iter().zip(ends);
            steps.map(|(step, end)| (step.from as usize, end, step.gap))
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
}

/// DTM from mean gaps: divided by the range, maximum - minimum, of the task's objective.
pub fn dtm(mean_gaps: &[f64], range: f64) -> Vec<f64> {
    mean_gaps.iter().map(|gap| gap / range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves() -> GapCurves {
        let mut curves = GapCurves::new(3);
        curves.push(&[5.0, 7.0, 1.0], 1.0);
        curves.push(&[3.0, 2.0, 9.0], 1.0);
        curves
    }

    #[test]
    fn dtm_averages_the_best_so_far_over_seeds_then_normalises() {
        // best so far: 5 5 1 and 3 2 2; minimum 1, maximum 9
        assert_eq!(curves().seeds(), 2);
        assert_eq!(curves().mean(), [3.0, 2.5, 0.5]);
        assert_eq!(
            dtm(&curves().mean(), 8.0),
            [3.0 / 8.0, 2.5 / 8.0, 0.5 / 8.0]
        );
    }

    #[test]
    fn a_solved_task_is_exactly_zero_for_any_number_of_seeds() {
        let mut curves = GapCurves::new(1);
        for _ in 0..7 {
            curves.push(&[0.1], 0.1);
        }
        assert_eq!(curves.mean(), [0.0]);
    }

    #[test]
    fn an_exhausted_table_keeps_its_best() {
        let mut curves = GapCurves::new(3);
        curves.push(&[4.0], 1.0);
        assert_eq!(curves.mean(), [3.0, 3.0, 3.0]);
    }
}
