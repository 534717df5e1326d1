//! What the scores of a ranker are linear in.
//!
//! With a linear kernel that is the configuration. With the squared exponential kernel k on configurations and features of the
//! tasks, u = (x, D), it is L^-1 k(Z, u) for some landmarks Z, with the Cholesky factor L of k(Z, Z): functions that are
//! linear in it are those spanned by the kernel at the landmarks, with the norm of the kernel's space (Williams and Seeger
//! 2001, Using the Nystroem method to speed up kernel machines).

use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::error::EngineError;
use crate::special::exponential::exp_neg;

/// Added to the diagonal of the kernel at the landmarks, some of which may be nearly equal.
const JITTER: f64 = 1e-6;

/// What the ranker can express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RankerKernel {
    /// A direction in the space of configurations. What describes a task cancels in every pair of its rows.
    Linear,
    /// Any smooth function of configuration and features.
    SquaredExponential,
}

/// The inputs of several rows.
pub(super) struct Inputs {
    rows: usize,
    /// By input, a run over the rows.
    columns: Vec<f64>,
}

impl Inputs {
    /// The coordinates of points of `width` coordinates, which lie one after the other.
    pub(super) fn coordinates(points: &[f64], width: usize) -> Self {
        let rows = points.len() / width;
        let column = |coordinate: usize| points.iter().skip(coordinate).step_by(width).copied();
        Self {
            rows,
            columns: (0..width).flat_map(column).collect(),
        }
    }

    /// Number of inputs of a row; there has to be one.
    pub(super) fn width(&self) -> usize {
        self.columns.len() / self.rows
    }

    /// A score per row: the product with the weights.
    pub(super) fn scores(&self, weights: &[f64]) -> Vec<f64> {
        let mut scores = vec![0.0; self.rows];
        if self.rows > 0 {
            let matrix = MatrixRef::new(&self.columns, self.rows, weights.len(), self.rows);
            blas::multiply_vector(matrix, weights, &mut scores);
        }
        scores
    }

    /// The derivative by the weights, given that by each row's score.
    pub(super) fn slopes(&self, by_score: &[f64]) -> Vec<f64> {
        let mut slopes = vec![0.0; self.width()];
        let matrix = MatrixRef::new(&self.columns, self.rows, slopes.len(), self.rows);
        blas::add_vector_transposed(matrix, by_score, &mut slopes);
        slopes
    }

    /// The inputs of these rows, in their order.
    pub(super) fn of_rows(&self, rows: &[u32]) -> Self {
        let columns = self.columns.chunks_exact(self.rows);
        let kept = columns.flat_map(|column| rows.iter().map(|&row| column[row as usize]));
        Self {
            rows: rows.len(),
            columns: kept.collect(),
        }
    }
}

/// Points whose kernel with others spans what a ranker can express.
pub(super) struct Landmarks {
    points: Vec<f64>,
    width: usize,
    /// 1 / lengthscale^2.
    scale: f64,
    factor: Vec<f64>,
}

impl Landmarks {
    /// At `points` of `width` numbers, configuration and features, one after the other. The lengthscale, which is the same
    /// for every number, is the median of their distances.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the kernel between them cannot be factorised.
    pub(super) fn new(points: Vec<f64>, width: usize) -> Result<Self, EngineError> {
        let count = points.len() / width;
        let mut landmarks = Self {
            scale: 1.0 / median_squared_distance(&points, width),
            points,
            width,
            factor: Vec::new(),
        };
        let mut factor = landmarks.kernel(&landmarks.points).columns;
        for diagonal in factor.iter_mut().step_by(count + 1) {
            *diagonal += JITTER;
        }
        blas::cholesky(MatrixMut::square(&mut factor, count, count))?;
        landmarks.factor = factor;
        Ok(landmarks)
    }

