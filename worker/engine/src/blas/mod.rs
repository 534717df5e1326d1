//! BLAS and LAPACK on reused buffers: the only `unsafe` code of the project.
//!
//! Matrices are column-major, `stride` elements from one column to the next.
//! Symmetric matrices and Cholesky factors use their lower triangle.
#![allow(unsafe_code)]

mod pinning;

use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

use crate::EngineError;
pub use pinning::pin_kernels;

// Links the system's OpenBLAS.
use openblas_src as _;

unsafe extern "C" {
    fn openblas_get_config() -> *const c_char;
    fn openblas_get_corename() -> *const c_char;
    fn openblas_set_num_threads(threads: c_int);
    fn openblas_get_num_threads() -> c_int;
}

/// A dimension as BLAS takes it. Dimensions here are at most a few thousand.
fn dimension(size: usize) -> c_int {
    c_int::try_from(size).expect("matrix dimensions are far below 2^31")
}

fn check_matrix(buffer: &[f64], rows: usize, columns: usize, stride: usize) {
    assert!(rows <= stride.max(1), "a column is longer than its stride");
    assert!(
        columns == 0 || buffer.len() >= (columns - 1) * stride + rows,
        "the buffer is shorter than the matrix"
    );
}

/// Restricts OpenBLAS to one thread (parallelism comes from running jobs side by
/// side) and describes the library: version, core type, threads.
pub fn single_threaded() -> &'static str {
    static DESCRIPTION: OnceLock<String> = OnceLock::new();
    DESCRIPTION.get_or_init(|| {
        let text = |pointer: *const c_char| {
            // SAFETY: both functions return a static NUL-terminated string.
            unsafe { CStr::from_ptr(pointer) }
                .to_string_lossy()
                .into_owned()
        };
        // SAFETY: these functions take no pointers; nothing else in this process
        // changes the number of threads.
        let (config, core, threads) = unsafe {
            openblas_set_num_threads(1);
            (
                openblas_get_config(),
                openblas_get_corename(),
                openblas_get_num_threads(),
            )
        };
        let config = text(config);
        let version: Vec<_> = config.split_whitespace().take(2).collect();
        format!(
            "{}, core {}, {threads} thread",
            version.join(" "),
            text(core)
        )
    })
}

/// Replaces the lower triangle of a symmetric matrix by its Cholesky factor.
///
/// # Errors
/// [`EngineError::LinearAlgebra`] if the matrix is not positive definite.
pub fn cholesky(matrix: &mut [f64], size: usize, stride: usize) -> Result<(), EngineError> {
    check_matrix(matrix, size, size, stride);
    let mut info = 0;
    // SAFETY: the buffer holds `size` columns of `size` elements `stride` apart.
    unsafe {
        lapack_sys::dpotrf_(
            c"L".as_ptr(),
            &dimension(size),
            matrix.as_mut_ptr(),
            &dimension(stride.max(1)),
            &mut info,
        );
    }
    status("dpotrf", info)
}

/// Replaces a Cholesky factor by the lower triangle of the matrix's inverse.
///
/// # Errors
/// [`EngineError::LinearAlgebra`] if the factor is singular.
pub fn invert_from_cholesky(
    factor: &mut [f64],
    size: usize,
    stride: usize,
) -> Result<(), EngineError> {
    check_matrix(factor, size, size, stride);
    let mut info = 0;
    // SAFETY: the buffer holds `size` columns of `size` elements `stride` apart.
    unsafe {
        lapack_sys::dpotri_(
            c"L".as_ptr(),
            &dimension(size),
            factor.as_mut_ptr(),
            &dimension(stride.max(1)),
            &mut info,
        );
    }
    status("dpotri", info)
}

fn status(routine: &'static str, info: c_int) -> Result<(), EngineError> {
    match info {
        0 => Ok(()),
        _ => Err(EngineError::LinearAlgebra {
            routine,
            problem: format!("the matrix is not positive definite (info {info})"),
        }),
    }
}

/// Which triangular system [`solve_triangular`] solves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Triangle {
    /// L X = B.
    Lower,
    /// L^T X = B.
    LowerTransposed,
}

/// Solves L X = B or L^T X = B in place, for `columns` right-hand sides that
/// follow each other in `right` without gaps.
pub fn solve_triangular(
    triangle: Triangle,
    factor: &[f64],
    size: usize,
    stride: usize,
    right: &mut [f64],
    columns: usize,
) {
    check_matrix(factor, size, size, stride);
    check_matrix(right, size, columns, size);
    let transpose = match triangle {
        Triangle::Lower => cblas_sys::CblasNoTrans,
        Triangle::LowerTransposed => cblas_sys::CblasTrans,
    };
    // SAFETY: both buffers hold the matrices described (checked above); a
    // right-hand side and the factor cannot overlap, one being borrowed mutably.
    unsafe {
        cblas_sys::cblas_dtrsm(
            cblas_sys::CblasColMajor,
            cblas_sys::CblasLeft,
            cblas_sys::CblasLower,
            transpose,
            cblas_sys::CblasNonUnit,
            dimension(size),
            dimension(columns),
            1.0,
            factor.as_ptr(),
            dimension(stride.max(1)),
            right.as_mut_ptr(),
            dimension(size.max(1)),
        );
    }
}

