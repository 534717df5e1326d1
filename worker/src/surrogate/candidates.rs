//! The best candidate of a whole pool, in blocks that stay in the cache.
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
use crate::acquisition::Acquisition;
use crate::blas;
use crate::table::encoding::{Column, Space};

/// Candidates per block: with 100 observations a block's kernel matrix has 200 KB.
const BLOCK: usize = 256;

/// Most combinations of categorical levels in a group.
const GROUP_COMBINATIONS: usize = 1024;

/// The rows of a task, arranged for predictions.
pub struct CandidatePool {
    rows: Vec<u32>,
    columns: PoolColumns,
    /// Blocks in the order in which they are gone through.
    block_order: Vec<usize>,
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
    /// Of the block's candidates.
    means: Vec<f64>,
    /// Bounds of the block's candidates, then deviations of the open ones.
    deviations: Vec<f64>,
    /// Places in the block of the candidates that may be the best.
    open: Vec<usize>,
}

impl CandidatePool {
    /// Arranges `rows` of a task.
    pub fn new(space: &Space, columns: &[Column], rows: Vec<u32>) -> Self {
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
        let groups = groups.iter().map(|members| Group::new(members, &rows));
        Self {
            columns: PoolColumns {
                numeric,
                groups: groups.collect(),
            },
            block_order: (0..rows.len().div_ceil(BLOCK)).collect(),
            rows,
            scratch: Scratch::default(),
        }
    }

    /// The rows of the pool.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The mean at every row of a process with that posterior on `points`, which lie
    /// one after the other.
    pub fn means(&mut self, posterior: &Posterior, points: &[f64]) -> Vec<f64> {
        let width = posterior.weights.len();
        let mut means = vec![posterior.mean; self.rows.len()];
        let mut column = [0.0; BLOCK];
        for (point, alpha) in points.chunks_exact(width).zip(&posterior.alpha) {
            self.scratch
                .look_up(&self.columns, &posterior.weights, point);
            for first in (0..self.rows.len()).step_by(BLOCK) {
                let means = &mut means[first..self.rows.len().min(first + BLOCK)];
                let column = &mut column[..means.len()];
                let look_ups = &self.scratch.look_ups;
                correlate(
                    column,
                    &self.columns,
                    look_ups,
                    (first, 0),
                    point,
                    posterior,
                );
                for (mean, entry) in means.iter_mut().zip(column) {
                    *mean = alpha.mul_add(*entry, *mean);
                }
            }
        }
        means
    }

    /// The row of greatest `acquisition` among those not `evaluated`; of equal ones
    /// the one of least `priority`. `None` if every row is evaluated.
    ///
    /// A candidate's mean costs one product per observed point, its deviation a
    /// triangular solve. So the deviation is first bounded by what the nearest
    /// observed point alone would leave, and solved for only where the acquisition
    /// may still reach the best one found. Blocks begin with the one that was best
    /// at the last call, which makes the bar high at once.
    pub fn best_row(
        &mut self,
        process: &GaussianProcess,
        acquisition: &impl Acquisition,
        evaluated: &[bool],
        priority: &[u32],
    ) -> Option<u32> {
        let count = process.count();
        let posterior = process.posterior();
        let (factor, stride) = process.factor();
        let scratch = &mut self.scratch;
        scratch.prepare(&self.columns, process);
        let mut best = (f64::NEG_INFINITY, None::<u32>);
        let mut block_best = vec![f64::NEG_INFINITY; self.block_order.len()];
        for &block in &self.block_order {
            let first = block * BLOCK;
            let rows = &self.rows[first..self.rows.len().min(first + BLOCK)];
            scratch.correlate(&self.columns, process, first, rows.len());
            let open = rows
                .iter()
                .enumerate()
                .filter(|(_, row)| !evaluated[**row as usize]);
            scratch.open.clear();
            scratch
                .open
                .extend(open.map(|(place, _)| place).filter(|&place| {
                    let (mean, bound) = (scratch.means[place], scratch.deviations[place]);
                    acquisition.may_reach(rows[place] as usize, mean, bound, best.0)
                }));
            scratch.keep_open(count);
            blas::solve_rows(
                factor,
                count,
                stride,
                &mut scratch.kernel,
                scratch.open.len(),
                BLOCK,
            );
            deviations_from_rows(
                &scratch.kernel,
                count,
                posterior.signal,
                &mut scratch.deviations[..scratch.open.len()],
            );
            for (&place, &deviation) in scratch.open.iter().zip(&scratch.deviations) {
                let row = rows[place];
                let value = acquisition.value(row as usize, scratch.means[place], deviation);
                block_best[block] = block_best[block].max(value);
                let wins = match best.1 {
                    None => true,
                    Some(other) if value == best.0 => {
                        priority[row as usize] < priority[other as usize]
                    }
                    Some(_) => value > best.0,
                };
                if wins {
                    best = (value, Some(row));
                }
            }
        }
        self.block_order
            .sort_by(|&left, &right| block_best[right].total_cmp(&block_best[left]));
        best.1
    }
}