    /// The inputs of points, which lie one after the other.
    pub(super) fn inputs(&self, points: &[f64]) -> Inputs {
        let mut inputs = self.kernel(points);
        let count = self.points.len() / self.width;
        let factor = MatrixRef::square(&self.factor, count, count);
        let right = MatrixMut::new(&mut inputs.columns, inputs.rows, count, inputs.rows);
        blas::solve_triangular(Triangular::Rows, factor, right);
        inputs
    }

    /// The kernel of points with each landmark.
    fn kernel(&self, points: &[f64]) -> Inputs {
        let column = |landmark: &[f64]| -> Vec<f64> {
            let points = points.chunks_exact(self.width);
            let squared = points.map(|point| squared_distance(point, landmark));
            squared.map(|d| exp_neg(0.5 * self.scale * d)).collect()
        };
        let landmarks = self.points.chunks_exact(self.width);
        Inputs {
            rows: points.len() / self.width,
            columns: landmarks.flat_map(column).collect(),
        }
    }
}

fn squared_distance(left: &[f64], right: &[f64]) -> f64 {
    let pairs = left.iter().zip(right);
    pairs.map(|(a, b)| (a - b) * (a - b)).sum()
}

/// 1 if all points are equal.
fn median_squared_distance(points: &[f64], width: usize) -> f64 {
    let points: Vec<&[f64]> = points.chunks_exact(width).collect();
    let pairs = (0..points.len()).flat_map(|left| (0..left).map(move |right| (left, right)));
    let distances = pairs.map(|(left, right)| squared_distance(points[left], points[right]));
    let mut distances: Vec<f64> = distances.filter(|&distance| distance > 0.0).collect();
    distances.sort_unstable_by(f64::total_cmp);
    distances.get(distances.len() / 2).copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_give_products_and_their_derivatives() {
        let inputs = Inputs::coordinates(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2);
        assert_eq!(inputs.scores(&[1.0, 10.0]), [21.0, 43.0, 65.0]);
        assert_eq!(inputs.slopes(&[1.0, 0.0, -1.0]), [-4.0, -4.0]);
        assert_eq!(inputs.of_rows(&[2, 0]).scores(&[1.0, 10.0]), [65.0, 21.0]);
    }

    #[test]
    fn products_of_inputs_are_the_kernel_where_one_of_the_points_is_a_landmark() {
        let number = |index: u32| f64::from(index * 37 % 101) / 100.0;
        let points: Vec<f64> = (0..24).map(number).collect();
        let others: Vec<f64> = (24..36).map(number).collect();
        let landmarks = Landmarks::new(points.clone(), 3).unwrap();
        // The median of the 28 distances, of equal ranks the upper.
        let rows: Vec<&[f64]> = points.chunks_exact(3).collect();
        let mut distances: Vec<f64> = Vec::new();
        for (left, a) in rows.iter().enumerate() {
            let of_left = rows[..left].iter().map(|b| squared_distance(a, b).sqrt());
            distances.extend(of_left);
        }
        distances.sort_unstable_by(f64::total_cmp);
        let lengthscale = distances[14];
        let inputs = landmarks.inputs(&others);
        let own = landmarks.inputs(&points);
        let input = |inputs: &Inputs, row: usize| -> Vec<f64> {
            (0..8)
                .map(|place| inputs.columns[place * inputs.rows + row])
                .collect()
        };
        for (row, point) in others.chunks_exact(3).enumerate() {
            for (landmark, other) in rows.iter().enumerate() {
                let product: f64 = input(&inputs, row)
                    .iter()
                    .zip(input(&own, landmark))
                    .map(|(a, b)| a * b)
                    .sum();
                let distance = squared_distance(point, other) / lengthscale.powi(2);
                let expected = (-0.5 * distance).exp();
                assert!((product - expected).abs() < 1e-3, "{product} {expected}");
            }
        }
    }

    #[test]
    fn equal_landmarks_have_a_kernel() {
        let landmarks = Landmarks::new(vec![0.5; 6], 2).unwrap();
        let inputs = landmarks.inputs(&[0.5, 0.5]);
        assert!(inputs.columns.iter().all(|input| input.is_finite()));
    }
}
