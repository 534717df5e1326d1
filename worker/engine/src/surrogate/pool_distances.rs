//! Squared distances from one observed point to candidates of a pool, in single or double precision.

use std::ops::{Add, AddAssign, Mul, Range, Sub};

use super::pool_groups::{Group, Order, Stretch};

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

    /// The distance of a candidate in all groups but the first.
    #[inline(always)]
    fn of_outer_groups(&self, candidate: usize) -> T {
        let mut sum = T::ZERO;
        for (number, group) in self.groups.iter().enumerate().skip(1) {
            sum += self.of_group(number)[usize::from(group.codes[candidate])];
        }
        sum
    }

    /// The distances in the first group of that many candidates of an ascending stretch, and the distance of each in all others.
    #[inline(always)]
    fn of_ascending(&self, first: usize, count: usize) -> (&[T], T) {
        let code = usize::from(self.groups[0].codes[first]);
        let inner = &self.of_group(0)[code..code + count];
        (inner, self.of_outer_groups(first))
    }

    /// Adds the distances in all groups of candidates of any combinations.
    #[inline(always)]
    fn add_picked(&self, candidates: Range<usize>, column: &mut [T]) {
        let inner = self.of_group(0);
        let codes = self.groups[0].codes[candidates.clone()].iter();
        // The sum over a single outer group is its distance.
        if let [_, outer] = self.groups {
            let of_outer = self.of_group(1);
            let codes = codes.zip(&outer.codes[candidates]);
            for (sum, (code, outer)) in column.iter_mut().zip(codes) {
                *sum += inner[usize::from(*code)] + of_outer[usize::from(*outer)];
            }
            return;
        }
        for ((sum, code), candidate) in column.iter_mut().zip(codes).zip(candidates) {
            *sum += inner[usize::from(*code)] + self.of_outer_groups(candidate);
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

    /// The squared distances of candidates that lie side by side, a block or its beginning.
    #[inline(always)]
    pub(super) fn of_range(
        &self,
        candidates: Range<usize>,
        stretches: &[Stretch],
        column: &mut [T],
    ) {
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
        for Stretch { places, order } in stretches {
            let column = &mut column[places.clone()];
            let candidates = first + places.start..first + places.end;
            if *order == Order::Scattered {
                for (number, group) in self.groups.iter().enumerate() {
                    let distances = self.of_group(number);
                    for (sum, code) in column.iter_mut().zip(&group.codes[candidates.clone()]) {
                        *sum += distances[usize::from(*code)];
                    }
                }
                continue;
            }
            if *order == Order::Picked {
                self.add_picked(candidates, column);
                continue;
            }
            if *order == Order::Constant {
                let code = usize::from(self.groups[0].codes[candidates.start]);
                let constant = self.of_outer_groups(candidates.start) + self.of_group(0)[code];
                column.iter_mut().for_each(|sum| *sum += constant);
            } else {
                let (distances, outer) = self.of_ascending(candidates.start, column.len());
                for (sum, distance) in column.iter_mut().zip(distances) {
                    *sum += *distance + outer;
                }
            }
        }
    }
}
