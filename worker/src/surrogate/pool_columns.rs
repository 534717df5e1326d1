//! The configurations of a candidate pool, arranged for kernels.
//!
//! Squared distances from one observed point to the candidates of a block are
//! summed coordinate by coordinate over candidates that lie side by side. A grid of
//! categorical hyperparameters has few combinations of a few of them, so its
//! columns are put in groups: per observed point the distance to each combination
//! is computed once, and a candidate's is the sum of one look-up per group.

use std::collections::HashMap;

use pulp::Simd;

use super::gaussian_process::Posterior;
use super::matern::correlation;
use crate::table::encoding::{Column, Space};

/// Most combinations of categorical levels in a group.
const GROUP_COMBINATIONS: usize = 1024;

/// Numeric columns and groups of categorical ones.
pub(super) struct PoolColumns {
    /// Coordinate and values of each numeric hyperparameter.
    numeric: Vec<(usize, Vec<f64>)>,
    groups: Vec<Group>,
}

/// Categorical hyperparameters whose combinations are looked up together.
struct Group {
    /// First coordinate and number of levels of each member.
    members: Vec<(usize, usize)>,
    /// The combinations there are: one level per member each.
    combinations: Vec<Vec<u16>>,
    /// Each candidate's combination.
    codes: Vec<u16>,
}

/// Squared distances of each group's combinations to each of some points.
#[derive(Default)]
pub(super) struct LookUps(Vec<Vec<f64>>);

impl PoolColumns {
    /// Arranges `rows` of a task.
    pub(super) fn new(space: &Space, columns: &[Column], rows: &[u32]) -> Self {
        let mut numeric = Vec::new();
        let mut categorical = Vec::new();
        let mut first = 0;
        for (hyperparameter, column) in space.hyperparameters.iter().zip(columns) {
            let width = hyperparameter.kind.width();
            match column {
                Column::Numeric(values) => {
                    let values = rows.iter().map(|&row| values[row as usize]);
                    numeric.push((first, values.collect()));
                }
                Column::Categorical(levels) => categorical.push((first, width, levels.as_slice())),
            }
            first += width;
        }
        let groups = group(categorical);
        let groups = groups.iter().map(|members| Group::new(members, rows));
        Self {
            numeric,
            groups: groups.collect(),
        }
    }

    /// One column of a block's kernel matrix: the kernel between `point`, which has
    /// number `index` in the look-ups, and the candidates from `first` on.
    pub(super) fn correlate(
        &self,
        posterior: &Posterior,
        point: &[f64],
        look_ups: (&LookUps, usize),
        first: usize,
        column: &mut [f64],
    ) {
        correlate(self, posterior, point, look_ups, first, column);
    }

    /// Computes the look-ups for points that lie one after the other.
    pub(super) fn look_up(&self, weights: &[f64], points: &[f64], look_ups: &mut LookUps) {
        look_ups.0.resize(self.groups.len(), Vec::new());
        for (group, look_up) in self.groups.iter().zip(&mut look_ups.0) {
            look_up.clear();
            for point in points.chunks_exact(weights.len()) {
                group.append_distances(point, weights, look_up);
            }
        }
    }
}

#[pulp::with_simd(correlate = pulp::Arch::new())]
#[inline(always)]
fn correlate_with<'a, S: Simd>(
    _simd: S,
    pool: &'a PoolColumns,
    posterior: &'a Posterior,
    point: &'a [f64],
    (look_ups, index): (&'a LookUps, usize),
    first: usize,
    column: &'a mut [f64],
) {
    let candidates = first..first + column.len();
    column.fill(0.0);
    for (coordinate, values) in &pool.numeric {
        let (weight, centre) = (posterior.weights[*coordinate], point[*coordinate]);
        for (sum, value) in column.iter_mut().zip(&values[candidates.clone()]) {
            let difference = value - centre;
            *sum = (weight * difference).mul_add(difference, *sum);
        }
    }
    for (group, look_up) in pool.groups.iter().zip(&look_ups.0) {
        let combinations = group.combinations.len();
        let distances = &look_up[index * combinations..(index + 1) * combinations];
        for (sum, code) in column.iter_mut().zip(&group.codes[candidates.clone()]) {
            *sum += distances[usize::from(*code)];
        }
    }
    for entry in column.iter_mut() {
        *entry = posterior.signal * correlation(*entry);
    }
}

/// First coordinate, number of levels, and levels by row.
type CategoricalColumn<'a> = (usize, usize, &'a [u16]);

/// Puts categorical columns in groups of few combinations, the largest first.
fn group(mut columns: Vec<CategoricalColumn>) -> Vec<Vec<CategoricalColumn>> {
    columns.sort_by_key(|&(_, width, _)| std::cmp::Reverse(width));
    let mut groups: Vec<(usize, Vec<CategoricalColumn>)> = Vec::new();
    for column in columns {
        let fits = |group: &&mut (usize, Vec<_>)| group.0 * column.1 <= GROUP_COMBINATIONS;
        match groups.iter_mut().find(fits) {
            Some((combinations, members)) => {
                *combinations *= column.1;
                members.push(column);
            }
            None => groups.push((column.1, vec![column])),
        }
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

impl Group {
    fn new(columns: &[CategoricalColumn], rows: &[u32]) -> Self {
        let mut numbers = HashMap::new();
        let mut combinations = Vec::new();
        let codes = rows
            .iter()
            .map(|&row| {
                let levels = columns.iter().map(|(_, _, levels)| levels[row as usize]);
                let levels: Vec<u16> = levels.collect();
                *numbers.entry(levels.clone()).or_insert_with(|| {
                    combinations.push(levels);
                    (combinations.len() - 1) as u16
                })
            })
            .collect();
        Self {
            members: columns
                .iter()
                .map(|&(first, width, _)| (first, width))
                .collect(),
            combinations,
            codes,
        }
    }

    /// Appends the squared distance from `point` to each combination.
    fn append_distances(&self, point: &[f64], weights: &[f64], distances: &mut Vec<f64>) {
        let levels: Vec<Vec<f64>> = self
            .members
            .iter()
            .map(|&(first, width)| {
                let (point, weights) =
                    (&point[first..first + width], &weights[first..first + width]);
                let distance = |level: usize| {
                    (0..width)
                        .map(|k| {
                            let difference = if k == level { 1.0 - point[k] } else { point[k] };
                            weights[k] * difference * difference
                        })
                        .sum()
                };
                (0..width).map(distance).collect()
            })
            .collect();
        distances.extend(self.combinations.iter().map(|combination| -> f64 {
            let members = levels.iter().zip(combination);
            members
                .map(|(distances, &level)| distances[usize::from(level)])
                .sum()
        }));
    }
}