impl Scratch {
    /// Sizes the buffers and computes the look-ups for the process's points.
    fn prepare(&mut self, columns: &PoolColumns, process: &GaussianProcess) {
        let weights = &process.posterior().weights;
        self.kernel.resize(BLOCK * process.count(), 0.0);
        self.means.resize(BLOCK, 0.0);
        self.deviations.resize(BLOCK, 0.0);
        self.look_up(columns, weights, process.points());
    }

    /// Computes the look-ups for points that lie one after the other.
    fn look_up(&mut self, columns: &PoolColumns, weights: &[f64], points: &[f64]) {
        self.look_ups.resize(columns.groups.len(), Vec::new());
        for (group, look_up) in columns.groups.iter().zip(&mut self.look_ups) {
            look_up.clear();
            for point in points.chunks_exact(weights.len()) {
                group.append_distances(point, weights, look_up);
            }
        }
    }

    /// The kernel between the `size` candidates from `first` on and the observed
    /// points, the candidates' means, and bounds on their deviations.
    fn correlate(
        &mut self,
        columns: &PoolColumns,
        process: &GaussianProcess,
        first: usize,
        size: usize,
    ) {
        let posterior = process.posterior();
        let points = process.points().chunks_exact(posterior.weights.len());
        for (index, point) in points.enumerate() {
            let column = &mut self.kernel[index * BLOCK..index * BLOCK + size];
            correlate(
                column,
                columns,
                &self.look_ups,
                (first, index),
                point,
                posterior,
            );
        }
        let (count, means) = (process.count(), &mut self.means[..size]);
        blas::multiply_vector(&self.kernel, size, count, BLOCK, &posterior.alpha, means);
        means.iter_mut().for_each(|mean| *mean += posterior.mean);
        bound_deviations(&self.kernel, count, posterior, &mut self.deviations[..size]);
    }

    /// Moves the kernel rows of the open candidates to the front.
    fn keep_open(&mut self, count: usize) {
        for column in self.kernel.chunks_exact_mut(BLOCK).take(count) {
            for (to, &from) in self.open.iter().enumerate() {
                column[to] = column[from];
            }
        }
    }
}

