//! Two estimators beside the network, to judge it by: a linear model and nearest neighbours, both fitted to Gaussian
//! quantiles of all sources (Salinas, Shen and Perrone 2019, A copula approach for hyperparameter transfer learning,
//! Table 5). No method uses them.

use std::sync::Arc;

use pulp::Simd;

use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::blobs::MemoryBlobs;
use crate::error::EngineError;
use crate::fits::SharedFits;
use crate::matrix_products::{Factor, Half, add_product};
use crate::prediction_error::root_mean_square_error;
use crate::setting::{Setting, Source};
use crate::table::{Table, Task};
use crate::transform::Transform;

/// Penalty of the linear model's weights; its intercept has none. It decides among the weights of one-hot
/// coordinates, which add up to 1, and changes no prediction noticeably.
const RIDGE: f64 = 1e-6;

/// Neighbours whose mean is taken.
const NEIGHBOURS: usize = 5;

/// Source rows up to which neighbours are looked for: each is compared with each of the target's.
const MOST_SOURCE_ROWS: usize = 50_000;

/// Source rows whose distances are computed side by side.
const TOGETHER: usize = 32;

/// Source rows whose products are computed together.
const BLOCK: usize = 256;

/// Rows of the target whose neighbours are looked for, evenly spread over its rows.
const TARGET_ROWS: usize = 500;

/// The root mean square errors of the estimators on a target, in units of its Gaussian quantiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimpleErrors {
    /// Of least squares on the encoded configuration; each task has the same weight, whatever its number of rows.
    pub linear: f64,
    /// Of the mean of the five nearest source rows, by Euclidean distance of encoded configurations; of equally near ones
    /// the first of the table count. On at most 500 rows of the target; `None` for more than 50,000 source rows.
    pub nearest_neighbours: Option<f64>,
}

/// The errors on the task of that name; `None` if the table has no such task. Where the sweep limits the number of
/// sources, they are those of seed 0.
///
/// # Errors
/// [`EngineError::ImpossibleJob`] if there is no source, or a task has a single row.
pub fn simple_prior_errors(
    table: &Table,
    target: &str,
) -> Result<Option<SimpleErrors>, EngineError> {
    let Some(position) = table.tasks.iter().position(|task| task.name == target) else {
        return Ok(None);
    };
    let fits = SharedFits::new(Arc::new(MemoryBlobs::default()));
    let task = &table.tasks[position];
    let setting = Setting::new(table, position, 0, task.rows(), &fits);
    let sources = setting.sources(Transform::Copula)?;
    let sources: Vec<Source> = sources.iter().collect();
    let predictions = linear_predictions(&setting, &sources)?;
    let count: usize = sources.iter().map(|source| source.targets.len()).sum();
    Ok(Some(SimpleErrors {
        linear: root_mean_square_error(&predictions, task, Transform::Copula)?,
        nearest_neighbours: (count <= MOST_SOURCE_ROWS)
            .then(|| neighbours_error(&setting, &sources, task)),
    }))
}

/// What the linear model predicts for each row of the target.
fn linear_predictions(setting: &Setting, sources: &[Source]) -> Result<Vec<f64>, EngineError> {
    let width = setting.space().width();
    let size = width + 1;
    let mut matrix = vec![0.0; size * size];
    let mut weights = vec![0.0; size];
    for diagonal in matrix.iter_mut().step_by(size + 1).take(width) {
        *diagonal = RIDGE;
    }
    // A row of a design holds the encoded configuration, the intercept's 1 and the target, so that its products with itself are both
    // sides of the normal equations.
    let (length, mut products) = (size + 1, Vec::new());
    let mut designs = vec![1.0; BLOCK * length];
    for source in sources {
        products.clear();
        products.resize(length * length, 0.0);
        for (block, targets) in source.targets.chunks(BLOCK).enumerate() {
            let of_block = &mut designs[..targets.len() * length];
            let rows = (block * BLOCK..).zip(of_block.chunks_exact_mut(length));
            for ((row, design), target) in rows.zip(targets) {
                let columns = &source.task.columns;
                setting.space().encode(columns, row, &mut design[..width]);
                design[size] = *target;
            }
            let factor = Factor::new(of_block, length);
            let (left, half) = (factor.transposed(), Some(Half::Upper));
            add_product(left, factor, half, &mut products, length);
        }
        let share = 1.0 / source.targets.len() as f64;
        for (row, of_row) in products.chunks_exact(length).take(size).enumerate() {
            // The upper half by rows is the lower one by columns.
            for column in row..size {
                matrix[row * size + column] += share * of_row[column];
            }
            weights[row] += share * of_row[size];
        }
    }
    blas::cholesky(MatrixMut::square(&mut matrix, size, size))?;
    for system in [Triangular::Lower, Triangular::LowerTransposed] {
        let right = MatrixMut::new(&mut weights, size, 1, size);
        blas::solve_triangular(system, MatrixRef::square(&matrix, size, size), right);
    }
    let mut point = vec![1.0; size];
    let prediction = |row: usize| {
        setting
            .space()
            .encode(setting.columns(), row, &mut point[..width]);
        point
            .iter()
            .zip(&weights)
            .map(|(x, weight)| x * weight)
            .sum()
    };
    Ok((0..setting.rows()).map(prediction).collect())
}

