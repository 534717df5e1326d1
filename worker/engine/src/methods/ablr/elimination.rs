//! The Cholesky factor L of a small positive definite matrix A, its inverse, and the solution of L v = q, by one elimination.
//!
//! Row by row, multiples of a finished row are taken from those below it: in A that leaves L', in the identity beside it L^-1, and
//! in q the solution v. Nothing here depends on the width of vectors: each entry is one chain of fused multiply-adds.

use pulp::Simd;

use crate::error::EngineError;

/// What an elimination leaves.
pub(super) struct Elimination {
    /// L' row by row, that is L column by column. What lies below the diagonal of L' is not meant.
    pub factor: Vec<f64>,
    /// L^-1 row by row, zeros above its diagonal.
    pub inverse_factor: Vec<f64>,
    /// v.
    pub solution: Vec<f64>,
}

impl Elimination {
    /// Eliminates `matrix`, row by row, of which the upper triangle counts, and `right`, which is as long as a row.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the matrix is not positive definite.
    pub(super) fn new(matrix: Vec<f64>, right: Vec<f64>) -> Result<Self, EngineError> {
        let width = right.len();
        let mut inverse_factor = vec![0.0; width * width];
        let diagonal = inverse_factor.iter_mut().step_by(width + 1);
        diagonal.for_each(|entry| *entry = 1.0);
        let mut elimination = Self {
            factor: matrix,
            inverse_factor,
            solution: right,
        };
        match eliminate(&mut elimination) {
            None => Ok(elimination),
            Some(row) => Err(EngineError::LinearAlgebra {
                routine: "elimination",
                info: row as i32 + 1,
            }),
        }
    }
}

/// Eliminates all rows, or returns the first whose pivot is not positive.
#[pulp::with_simd(eliminate = pulp::Arch::new())]
#[inline(always)]
fn eliminate_with<S: Simd>(_simd: S, elimination: &mut Elimination) -> Option<usize> {
    let Elimination {
        factor,
        inverse_factor,
        solution,
    } = elimination;
    let width = solution.len();
    for pivot in 0..width {
        let (done, below) = factor.split_at_mut((pivot + 1) * width);
        let row = &mut done[pivot * width + pivot..];
        let root = row[0].sqrt();
        // Not so for what is not a number, either.
        if !(root > 0.0 && root.is_finite()) {
            return Some(pivot);
        }
        let (done, inverse_below) = inverse_factor.split_at_mut((pivot + 1) * width);
        let inverse_row = &mut done[pivot * width..=pivot * width + pivot];
        let scale = 1.0 / root;
        row[0] = root;
        row[1..].iter_mut().for_each(|entry| *entry *= scale);
        inverse_row.iter_mut().for_each(|entry| *entry *= scale);
        let (solved, unsolved) = solution.split_at_mut(pivot + 1);
        let solved = &mut solved[pivot];
        *solved *= scale;
        let rows = below.chunks_exact_mut(width);
        let rows = rows.zip(inverse_below.chunks_exact_mut(width));
        for (number, ((lower, inverse_lower), right)) in rows.zip(unsolved).enumerate() {
            let row = &row[1 + number..];
            let share = -row[0];
            for (entry, above) in lower[pivot + 1 + number..].iter_mut().zip(row) {
                *entry = share.mul_add(*above, *entry);
            }
            for (entry, above) in inverse_lower.iter_mut().zip(&*inverse_row) {
                *entry = share.mul_add(*above, *entry);
            }
            *right = share.mul_add(*solved, *right);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};
    use ndarray_linalg::{Cholesky, Inverse, UPLO};

    use super::*;

    #[test]
    fn factors_and_solutions_are_those_of_lapack() {
        for width in [1, 2, 7, 51] {
            let entry = |(row, column): (usize, usize)| ((3 * row + 5 * column) as f64 * 0.7).sin();
            let features = Array2::from_shape_fn((width + 3, width), entry);
            let matrix = features.t().dot(&features) + Array2::<f64>::eye(width);
            let right = Array1::from_shape_fn(width, |row| (row as f64).cos());
            let found = Elimination::new(matrix.iter().copied().collect(), right.to_vec()).unwrap();
            let factor = matrix.cholesky(UPLO::Lower).unwrap();
            let inverse = factor.inv().unwrap();
            let solution = inverse.dot(&right);
            for row in 0..width {
                assert!((found.solution[row] - solution[row]).abs() < 1e-12);
                for column in 0..width {
                    let place = row * width + column;
                    let error = (found.inverse_factor[place] - inverse[(row, column)]).abs();
                    assert!(error < 1e-12, "{width}: {row} {column}: {error}");
                    if row <= column {
                        let error = (found.factor[place] - factor[(column, row)]).abs();
                        assert!(error < 1e-12, "{width}: {row} {column}: {error}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_is_refused() {
        for matrix in [
            vec![1.0, 2.0, 2.0, 1.0],
            vec![1.0, 1.0, 1.0, 1.0],
            vec![1.0, 0.0, 0.0, f64::NAN],
            vec![1.0, 0.0, 0.0, f64::INFINITY],
        ] {
            let error = Elimination::new(matrix, vec![1.0, 1.0]).err();
            assert!(matches!(
                error,
                Some(EngineError::LinearAlgebra { info: 2, .. })
            ));
        }
    }
}