/// An upper bound on each candidate's deviation: sqrt(s - k^2 / (s + v)), k being its
/// greatest kernel value, s the signal and v the noise variance. More observations
/// only lower it.
#[pulp::with_simd(bound_deviations = pulp::Arch::new())]
#[inline(always)]
fn bound_deviations_with<'a, S: Simd>(
    _simd: S,
    kernel: &'a [f64],
    count: usize,
    posterior: &'a Posterior,
    bounds: &'a mut [f64],
) {
    bounds.fill(0.0);
    for column in kernel.chunks_exact(BLOCK).take(count) {
        for (greatest, entry) in bounds.iter_mut().zip(column) {
            *greatest = if *entry > *greatest {
                *entry
            } else {
                *greatest
            };
        }
    }
    // A little above, as the deviation itself is rounded.
    let signal = posterior.signal * (1.0 + 1e-9);
    for bound in bounds.iter_mut() {
        *bound = (signal - *bound * *bound / (posterior.signal + posterior.noise)).sqrt();
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use ndarray::{Array1, Array2};
    use ndarray_linalg::Inverse;

    use super::*;
    use crate::acquisition::expected_improvement::LogExpectedImprovement;
    use crate::surrogate::hyperparameters::Hyperprior;
    use crate::table::encoding::{Hyperparameter, Kind};

    /// Rules nothing out and notes every prediction by row.
    struct Recorder(RefCell<Vec<(f64, f64)>>);

    impl Acquisition for Recorder {
        fn value(&self, row: usize, mean: f64, deviation: f64) -> f64 {
            self.0.borrow_mut()[row] = (mean, deviation);
            0.0
        }

        fn may_reach(&self, _: usize, _: f64, _: f64, _: f64) -> bool {
            true
        }
    }

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
        let mut pool = CandidatePool::new(&space, &columns, (0..600).rev().collect());
        assert!(pool.columns.groups.len() > 1);
        let predictions = Recorder(RefCell::new(vec![(f64::NAN, f64::NAN); 600]));
        pool.best_row(&process, &predictions, &[false; 600], &[0; 600]);
        let predictions = predictions.0.into_inner();

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
            let (mean, deviation) = predictions[row];
            assert!((mean - expected_mean).abs() < 1e-9, "row {row}");
            assert!((deviation - expected_deviation).abs() < 1e-8, "row {row}");
        }
    }

    #[test]
    fn the_best_row_is_the_one_that_a_full_scan_finds() {
        let levels = [0, 12, 3, 0, 5];
        let (space, columns) = (space(&levels), columns(&levels, 900));
        let mut process = GaussianProcess::new(&space, 60, Hyperprior::Gamma);
        let mut pool = CandidatePool::new(&space, &columns, (0..900).collect());
        let (mut point, mut targets) = (vec![0.0; space.width()], Vec::new());
        let mut evaluated = [false; 900];
        let priority: Vec<u32> = (0..900).rev().collect();
        for row in (0..60).map(|index| index * 13 % 900) {
            space.encode(&columns, row, &mut point);
            process.observe(&point);
            evaluated[row] = true;
            targets.push((5.0 * point[0]).sin() + point[1] - point[14]);
            if targets.len() < 3 {
                continue;
            }
            process.fit(&targets).unwrap();
            let incumbent = targets.iter().copied().fold(f64::INFINITY, f64::min);
            let improvement = LogExpectedImprovement::new(incumbent, &process, None);
            let found = pool.best_row(&process, &improvement, &evaluated, &priority);
            let scan = Recorder(RefCell::new(vec![(f64::NAN, f64::NAN); 900]));
            pool.best_row(&process, &scan, &evaluated, &priority);
            let predictions = scan.0.into_inner();
            let value = |row: usize| {
                let (mean, deviation) = predictions[row];
                improvement.value(row, mean, deviation)
            };
            let best = (0..900)
                .filter(|&row| !evaluated[row])
                .max_by(|&left, &right| value(left).total_cmp(&value(right)));
            // Up to rounding: a row's deviation may differ in its last digit with
            // the rows that are solved for beside it.
            let (found, best) = (value(found.unwrap() as usize), value(best.unwrap()));
            assert!((found - best).abs() < 1e-9 * best.abs(), "{found} {best}");
        }
        let all = Recorder(RefCell::default());
        assert_eq!(pool.best_row(&process, &all, &[true; 900], &priority), None);
    }
}