/// The error of the nearest neighbours' mean.
fn neighbours_error(setting: &Setting, sources: &[Source], target: &Task) -> f64 {
    let width = setting.space().width();
    let targets: Vec<f64> = sources
        .iter()
        .flat_map(|source| source.targets)
        .copied()
        .collect();
    let mut points = vec![0.0; targets.len().next_multiple_of(TOGETHER) * width];
    let mut point = vec![0.0; width];
    let source_rows = sources.iter().flat_map(|source| {
        let columns = &source.task.columns;
        (0..source.targets.len()).map(move |row| (columns, row))
    });
    for (number, (columns, row)) in source_rows.enumerate() {
        setting.space().encode(columns, row, &mut point);
        let group = &mut points[number / TOGETHER * TOGETHER * width..];
        let places = group.iter_mut().skip(number % TOGETHER).step_by(TOGETHER);
        places
            .zip(&point)
            .for_each(|(place, entry)| *place = *entry);
    }
    let observed = Transform::Copula.average(&target.objectives());
    let rows = observed.len();
    let count = rows.min(TARGET_ROWS);
    let looked_at: Vec<usize> = (0..count).map(|place| place * rows / count).collect();
    let mut own_points = vec![0.0; count * width];
    for (&row, point) in looked_at.iter().zip(own_points.chunks_exact_mut(width)) {
        setting.space().encode(setting.columns(), row, point);
    }
    let mut nearest: Vec<Nearest> = looked_at.iter().map(|_| Nearest::default()).collect();
    find_nearest(&points, &targets, &own_points, &mut nearest);
    let pairs = looked_at.iter().zip(&nearest);
    let squares = pairs.map(|(&row, nearest)| (observed[row] - nearest.mean()).powi(2));
    (squares.sum::<f64>() / count as f64).sqrt()
}

/// The nearest of the points seen so far.
struct Nearest {
    /// Squared distance and target, the nearest first.
    found: Vec<(f64, f64)>,
    /// The squared distance from which on a further point does not count.
    farthest: f64,
}

impl Default for Nearest {
    fn default() -> Self {
        Self {
            found: Vec::with_capacity(NEIGHBOURS + 1),
            farthest: f64::INFINITY,
        }
    }
}

impl Nearest {
    /// Takes a point in if it is among the nearest.
    fn see(&mut self, squared: f64, target: f64) {
        if squared >= self.farthest {
            return;
        }
        let place = self
            .found
            .partition_point(|(distance, _)| *distance <= squared);
        self.found.insert(place, (squared, target));
        self.found.truncate(NEIGHBOURS);
        if let Some((farthest, _)) = self.found.get(NEIGHBOURS - 1) {
            self.farthest = *farthest;
        }
    }

    /// The mean of the nearest points' targets.
    fn mean(&self) -> f64 {
        let targets = self.found.iter().map(|(_, target)| target);
        targets.sum::<f64>() / self.found.len() as f64
    }
}

