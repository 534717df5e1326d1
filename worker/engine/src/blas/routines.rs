//! Factorisations, triangular solves and products of a matrix and a vector.
//!
//! Symmetric matrices and Cholesky factors use their lower triangle.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};

use super::matrix::{MatrixMut, MatrixRef};
use crate::EngineError;

/// The signature of dpotrf and dpotri.
type SymmetricRoutine =
    unsafe extern "C" fn(*const c_char, *const c_int, *mut f64, *const c_int, *mut c_int);

/// Replaces the lower triangle of a symmetric matrix by its Cholesky factor.
///
/// # Errors
/// [`EngineError::LinearAlgebra`] if the matrix is not positive definite.
pub(crate) fn cholesky(matrix: MatrixMut) -> Result<(), EngineError> {
    call_symmetric("dpotrf", lapack_sys::dpotrf_, matrix)
}

/// Replaces a Cholesky factor by the lower triangle of the matrix's inverse.
///
/// # Errors
/// [`EngineError::LinearAlgebra`] if the factor is singular.
pub(crate) fn invert_from_cholesky(factor: MatrixMut) -> Result<(), EngineError> {
    call_symmetric("dpotri", lapack_sys::dpotri_, factor)
}

fn call_symmetric(
    name: &'static str,
    routine: SymmetricRoutine,
    matrix: MatrixMut,
) -> Result<(), EngineError> {
    let shape = matrix.shape;
    assert_eq!(shape.rows, shape.columns, "the matrix is not square");
    let mut info = 0;
    // SAFETY: the view was checked to lie within its buffer, which is borrowed mutably; all
    // routines access the lower triangle of a square matrix and nothing else.
    unsafe {
        routine(
            c"L".as_ptr(),
            &shape.rows,
            matrix.entries.as_mut_ptr(),
            &shape.stride,
            &mut info,
        );
    }
    match info {
        0 => Ok(()),
        _ => Err(EngineError::LinearAlgebra {
            routine: name,
            info,
        }),
    }
}

/// The systems of linear equations with a lower triangular matrix L.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Triangular {
    /// L X = B.
    Lower,
    /// L^T X = B.
    LowerTransposed,
    /// X L^T = B: row i of X is L^-1 times row i of B. The rows may be candidates, which then lie
    /// side by side in memory.
    Rows,
}

/// Solves a triangular system in place: `right` is B at first and X afterwards.
pub(crate) fn solve_triangular(system: Triangular, factor: MatrixRef, right: MatrixMut) {
    let (side, transpose, size) = match system {
        Triangular::Lower => (
            cblas_sys::CblasLeft,
            cblas_sys::CblasNoTrans,
            right.shape.rows,
        ),
        Triangular::LowerTransposed => (
            cblas_sys::CblasLeft,
            cblas_sys::CblasTrans,
            right.shape.rows,
        ),
        Triangular::Rows => (
            cblas_sys::CblasRight,
            cblas_sys::CblasTrans,
            right.shape.columns,
        ),
    };
    assert!(
        (factor.shape.rows, factor.shape.columns) == (size, size),
        "the factor does not fit the right-hand side"
    );
    // SAFETY: both views were checked to lie within their buffers, which cannot overlap, as one of
    // them is borrowed mutably, and the factor is square and of the size that `side` asks for.
    unsafe {
        cblas_sys::cblas_dtrsm(
            cblas_sys::CblasColMajor,
            side,
            cblas_sys::CblasLower,
            transpose,
            cblas_sys::CblasNonUnit,
            right.shape.rows,
            right.shape.columns,
            1.0,
            factor.entries.as_ptr(),
            factor.shape.stride,
            right.entries.as_mut_ptr(),
            right.shape.stride,
        );
    }
}

/// Computes y = A x into `result`.
pub(crate) fn multiply_vector(matrix: MatrixRef, vector: &[f64], result: &mut [f64]) {
    gemv(cblas_sys::CblasNoTrans, matrix, vector, 0.0, result);
}

/// Adds A^T x to `sums`.
pub(crate) fn add_vector_transposed(matrix: MatrixRef, vector: &[f64], sums: &mut [f64]) {
    gemv(cblas_sys::CblasTrans, matrix, vector, 1.0, sums);
}

