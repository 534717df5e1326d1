//! Squared distances from one observed point to candidates of a pool that lie side by side: the sum over the numeric coordinates, to
//! which the distances in each group of categorical hyperparameters are added.

use std::ops::{AddAssign, Range};

use super::pool_columns::PoolColumns;
use super::pool_groups::Group;

/// Candidates whose distances are summed up together, in registers.
pub(super) const TOGETHER: usize = 32;

/// The squared distances of the candidates from `first` on in the numeric coordinates. `numeric` has the coordinate and the values of
/// each numeric hyperparameter, `weights` 1 / lengthscale^2 of each coordinate.
#[inline(always)]
pub(super) fn numeric_distances(
    numeric: &[(usize, Vec<f64>)],
    weights: &[f64],
    point: &[f64],
    first: usize,
    column: &mut [f64],
) {
    let (chunks, rest) = column.as_chunks_mut::<TOGETHER>();
    let start_of_rest = first + chunks.len() * TOGETHER;
    for (start, sums) in (first..).step_by(TOGETHER).zip(chunks) {
        // An array of its own stays in registers.
        let mut own = [0.0; TOGETHER];
        add_numeric(numeric, weights, point, start, &mut own);
        *sums = own;
    }
    rest.fill(0.0);
    add_numeric(numeric, weights, point, start_of_rest, rest);
}

/// Adds those distances to the sums of the candidates from `first` on.
#[inline(always)]
fn add_numeric(
    numeric: &[(usize, Vec<f64>)],
    weights: &[f64],
    point: &[f64],
    first: usize,
    sums: &mut [f64],
) {
    for (coordinate, values) in numeric {
        let (weight, centre) = (weights[*coordinate], point[*coordinate]);
        let values = &values[first..first + sums.len()];
        for (sum, value) in sums.iter_mut().zip(values) {
            let difference = *value - centre;
            *sum = (weight * difference).mul_add(difference, *sum);
        }
    }
}

impl PoolColumns {
    /// Adds the distances of candidates that lie side by side to the observed point of that number in the look-ups, in single or double
    /// precision, group by group.
    #[inline(always)]
    pub(super) fn add_group_distances<T: Copy + AddAssign>(
        &self,
        (look_ups, number): (&[Vec<T>], usize),
        candidates: Range<usize>,
        mut column: &mut [T],
    ) {
        let of_group = |group: usize| {
            let combinations = self.groups[group].combinations;
            &look_ups[group][number * combinations..][..combinations]
        };
        let Some(length) = self.run_length else {
            for (group, Group { codes, .. }) in self.groups.iter().enumerate() {
                let distances = of_group(group);
                for (sum, code) in column.iter_mut().zip(&codes[candidates.clone()]) {
                    *sum += distances[usize::from(*code)];
                }
            }
            return;
        };
        // Of a grid, run by run.
        let mut first = candidates.start;
        while !column.is_empty() {
            let place = first % length;
            let run;
            (run, column) = column.split_at_mut(column.len().min(length - place));
            for (sum, distance) in run.iter_mut().zip(&of_group(0)[place..]) {
                *sum += *distance;
            }
            for (group, Group { codes, .. }) in self.groups.iter().enumerate().skip(1) {
                let distance = of_group(group)[usize::from(codes[first])];
                run.iter_mut().for_each(|sum| *sum += distance);
            }
            first += run.len();
        }
    }
}
