//! What a process on rows of the sources says of the target's rows.
//!
//! With |x - x'| in units of lengthscales for k_SE and of the cube for k_NN, the kernel of configurations x, x' on the tasks
//! D, D' is
//!
//! - coupled by features: k_SE((x, D), (x', D')), D standing for its features (Yogatama and Mann 2014, section 4.2, SQE);
//! - coupled as neighbours: a k_SE(x, x') if D = D', plus (1 - a) k_NN(x, x'), a = 0.3, k_NN = exp(-|x - x'| / B) with the
//!   diameter B of the cube (section 3.4; Wistuba, Schilling and Schmidt-Thieme 2018, eq. 13 to 15). Printed is
//!   k_NN = 1 - |x - x'| / B, which is the same for near configurations. With B the bound of |x|, as printed, it can be
//!   negative, and with the diameter its matrices have negative eigenvalues in six dimensions and more; the exponential is
//!   positive definite in any number. As printed, too, D' need only be among the neighbours of D, which is not symmetric;
//!   here all tasks are one clique.
//!
//! The mean is 0 and the signal variance 1.

use pulp::Simd;

use super::lengthscales::{Lengthscales, lengthscales};
use super::points::{Coupling, SourcePoints};
use crate::accumulation::accumulate;
use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::error::EngineError;
use crate::setting::Setting;
use crate::special::exponential::exp_neg;
use crate::surrogate::hyperparameters::Hyperprior;
use crate::surrogate::prior_pool::RowPrior;
use crate::table::encoding::{Kind, Space};

/// The share of each task's own kernel where tasks are neighbours.
const OWN_SHARE: f64 = 0.3;

/// The kernel between configurations on tasks.
struct CoupledKernel {
    coupling: Coupling,
    lengthscales: Lengthscales,
    /// The greatest distance of two configurations.
    diameter: f64,
}

impl CoupledKernel {
    /// Of two configurations, given how alike their tasks are.
    #[inline(always)]
    fn covariance(&self, left: &[f64], right: &[f64], of_tasks: f64) -> f64 {
        let (mut scaled, mut plain) = (0.0, 0.0);
        let coordinates = left.iter().zip(right).zip(&self.lengthscales.coordinates);
        for ((a, b), weight) in coordinates {
            let squared = (a - b) * (a - b);
            plain += squared;
            scaled += weight * squared;
        }
        match self.coupling {
            Coupling::Features => of_tasks * exp_neg(0.5 * scaled),
            Coupling::Neighbours => {
                let near = (1.0 - OWN_SHARE) * exp_neg(plain.sqrt() / self.diameter);
                // Most pairs are of two tasks.
                match of_tasks > 0.0 {
                    true => of_tasks * exp_neg(0.5 * scaled) + near,
                    false => near,
                }
            }
        }
    }

    /// What the tasks contribute to the part of the kernel that has lengthscales.
    fn of_tasks(&self, features: &[Vec<f64>], left: usize, right: usize) -> f64 {
        match self.coupling {
            Coupling::Features => {
                let pairs = features[left].iter().zip(&features[right]);
                let weights = &self.lengthscales.features;
                let squared: f64 = pairs
                    .zip(weights)
                    .map(|((a, b), weight)| weight * (a - b) * (a - b))
                    .sum();
                exp_neg(0.5 * squared)
            }
            Coupling::Neighbours if left == right => OWN_SHARE,
            Coupling::Neighbours => 0.0,
        }
    }
}

/// The kernel of a configuration with others, which lie one after the other, given how alike each one's task is.
#[pulp::with_simd(fill = pulp::Arch::new())]
#[inline(always)]
fn fill_with<S: Simd>(
    _simd: S,
    kernel: &CoupledKernel,
    own: &[f64],
    others: &[f64],
    alike: &[f64],
    column: &mut [f64],
) {
    let others = others.chunks_exact(own.len());
    for ((entry, other), &alike) in column.iter_mut().zip(others).zip(alike) {
        *entry = kernel.covariance(own, other, alike);
    }
}

/// The distance of opposite corners: a numeric hyperparameter is one coordinate apart, a categorical one two.
fn diameter(space: &Space) -> f64 {
    let squared = space
        .hyperparameters
        .iter()
        .map(|hyperparameter| match hyperparameter.kind {
            Kind::Numeric { .. } => 1.0,
            Kind::Categorical { .. } => 2.0,
        });
    squared.sum::<f64>().sqrt()
}

/// The posterior given the sources' rows, on the rows of the target.
pub(crate) struct CoupledPrior {
    kernel: CoupledKernel,
    width: usize,
    /// How alike the target is to itself.
    of_target: f64,
    /// The encoded rows of the target, one after the other.
    rows: Vec<f64>,
    /// The Cholesky factor L of the kernel matrix of the sources' rows, noise included.
    factor: Vec<f64>,
    /// L^-1 K: a run over the target's rows for each row of the sources, with the kernel K between the two.
    solved: Vec<f64>,
    means: Vec<f64>,
}