/// Computes A x or A^T x, plus `share` times what the result holds.
fn gemv(
    transpose: cblas_sys::CBLAS_TRANSPOSE,
    matrix: MatrixRef,
    vector: &[f64],
    share: f64,
    result: &mut [f64],
) {
    let shape = matrix.shape;
    let (from, to) = match transpose {
        cblas_sys::CblasNoTrans => (shape.columns, shape.rows),
        _ => (shape.rows, shape.columns),
    };
    assert!(
        vector.len() >= from as usize && result.len() >= to as usize,
        "a vector is too short"
    );
    // SAFETY: the view was checked to lie within its buffer, the vectors were checked above, and
    // the result cannot overlap the others, being borrowed mutably.
    unsafe {
        cblas_sys::cblas_dgemv(
            cblas_sys::CblasColMajor,
            transpose,
            shape.rows,
            shape.columns,
            1.0,
            matrix.entries.as_ptr(),
            shape.stride,
            vector.as_ptr(),
            1,
            share,
            result.as_mut_ptr(),
            1,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Columns of [[4, ., .], [2, 5, .], [6, 1, 20]] with a stride of 4.
    const MATRIX: [f64; 12] = [
        4.0, 2.0, 6.0, 9.9, //
        9.9, 5.0, 1.0, 9.9, //
        9.9, 9.9, 20.0, 9.9,
    ];
    // Its factor, by hand: [[2], [1, 2], [3, -1, sqrt 10]].
    const LAST: f64 = 3.162_277_660_168_379_5;

    #[test]
    fn the_factor_and_the_inverse_are_right() {
        let mut matrix = MATRIX;
        cholesky(MatrixMut::square(&mut matrix, 3, 4)).unwrap();
        let factor = [
            matrix[0], matrix[1], matrix[2], matrix[5], matrix[6], matrix[10],
        ];
        assert_eq!(factor, [2.0, 1.0, 3.0, 2.0, -1.0, LAST]);
        invert_from_cholesky(MatrixMut::square(&mut matrix, 3, 4)).unwrap();
        // The determinant is 160; adjugate by hand.
        let inverse = [99.0, -34.0, -28.0, 44.0, 8.0, 16.0].map(|entry| entry / 160.0);
        let found = [
            matrix[0], matrix[1], matrix[2], matrix[5], matrix[6], matrix[10],
        ];
        for (found, expected) in found.iter().zip(inverse) {
            assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        }
        let untouched = [matrix[3], matrix[4], matrix[7], matrix[8], matrix[9]];
        assert_eq!(untouched, [9.9; 5]);
    }

    #[test]
    fn an_indefinite_matrix_is_an_error() {
        let mut matrix = [1.0, 2.0, 2.0, 1.0];
        let error = cholesky(MatrixMut::square(&mut matrix, 2, 2)).unwrap_err();
        let expected = "dpotrf failed: the matrix is not positive definite (info 2)";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn the_three_solves_agree_with_hand_computation() {
        let factor = [2.0, 1.0, 0.0, 3.0]; // L = [[2, 0], [1, 3]]
        let solve = |system, mut right: Vec<f64>, columns| {
            let factor = MatrixRef::square(&factor, 2, 2);
            solve_triangular(system, factor, MatrixMut::new(&mut right, 2, columns, 2));
            right
        };
        assert_eq!(solve(Triangular::Lower, vec![4.0, 8.0], 1), [2.0, 2.0]);
        let solution = solve(Triangular::LowerTransposed, vec![4.0, 6.0], 1);
        assert_eq!(solution, [1.0, 2.0]);
        // Two candidates as rows: (4, 8) and (2, 4).
        let solution = solve(Triangular::Rows, vec![4.0, 2.0, 8.0, 4.0], 2);
        assert_eq!(solution, [2.0, 1.0, 2.0, 1.0]);
    }

    #[test]
    fn matrix_times_vector() {
        let matrix = MatrixRef::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, 2, 3);
        let mut result = [0.0; 3];
        multiply_vector(matrix, &[1.0, 10.0], &mut result);
        assert_eq!(result, [41.0, 52.0, 63.0]);
        let mut result = [0.0; 2];
        add_vector_transposed(matrix, &[1.0, 0.0, 2.0], &mut result);
        assert_eq!(result, [7.0, 16.0]);
        add_vector_transposed(matrix, &[0.0, 1.0, 0.0], &mut result);
        assert_eq!(result, [9.0, 21.0]);
    }

    #[test]
    #[should_panic(expected = "shorter than the matrix")]
    fn a_short_buffer_is_caught_before_the_library_sees_it() {
        let _ = cholesky(MatrixMut::square(&mut [1.0; 3], 2, 2));
    }

    #[test]
    #[should_panic(expected = "does not fit")]
    fn a_factor_of_another_size_is_caught_before_the_library_sees_it() {
        let factor = MatrixRef::square(&[1.0; 4], 2, 2);
        solve_triangular(
            Triangular::Lower,
            factor,
            MatrixMut::new(&mut [1.0; 3], 3, 1, 3),
        );
    }
}
