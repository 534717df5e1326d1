//! Predictions over a whole candidate pool, in blocks that stay in the cache.
//!
//! Squared distances from one observed point to the candidates of a block are
//! summed coordinate by coordinate over candidates that lie side by side. A grid of
//! categorical hyperparameters has few combinations of a few of them, so its
//! columns are put in groups: per observed point the distance to each combination
//! is computed once, and a candidate's is the sum of one look-up per group.

use std::collections::HashMap;

use pulp::Simd;

use super::gaussian_process::{GaussianProcess, Posterior};
use super::matern::correlation;
use crate::blas;
use crate::table::encoding::{Column, Space};

/// Candidates per block: with 100 observations a block's kernel matrix has 200 KB.
const BLOCK: usize = 256;

/// Most combinations of categorical levels in a group.
const GROUP_COMBINATIONS: usize = 1024;

/// The rows of a task, arranged for predictions.
pub struct CandidatePool {
    rows: usize,
    columns: PoolColumns,
    scratch: Scratch,
}

struct PoolColumns {
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

#[derive(Default)]
struct Scratch {
    /// Kernel between a block of candidates (rows) and the observed points (columns).
    kernel: Vec<f64>,
    /// Squared distances of each group's combinations to each observed point.
    look_ups: Vec<Vec<f64>>,
}

impl CandidatePool {
    /// Arranges the rows of a task.
    pub fn new(space: &Space, columns: &[Column]) -> Self {
        let mut numeric = Vec::new();
        let mut categorical = Vec::new();
        let mut first = 0;
        for (hyperparameter, column) in space.hyperparameters.iter().zip(columns) {
            let width = hyperparameter.kind.width();
            match column {
                Column::Numeric(values) => numeric.push((first, values.clone())),
                Column::Categorical(levels) => categorical.push((first, width, levels.as_slice())),
            }
            first += width;
        }
        let rows = columns.first().map_or(0, |column| match column {
            Column::Numeric(values) => values.len(),
            Column::Categorical(levels) => levels.len(),
        });
        Self {
            rows,
            columns: PoolColumns {
                numeric,
                groups: group(categorical)
                    .iter()
                    .map(|members| Group::new(members))
                    .collect(),
            },
            scratch: Scratch::default(),
        }
    }