impl CoupledPrior {
    /// The prior for `values` at rows of the sources, of which `kind` says in a word what they are.
    ///
    /// # Errors
    /// Those of the fit of the lengthscales.
    pub(crate) fn new(
        setting: &Setting,
        kind: &'static str,
        coupling: Coupling,
        hyperprior: Hyperprior,
        points: &SourcePoints,
        values: &[f64],
    ) -> Result<Self, EngineError> {
        let kernel = CoupledKernel {
            coupling,
            lengthscales: lengthscales(setting, kind, coupling, hyperprior, points, values)?,
            diameter: diameter(setting.space()),
        };
        let width = setting.space().width();
        Self::on(kernel, width, setting.points(), points, values)
    }

    fn on(
        kernel: CoupledKernel,
        width: usize,
        rows: Vec<f64>,
        points: &SourcePoints,
        values: &[f64],
    ) -> Result<Self, EngineError> {
        let count = points.count();
        let row_count = rows.len() / width;
        let target = points.features.len() - 1;
        let of_tasks: Vec<Vec<f64>> = (0..=target)
            .map(|left| {
                let entry = |right| kernel.of_tasks(&points.features, left, right);
                (0..=target).map(entry).collect()
            })
            .collect();
        let point = |row: usize| &points.points[row * width..(row + 1) * width];
        let mut factor = vec![0.0; count * count];
        let mut alike = vec![0.0; count.max(row_count)];
        for (right, column) in factor.chunks_exact_mut(count).enumerate() {
            let of_task = &of_tasks[points.tasks[right]];
            for (entry, &task) in alike.iter_mut().zip(&points.tasks) {
                *entry = of_task[task];
            }
            let below = &points.points[right * width..];
            fill(
                &kernel,
                point(right),
                below,
                &alike[right..count],
                &mut column[right..],
            );
            column[right] += kernel.lengthscales.noise;
        }
        blas::cholesky(MatrixMut::square(&mut factor, count, count))?;
        let mut solved = vec![0.0; count * row_count];
        for (row, column) in solved.chunks_exact_mut(row_count).enumerate() {
            alike.fill(of_tasks[points.tasks[row]][target]);
            fill(&kernel, point(row), &rows, &alike[..row_count], column);
        }
        let triangle = MatrixRef::square(&factor, count, count);
        let of_target = MatrixMut::new(&mut solved, row_count, count, row_count);
        blas::solve_triangular(Triangular::Rows, triangle, of_target);
        let mut prior = Self {
            of_target: of_tasks[target][target],
            kernel,
            width,
            rows,
            factor,
            solved,
            means: vec![0.0; row_count],
        };
        prior.set_values(values);
        Ok(prior)
    }

    /// Takes other values at the rows of the sources, which change the means and nothing else.
    pub(crate) fn set_values(&mut self, values: &[f64]) {
        let count = values.len();
        let mut half = values.to_vec();
        let right = MatrixMut::new(&mut half, count, 1, count);
        let triangle = MatrixRef::square(&self.factor, count, count);
        blas::solve_triangular(Triangular::Lower, triangle, right);
        let rows = self.means.len();
        let solved = MatrixRef::new(&self.solved, rows, count, rows);
        blas::multiply_vector(solved, &half, &mut self.means);
    }

    /// The noise variance.
    pub(crate) fn noise(&self) -> f64 {
        self.kernel.lengthscales.noise
    }
}

impl RowPrior for CoupledPrior {
    fn means(&self) -> &[f64] {
        &self.means
    }

    fn variances(&self) -> Vec<f64> {
        // k(x, x) = 1 under both kernels.
        let mut variances = vec![1.0; self.means.len()];
        for column in self.solved.chunks_exact(self.means.len()) {
            for (variance, entry) in variances.iter_mut().zip(column) {
                *variance = (-entry).mul_add(*entry, *variance);
            }
        }
        variances
    }