/// Solves X L^T = B in place, where B has `rows` rows and `size` columns,
/// `right_stride` elements apart: row i of the result is L^-1 times row i of B.
/// The layout in which candidates lie side by side in memory.
pub fn solve_rows(
    factor: &[f64],
    size: usize,
    stride: usize,
    right: &mut [f64],
    rows: usize,
    right_stride: usize,
) {
    check_matrix(factor, size, size, stride);
    check_matrix(right, rows, size, right_stride);
    // SAFETY: both buffers hold the matrices described (checked above); they
    // cannot overlap, one being borrowed mutably.
    unsafe {
        cblas_sys::cblas_dtrsm(
            cblas_sys::CblasColMajor,
            cblas_sys::CblasRight,
            cblas_sys::CblasLower,
            cblas_sys::CblasTrans,
            cblas_sys::CblasNonUnit,
            dimension(rows),
            dimension(size),
            1.0,
            factor.as_ptr(),
            dimension(stride.max(1)),
            right.as_mut_ptr(),
            dimension(right_stride.max(1)),
        );
    }
}

/// y = A x for a matrix of `rows` x `columns`.
pub fn multiply_vector(
    matrix: &[f64],
    rows: usize,
    columns: usize,
    stride: usize,
    vector: &[f64],
    result: &mut [f64],
) {
    gemv(
        cblas_sys::CblasNoTrans,
        matrix,
        (rows, columns),
        stride,
        vector,
        result,
    );
}

/// y = A^T x for a matrix of `rows` x `columns`.
pub fn multiply_vector_transposed(
    matrix: &[f64],
    rows: usize,
    columns: usize,
    stride: usize,
    vector: &[f64],
    result: &mut [f64],
) {
    gemv(
        cblas_sys::CblasTrans,
        matrix,
        (rows, columns),
        stride,
        vector,
        result,
    );
}

fn gemv(
    transpose: cblas_sys::CBLAS_TRANSPOSE,
    matrix: &[f64],
    (rows, columns): (usize, usize),
    stride: usize,
    vector: &[f64],
    result: &mut [f64],
) {
    check_matrix(matrix, rows, columns, stride);
    let (from, to) = match transpose {
        cblas_sys::CblasNoTrans => (columns, rows),
        _ => (rows, columns),
    };
    assert!(
        vector.len() >= from && result.len() >= to,
        "a vector is too short"
    );
    // SAFETY: the buffers hold the matrix and vectors described (checked above);
    // the result cannot overlap the others, being borrowed mutably.
    unsafe {
        cblas_sys::cblas_dgemv(
            cblas_sys::CblasColMajor,
            transpose,
            dimension(rows),
            dimension(columns),
            1.0,
            matrix.as_ptr(),
            dimension(stride.max(1)),
            vector.as_ptr(),
            1,
            0.0,
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
        cholesky(&mut matrix, 3, 4).unwrap();
        let factor = [
            matrix[0], matrix[1], matrix[2], matrix[5], matrix[6], matrix[10],
        ];
        assert_eq!(factor, [2.0, 1.0, 3.0, 2.0, -1.0, LAST]);
        invert_from_cholesky(&mut matrix, 3, 4).unwrap();
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
        let error = cholesky(&mut matrix, 2, 2).unwrap_err().to_string();
        assert!(error.contains("positive definite"), "{error}");
    }

    #[test]
    fn the_three_solves_agree_with_hand_computation() {
        let factor = [2.0, 1.0, 0.0, 3.0]; // L = [[2, 0], [1, 3]]
        let mut right = [4.0, 8.0];
        solve_triangular(Triangle::Lower, &factor, 2, 2, &mut right, 1);
        assert_eq!(right, [2.0, 2.0]);
        let mut right = [4.0, 6.0];
        solve_triangular(Triangle::LowerTransposed, &factor, 2, 2, &mut right, 1);
        assert_eq!(right, [1.0, 2.0]);
        // Two candidates as rows: (4, 8) and (2, 4).
        let mut rows = [4.0, 2.0, 8.0, 4.0];
        solve_rows(&factor, 2, 2, &mut rows, 2, 2);
        assert_eq!(rows, [2.0, 1.0, 2.0, 1.0]);
    }

    #[test]
    fn matrix_times_vector() {
        let matrix = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]; // 3 x 2
        let mut result = [0.0; 3];
        multiply_vector(&matrix, 3, 2, 3, &[1.0, 10.0], &mut result);
        assert_eq!(result, [41.0, 52.0, 63.0]);
        let mut result = [0.0; 2];
        multiply_vector_transposed(&matrix, 3, 2, 3, &[1.0, 0.0, 2.0], &mut result);
        assert_eq!(result, [7.0, 16.0]);
    }

    #[test]
    #[should_panic(expected = "shorter than the matrix")]
    fn a_short_buffer_is_caught_before_the_library_sees_it() {
        let _ = cholesky(&mut [1.0; 3], 2, 2);
    }

    #[test]
    fn the_library_describes_itself() {
        let description = single_threaded();
        assert!(description.contains("OpenBLAS"), "{description}");
        assert!(description.ends_with("1 thread"), "{description}");
    }
}