    /// Number of candidates.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Mean and standard deviation of the process (without noise) at every candidate.
    pub fn predict(
        &mut self,
        process: &GaussianProcess,
        means: &mut Vec<f64>,
        deviations: &mut Vec<f64>,
    ) {
        let count = process.count();
        let posterior = process.posterior();
        let (factor, stride) = process.factor();
        let width = posterior.weights.len();
        means.resize(self.rows, 0.0);
        deviations.resize(self.rows, 0.0);
        self.scratch.kernel.resize(BLOCK * count, 0.0);
        self.scratch
            .look_ups
            .resize(self.columns.groups.len(), Vec::new());
        for (group, look_up) in self.columns.groups.iter().zip(&mut self.scratch.look_ups) {
            look_up.clear();
            for point in process.points().chunks_exact(width) {
                group.append_distances(point, &posterior.weights, look_up);
            }
        }
        for first in (0..self.rows).step_by(BLOCK) {
            let size = BLOCK.min(self.rows - first);
            for (index, point) in process.points().chunks_exact(width).enumerate() {
                let column = &mut self.scratch.kernel[index * BLOCK..index * BLOCK + size];
                let look_ups = &self.scratch.look_ups;
                let place = (first, index);
                correlate(column, &self.columns, look_ups, place, point, posterior);
            }
            let kernel = &mut self.scratch.kernel;
            let means = &mut means[first..first + size];
            blas::multiply_vector(kernel, size, count, BLOCK, &posterior.alpha, means);
            means.iter_mut().for_each(|mean| *mean += posterior.mean);
            blas::solve_rows(factor, count, stride, kernel, size, BLOCK);
            let deviations = &mut deviations[first..first + size];
            deviations_from_rows(kernel, count, posterior.signal, deviations);
        }
    }
}

/// One column of a block's kernel matrix: the kernel between `point`, the observed
/// point number `index`, and the candidates from `first` on.
#[pulp::with_simd(correlate = pulp::Arch::new())]
#[inline(always)]
fn correlate_with<'a, S: Simd>(
    _simd: S,
    column: &'a mut [f64],
    pool: &'a PoolColumns,
    look_ups: &'a [Vec<f64>],
    (first, index): (usize, usize),
    point: &'a [f64],
    posterior: &'a Posterior,
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
    for (group, look_up) in pool.groups.iter().zip(look_ups) {
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

/// sqrt(signal - |row|^2) of each row of the solved kernel matrix.
#[pulp::with_simd(deviations_from_rows = pulp::Arch::new())]
#[inline(always)]
fn deviations_from_rows_with<'a, S: Simd>(
    _simd: S,
    solved: &'a [f64],
    count: usize,
    signal: f64,
    deviations: &'a mut [f64],
) {
    // Rounding can leave a variance at an observed point slightly below zero.
    let least = 1e-12 * signal;
    deviations.fill(signal);
    for column in solved.chunks_exact(BLOCK).take(count) {
        for (variance, entry) in deviations.iter_mut().zip(column) {
            *variance = (-entry).mul_add(*entry, *variance);
        }
    }
    for entry in deviations.iter_mut() {
        *entry = entry.max(least).sqrt();
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
    fn new(columns: &[CategoricalColumn]) -> Self {
        let mut numbers = HashMap::new();
        let mut combinations = Vec::new();
        let rows = columns[0].2.len();
        let codes = (0..rows)
            .map(|row| {
                let levels: Vec<u16> = columns.iter().map(|(_, _, levels)| levels[row]).collect();
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

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};
    use ndarray_linalg::Inverse;

    use super::*;
    use crate::surrogate::hyperparameters::Hyperprior;
    use crate::table::encoding::{Hyperparameter, Kind};

    fn space(levels: &[usize]) -> Space {
        let hyperparameter = |(index, &levels): (usize, &usize)| Hyperparameter {
            name: format!("hp_{index}"),
            kind: match levels {
                0 => Kind::Numeric {
                    minimum: 0.0,
                    maximum: 1.0,
                },
                _ => Kind::Categorical {
                    levels: (0..levels).map(|level| level.to_string()).collect(),
                },
            },
        };
        Space {
            hyperparameters: levels.iter().enumerate().map(hyperparameter).collect(),
        }
    }

    /// Numeric and categorical columns, more combinations than one group takes.
    fn columns(levels: &[usize], rows: usize) -> Vec<Column> {
        let column = |(index, &levels): (usize, &usize)| match levels {
            0 => Column::Numeric(
                (0..rows)
                    .map(|row| (row * (7 + index) % 101) as f64 / 101.0)
                    .collect(),
            ),
            _ => Column::Categorical(
                (0..rows)
                    .map(|row| ((row * (3 + index) + row / 7) % levels) as u16)
                    .collect(),
            ),
        };
        levels.iter().enumerate().map(column).collect()
    }

    #[test]
    fn predictions_agree_with_dense_algebra() {
        let levels = [0, 40, 3, 0, 30, 2];
        let (space, columns) = (space(&levels), columns(&levels, 600));
        let width = space.width();
        let encode = |row: usize| {
            let mut point = vec![0.0; width];
            space.encode(&columns, row, &mut point);
            point
        };
        let mut process = GaussianProcess::new(&space, 20, Hyperprior::Gamma);
        let mut targets = Vec::new();
        for row in (0..20).map(|index| index * 29) {
            process.observe(&encode(row));
            targets.push((row as f64 * 0.37).sin());
        }
        process.fit(&targets).unwrap();
        let mut pool = CandidatePool::new(&space, &columns);
        assert!(pool.columns.groups.len() > 1);
        let (mut means, mut deviations) = (Vec::new(), Vec::new());
        pool.predict(&process, &mut means, &mut deviations);

        let values: Vec<f64> = process.logarithms().iter().map(|log| log.exp()).collect();
        let (signal, noise) = (values[width], values[width + 1]);
        let kernel = |left: &[f64], right: &[f64]| {
            let squared: f64 = (0..width)
                .map(|k| ((left[k] - right[k]) / values[k]).powi(2))
                .sum();
            signal * correlation(squared)
        };
        let points: Vec<&[f64]> = process.points().chunks_exact(width).collect();
        let inverse = Array2::from_shape_fn((20, 20), |(i, j)| {
            kernel(points[i], points[j]) + if i == j { noise } else { 0.0 }
        })
        .inv()
        .unwrap();
        let ones = Array1::<f64>::ones(20);
        let targets = Array1::from(targets);
        let mean = ones.dot(&inverse.dot(&targets)) / ones.dot(&inverse.dot(&ones));
        for row in 0..600 {
            let candidate = encode(row);
            let cross: Array1<f64> = points
                .iter()
                .map(|point| kernel(point, &candidate))
                .collect();
            let weights = inverse.dot(&cross);
            let expected_mean = mean + weights.dot(&(&targets - mean));
            let expected_deviation = (signal - cross.dot(&weights)).sqrt();
            assert!((means[row] - expected_mean).abs() < 1e-9, "row {row}");
            assert!(
                (deviations[row] - expected_deviation).abs() < 1e-8,
                "row {row}"
            );
        }
    }
}
