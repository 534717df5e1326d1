//! Squared distances from one observed point to candidates of a pool, in single or double precision.

use std::ops::{Add, AddAssign, Mul, Range, Sub};

use super::pool_groups::Group;

/// Candidates whose distances are summed up together, in registers.
const TOGETHER: usize = 32;

/// A precision to compute in.
pub(super) trait Precision:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + AddAssign
{
    /// Nought.
    const ZERO: Self;

    /// `self` times `factor` plus `term`, rounded once.
    fn fused(self, factor: Self, term: Self) -> Self;
}

impl Precision for f32 {
    const ZERO: Self = 0.0;

    #[inline(always)]
    fn fused(self, factor: Self, term: Self) -> Self {
        self.mul_add(factor, term)
    }
}

impl Precision for f64 {
    const ZERO: Self = 0.0;

    #[inline(always)]
    fn fused(self, factor: Self, term: Self) -> Self {
        self.mul_add(factor, term)
    }
}

/// What the distances to one observed point are summed from.
pub(super) struct Distances<'a, T> {
    /// Coordinate and values of each numeric hyperparameter.
    pub numeric: &'a [(usize, Vec<T>)],
    pub groups: &'a [Group],
    /// That of [`super::pool_groups::run_length`], unless there are numeric hyperparameters.
    pub run_length: Option<usize>,
    /// 1 / lengthscale^2 of each coordinate.
    pub weights: &'a [T],
    /// The observed point.
    pub point: &'a [T],
    /// The squared distance of each group's combinations to each observed point.
    pub look_ups: &'a [Vec<T>],
    /// The observed point's number in them.
    pub index: usize,
}

impl<T: Precision> Distances<'_, T> {
    #[inline(always)]
    fn of_group(&self, group: usize) -> &[T] {
        let combinations = self.groups[group].combinations;
        &self.look_ups[group][self.index * combinations..(self.index + 1) * combinations]
    }

    /// Adds the distances in all groups of candidates of a grid with runs of that length, from `first` on.
    #[inline(always)]
    fn add_runs(&self, length: usize, mut first: usize, mut column: &mut [T]) {
        while !column.is_empty() {
            let place = first % length;
            let run;
            (run, column) = column.split_at_mut(column.len().min(length - place));
            for (sum, distance) in run.iter_mut().zip(&self.of_group(0)[place..]) {
                *sum += *distance;
            }
            for (number, group) in self.groups.iter().enumerate().skip(1) {
                let distance = self.of_group(number)[usize::from(group.codes[first])];
                run.iter_mut().for_each(|sum| *sum += distance);
            }
            first += run.len();
        }
    }

    /// Adds the distances in the numeric coordinates of candidates that lie side by side.
    #[inline(always)]
    fn add_numeric(&self, first: usize, sums: &mut [T]) {
        for (coordinate, values) in self.numeric {
            let (weight, centre) = (self.weights[*coordinate], self.point[*coordinate]);
            let values = &values[first..first + sums.len()];
            for (sum, value) in sums.iter_mut().zip(values) {
                let difference = *value - centre;
                *sum = (weight * difference).fused(difference, *sum);
            }
        }
    }

    /// The squared distances of candidates that lie side by side: the sum over the numeric coordinates, then group by group.
    #[inline(always)]
    pub(super) fn of_range(&self, candidates: Range<usize>, column: &mut [T]) {
        let first = candidates.start;
        let (groups, rest) = column.as_chunks_mut::<TOGETHER>();
        let start_of_rest = first + groups.len() * TOGETHER;
        for (start, sums) in (first..).step_by(TOGETHER).zip(groups) {
            // An array of its own stays in registers.
            let mut own = [T::ZERO; TOGETHER];
            self.add_numeric(start, &mut own);
            *sums = own;
        }
        rest.fill(T::ZERO);
        self.add_numeric(start_of_rest, rest);
        if let Some(length) = self.run_length {
            self.add_runs(length, first, column);
            return;
        }
        for (number, group) in self.groups.iter().enumerate() {
            let distances = self.of_group(number);
            for (sum, code) in column.iter_mut().zip(&group.codes[candidates.clone()]) {
                *sum += distances[usize::from(*code)];
            }
        }
    }
}
