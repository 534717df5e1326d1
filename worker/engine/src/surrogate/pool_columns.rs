//! The configurations of a candidate pool, arranged for kernels.
//!
//! Squared distances from one observed point to the candidates of a block are
//! summed coordinate by coordinate over candidates that lie side by side. A grid of
//! categorical hyperparameters has few combinations of a few of them, so its
//! columns are put in groups: per observed point the distance to each combination
//! is computed once, and a candidate's is the sum of one look-up per group. The pool
//! is sorted by its combinations, so that on a full grid the look-ups of the first
//! group follow each other and those of the others stay the same for long.

use std::ops::{AddAssign, Range};

use pulp::Simd;

use super::gaussian_process::Posterior;
use super::pool_distances::numeric_distances;
use super::pool_groups::{Group, group, run_length, sort_by_code};
use crate::table::encoding::{Column, Space};

/// Numeric columns and groups of categorical ones.
pub(super) struct PoolColumns {
    /// Coordinate and values of each numeric hyperparameter.
    pub(super) numeric: Vec<(usize, Vec<f64>)>,
    /// The size of the largest of those values, at least 1.
    pub(super) largest: f64,
    pub(super) groups: Vec<Group>,
    /// Of a grid of categorical hyperparameters alone, that of [`run_length`].
    pub(super) run_length: Option<usize>,
}

/// Squared distances of each group's combinations to each of some points.
pub(super) type LookUps = Vec<Vec<f64>>;

impl PoolColumns {
    /// Arranges `rows` of a task, and sorts them so that combinations follow each other.
    pub(super) fn new(space: &Space, columns: &[Column], rows: &mut [u32]) -> Self {
        let mut numeric = Vec::new();
        let mut categorical = Vec::new();
        let mut first = 0;
        for (hyperparameter, column) in space.hyperparameters.iter().zip(columns) {
            let width = hyperparameter.kind.width();
            match column {
                Column::Numeric(values) => numeric.push((first, values)),
                Column::Categorical(levels) => categorical.push((first, width, levels.as_slice())),
            }
            first += width;
        }
        let members_of_groups = group(categorical);
        // Each sort keeps the order of the ones before among equals: the last group counts most.
        for members in &members_of_groups {
            sort_by_code(members, rows);
        }
        let pick = |values: &Vec<f64>| -> Vec<f64> {
            rows.iter().map(|&row| values[row as usize]).collect()
        };
        let numeric: Vec<(usize, Vec<f64>)> = numeric
            .into_iter()
            .map(|(first, values)| (first, pick(values)))
            .collect();
        let sizes = numeric.iter().flat_map(|(_, values)| values).copied();
        let groups: Vec<Group> = members_of_groups
            .iter()
            .map(|members| Group::new(members, rows))
            .collect();
        Self {
            run_length: run_length(&groups).filter(|_| numeric.is_empty()),
            largest: sizes.map(f64::abs).fold(1.0, f64::max),
            numeric,
            groups,
        }
    }

    /// The candidates at some places of the block from `first` on, in increasing order, as a block of their own: kernels with
    /// them are the same bits.
    pub(super) fn picked(&self, first: usize, places: &[usize]) -> Self {
        let candidates = || places.iter().map(|place| first + place);
        let pick = |values: &[f64]| candidates().map(|candidate| values[candidate]).collect();
        let numeric = self.numeric.iter();
        let groups = self.groups.iter();
        Self {
            numeric: numeric
                .map(|(coordinate, values)| (*coordinate, pick(values)))
                .collect(),
            largest: self.largest,
            run_length: None,
            groups: groups.map(|group| group.picked(candidates())).collect(),
        }
    }

    /// Number of terms that a squared distance is the sum of.
    pub(super) fn terms(&self) -> usize {
        self.numeric.len() + self.groups.len()
    }

    /// Of a grid the distance of each run in all groups but the first, observation by observation.
    pub(super) fn run_distances(&self, look_ups: &LookUps, observed: usize) -> Vec<f64> {
        let mut sums = Vec::new();
        let [first, others @ ..] = &self.groups[..] else {
            return sums;
        };
        for index in 0..observed {
            for run in (0..first.codes.len()).step_by(first.combinations) {
                let of_group = |(group, look_up): (&Group, &Vec<f64>)| {
                    look_up[index * group.combinations + usize::from(group.codes[run])]
                };
                sums.push(others.iter().zip(&look_ups[1..]).map(of_group).sum());
            }
        }
        sums
    }

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

    /// Computes the look-ups for points that lie one after the other.
    pub(super) fn look_up(&self, weights: &[f64], points: &[f64], look_ups: &mut LookUps) {
        look_ups.resize(self.groups.len(), Vec::new());
        for (group, look_up) in self.groups.iter().zip(look_ups) {
            look_up.clear();
            for point in points.chunks_exact(weights.len()) {
                group.append_distances(point, weights, look_up);
            }
        }
    }
}

/// One column of a block's kernel matrix: the kernel between `point`, which has
/// number `index` in the look-ups, and the candidates of the block from `first` on.
#[pulp::with_simd(correlate = pulp::Arch::new())]
#[inline(always)]
pub(super) fn correlate_with<S: Simd>(
    _simd: S,
    pool: &PoolColumns,
    posterior: &Posterior,
    point: &[f64],
    (look_ups, index): (&[Vec<f64>], usize),
    first: usize,
    column: &mut [f64],
) {
    numeric_distances(&pool.numeric, &posterior.weights, point, first, column);
    let candidates = first..first + column.len();
    pool.add_group_distances((look_ups, index), candidates, column);
    posterior.kernel.covariances(posterior.signal, column);
}

#[cfg(test)]
mod tests;