    fn covariances(&mut self, row: usize, column: &mut [f64]) {
        let own = &self.rows[row * self.width..(row + 1) * self.width];
        let alike = vec![self.of_target; column.len()];
        fill(&self.kernel, own, &self.rows, &alike, column);
        for of_source in self.solved.chunks_exact(self.means.len()) {
            accumulate(-of_source[row], of_source, column);
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};
    use ndarray_linalg::{Eigh, Inverse, UPLO};

    use super::*;

    /// Three sources and the target, on two coordinates.
    fn points() -> SourcePoints {
        let number = |index: u32| f64::from(index * 37 % 101) / 100.0;
        SourcePoints {
            points: (0..60).map(number).collect(),
            tasks: (0..30).map(|row| row % 3).collect(),
            targets: (0..30).map(|row| f64::from(row).sin()).collect(),
            features: vec![
                vec![0.1, 0.9],
                vec![0.4, 0.2],
                vec![1.0, 0.0],
                vec![0.3, 0.5],
            ],
        }
    }

    fn kernel(coupling: Coupling) -> CoupledKernel {
        CoupledKernel {
            coupling,
            lengthscales: Lengthscales {
                coordinates: vec![4.0, 1.5],
                features: vec![0.7, 2.0],
                noise: 0.05,
            },
            diameter: 2f64.sqrt(),
        }
    }

    /// The kernel as the first lines print it.
    fn printed(coupling: Coupling, (x, d): (&[f64], usize), (y, e): (&[f64], usize)) -> f64 {
        let features = &points().features;
        let scaled = 4.0 * (x[0] - y[0]).powi(2) + 1.5 * (x[1] - y[1]).powi(2);
        let apart = |feature: usize| (features[d][feature] - features[e][feature]).powi(2);
        match coupling {
            Coupling::Features => (-0.5 * (scaled + 0.7 * apart(0) + 2.0 * apart(1))).exp(),
            Coupling::Neighbours => {
                let distance = ((x[0] - y[0]).powi(2) + (x[1] - y[1]).powi(2)).sqrt();
                let own = if d == e {
                    0.3 * (-0.5 * scaled).exp()
                } else {
                    0.0
                };
                own + 0.7 * (-distance / 2f64.sqrt()).exp()
            }
        }
    }

    #[test]
    fn the_posterior_is_that_of_dense_algebra() {
        for coupling in [Coupling::Features, Coupling::Neighbours] {
            let points = points();
            let rows: Vec<f64> = (0..16)
                .map(|index| f64::from(index * 29 % 53) / 52.0)
                .collect();
            let mut prior =
                CoupledPrior::on(kernel(coupling), 2, rows.clone(), &points, &points.targets)
                    .unwrap();
            let source = |row: usize| (&points.points[2 * row..2 * row + 2], points.tasks[row]);
            let target = |row: usize| (&rows[2 * row..2 * row + 2], 3);
            let matrix = Array2::from_shape_fn((30, 30), |(i, j)| {
                let noise = if i == j { 0.05 } else { 0.0 };
                printed(coupling, source(i), source(j)) + noise
            });
            let inverse = matrix.inv().unwrap();
            let cross =
                Array2::from_shape_fn((30, 8), |(i, c)| printed(coupling, source(i), target(c)));
            let own =
                Array2::from_shape_fn((8, 8), |(c, e)| printed(coupling, target(c), target(e)));
            let covariance = own - cross.t().dot(&inverse).dot(&cross);
            let means = |values: &Array1<f64>| cross.t().dot(&inverse.dot(values));
            let z = Array1::from(points.targets.clone());
            let other = z.mapv(|z| 2.0 - z * z);
            for values in [z, other] {
                prior.set_values(values.as_slice().unwrap());
                for (found, expected) in prior.means().iter().zip(means(&values)) {
                    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
                }
            }
            let variances = prior.variances();
            let mut column = vec![0.0; 8];
            for row in 0..8 {
                assert!((variances[row] - covariance[(row, row)]).abs() < 1e-9);
                prior.covariances(row, &mut column);
                for (other, found) in column.iter().enumerate() {
                    assert!(
                        (found - covariance[(row, other)]).abs() < 1e-9,
                        "{row} {other}"
                    );
                }
            }
        }
    }

    fn least_eigenvalue(matrix: Array2<f64>) -> f64 {
        let (values, _) = matrix.eigh(UPLO::Lower).unwrap();
        values.iter().copied().fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn neighbours_have_a_positive_definite_kernel() {
        // On a grid with many equal distances, five tasks, without noise.
        let grid: Vec<[f64; 2]> = (0..25)
            .map(|row| [f64::from(row / 5) / 4.0, f64::from(row % 5) / 4.0])
            .collect();
        let kernel = kernel(Coupling::Neighbours);
        let matrix = Array2::from_shape_fn((75, 75), |(i, j)| {
            let alike = if i / 25 == j / 25 { OWN_SHARE } else { 0.0 };
            kernel.covariance(&grid[i % 25], &grid[j % 25], alike)
        });
        let least = least_eigenvalue(matrix);
        assert!(least > 0.0, "{least}");
    }

    #[test]
    fn so_it_is_in_six_dimensions_where_the_printed_one_is_not() {
        // All corners and midpoints of the cube, each on another task.
        let level = |row: usize, place: u32| (row / 3_usize.pow(place) % 3) as f64 / 2.0;
        let grid: Vec<[f64; 6]> = (0..729)
            .map(|row| std::array::from_fn(|place| level(row, place as u32)))
            .collect();
        let diameter = 6f64.sqrt();
        let kernel = CoupledKernel {
            coupling: Coupling::Neighbours,
            lengthscales: Lengthscales {
                coordinates: vec![1.0; 6],
                features: Vec::new(),
                noise: 0.0,
            },
            diameter,
        };
        let here = |(i, j): (usize, usize)| kernel.covariance(&grid[i], &grid[j], 0.0);
        let least = least_eigenvalue(Array2::from_shape_fn((729, 729), here));
        assert!(least > 0.0, "{least}");
        let printed = |(i, j): (usize, usize)| {
            let pairs = grid[i].iter().zip(&grid[j]);
            1.0 - pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt() / diameter
        };
        let least = least_eigenvalue(Array2::from_shape_fn((729, 729), printed));
        assert!(least < -0.01, "{least}");
    }
}