/// Shows all points to each of the target's own ones. The points lie in groups of [`TOGETHER`], coordinate by coordinate within
/// a group, which stays in the nearest cache meanwhile.
#[pulp::with_simd(find_nearest = pulp::Arch::new())]
#[inline(always)]
fn find_nearest_with<S: Simd>(
    simd: S,
    points: &[f64],
    targets: &[f64],
    own_points: &[f64],
    nearest: &mut [Nearest],
) {
    let width = own_points.len() / nearest.len();
    let groups = points.chunks_exact(width * TOGETHER);
    for (group, of_group) in groups.zip(targets.chunks(TOGETHER)) {
        for (point, known) in own_points.chunks_exact(width).zip(&mut *nearest) {
            let mut sums = [0.0; TOGETHER];
            let mut least = simd.splat_f64s(f64::INFINITY);
            for (place, distances) in S::as_mut_simd_f64s(&mut sums).0.iter_mut().enumerate() {
                let mut sum = simd.splat_f64s(0.0);
                for (others, own) in group.as_chunks::<TOGETHER>().0.iter().zip(point) {
                    let vector = S::as_simd_f64s(others).0[place];
                    let difference = simd.sub_f64s(vector, simd.splat_f64s(*own));
                    sum = simd.add_f64s(sum, simd.mul_f64s(difference, difference));
                }
                (*distances, least) = (sum, simd.min_f64s(least, sum));
            }
            if simd.reduce_min_f64s(least) < known.farthest {
                for (squared, target) in sums.iter().zip(of_group) {
                    known.see(*squared, *target);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method_tests::dense::comparison::Case;
    use crate::method_tests::dense::linear_algebra::{cholesky, dot, solve};
    use crate::method_tests::dense::transform::gaussian_quantiles;

    fn root_mean_square(predictions: impl Iterator<Item = f64>, z: &[f64]) -> f64 {
        let squares = predictions.zip(z).map(|(mean, z)| (z - mean).powi(2));
        (squares.sum::<f64>() / z.len() as f64).sqrt()
    }

    #[test]
    fn errors_agree_with_dense_algebra_and_a_sorted_list() {
        let case = Case::of("cts", 1);
        let target = case.target();
        let z = gaussian_quantiles(&target.objective);
        let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
        for source in case.sources() {
            let z = gaussian_quantiles(&source.objective);
            rows.extend(case.points(source).into_iter().zip(z));
        }
        let found = simple_prior_errors(&case.table, &target.name)
            .unwrap()
            .unwrap();

        // All tasks have as many rows, so that all rows count alike: 1 / 90 each.
        let with_one = |point: &[f64]| [point, &[1.0]].concat();
        let width = rows[0].0.len();
        let mut matrix = vec![vec![0.0; width + 1]; width + 1];
        let mut right = vec![0.0; width + 1];
        for (point, z) in &rows {
            let point = with_one(point);
            for a in 0..=width {
                right[a] += point[a] * z / 90.0;
                (0..=width).for_each(|b| matrix[a][b] += point[a] * point[b] / 90.0);
            }
        }
        (0..width).for_each(|place| matrix[place][place] += 1e-6);
        let weights = solve(&cholesky(&matrix), &right);
        let points = case.points(target);
        let linear = points.iter().map(|point| dot(&weights, &with_one(point)));
        let linear = root_mean_square(linear, &z);
        assert!((found.linear - linear).abs() < 1e-8, "{found:?} {linear}");

        let nearest = points.iter().map(|point| {
            let squared = |other: &[f64]| -> f64 {
                let pairs = other.iter().zip(point);
                pairs.map(|(a, b)| (a - b).powi(2)).sum()
            };
            // A stable sort: of equally near rows the first come first.
            let mut sorted: Vec<&(Vec<f64>, f64)> = rows.iter().collect();
            sorted.sort_by(|a, b| squared(&a.0).total_cmp(&squared(&b.0)));
            sorted[..5].iter().map(|(_, z)| z).sum::<f64>() / 5.0
        });
        let nearest = root_mean_square(nearest, &z);
        let error = (found.nearest_neighbours.unwrap() - nearest).abs();
        assert!(error < 1e-10, "{found:?} {nearest}");
        assert_eq!(simple_prior_errors(&case.table, "another").unwrap(), None);
    }
}
