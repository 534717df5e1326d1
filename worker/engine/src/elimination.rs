//! The Cholesky factor L of a positive definite matrix A, its inverse, and the solutions of L v = q, by one elimination.
//!
//! Multiples of each finished row are taken from those below it: in A that leaves L', in the identity beside it L^-1, and in q the
//! solution v. The rows below take [`PIVOTS`] rows at a time, so that they are loaded and stored less often. Nothing here depends on
//! the width of vectors: each entry is one chain of fused multiply-adds, in the order of the rows. What is computed below the
//! diagonal of A on the way is not read again.

use pulp::Simd;

use crate::blas::MatrixRef;
use crate::error::EngineError;
use crate::matrix_products::Factor;

/// Rows that are taken from those below them together. Rows are as long as a multiple of it, too: whole vectors of every width.
const PIVOTS: usize = 8;

/// Buffers for eliminations, and what the last one left.
#[derive(Default)]
pub(crate) struct Elimination {
    /// Rows, and columns of A.
    count: usize,
    /// How far apart rows begin in both matrices.
    length: usize,
    /// A row by row, each q a column behind it; then L', and the solutions.
    matrix: Vec<f64>,
    /// The identity row by row, then L^-1.
    inverse: Vec<f64>,
}

impl Elimination {
    /// Eliminates a matrix of `count` rows with that many right sides. `fill` gets the number of each row, and puts its entries from the
    /// diagonal on and those of the right sides behind them into the place.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the matrix is not positive definite.
    pub(crate) fn eliminate(
        &mut self,
        count: usize,
        right_sides: usize,
        mut fill: impl FnMut(usize, &mut [f64]),
    ) -> Result<(), EngineError> {
        let length = (count + right_sides).next_multiple_of(PIVOTS);
        (self.count, self.length) = (count, length);
        self.matrix.resize(count * length, 0.0);
        self.inverse.clear();
        self.inverse.resize(count * length, 0.0);
        for (number, row) in self.matrix.chunks_exact_mut(length).enumerate() {
            fill(number, &mut row[number..count + right_sides]);
        }
        let diagonal = self.inverse.iter_mut().step_by(length + 1);
        diagonal.for_each(|entry| *entry = 1.0);
        match eliminate(self) {
            None => Ok(()),
            Some(row) => Err(EngineError::LinearAlgebra {
                routine: "elimination",
                info: row as i32 + 1,
            }),
        }
    }

    /// The diagonal of L.
    pub(crate) fn diagonal(&self) -> impl Iterator<Item = f64> + '_ {
        self.matrix.iter().step_by(self.length + 1).copied()
    }

    /// L, in columns.
    pub(crate) fn factor(&self) -> MatrixRef<'_> {
        MatrixRef::square(&self.matrix, self.count, self.length)
    }

    /// L^-1.
    pub(crate) fn inverse_factor(&self) -> Factor<'_, f64> {
        Factor::lower_triangular(&self.inverse, self.count, self.length)
    }

    /// The rows of L^-1 with the zeros above its diagonal.
    pub(crate) fn inverse_rows(&self) -> impl Iterator<Item = &[f64]> {
        let rows = self.inverse.chunks_exact(self.length);
        rows.map(|row| &row[..self.count])
    }

    /// The solution for the right side of that number.
    pub(crate) fn solution(&self, right_side: usize) -> impl Iterator<Item = f64> + '_ {
        let entries = self.matrix.iter().skip(self.count + right_side);
        entries.step_by(self.length).copied()
    }
}

/// Eliminates all rows, or returns the first whose pivot is not positive.
#[pulp::with_simd(eliminate = pulp::Arch::new())]
#[inline(always)]
fn eliminate_with<S: Simd>(simd: S, elimination: &mut Elimination) -> Option<usize> {
    let Elimination {
        count,
        length,
        matrix,
        inverse,
    } = elimination;
    let (count, length) = (*count, *length);
    for first in (0..count).step_by(PIVOTS) {
        // Whole vectors: from the first pivot's column on, and up to the last one's.
        let (start, end) = (first, first + PIVOTS);
        let split = length * count.min(end);
        let (done, below) = matrix.split_at_mut(split);
        let (inverse_done, inverse_below) = inverse.split_at_mut(split);
        let (pivots, inverses) = (
            &mut done[first * length..],
            &mut inverse_done[first * length..],
        );
        for pivot in first..count.min(end) {
            let (done, below) = pivots.split_at_mut((pivot + 1 - first) * length);
            let row = &mut done[(pivot - first) * length..];
            let root = row[pivot].sqrt();
            // Not so for what is not a number, either.
            if !(root > 0.0 && root.is_finite()) {
                return Some(pivot);
            }
            let scale = 1.0 / root;
            row[start..].iter_mut().for_each(|entry| *entry *= scale);
            row[pivot] = root;
            let (done, inverse_below) = inverses.split_at_mut((pivot + 1 - first) * length);
            let inverse_row = &mut done[(pivot - first) * length..];
            inverse_row[..end]
                .iter_mut()
                .for_each(|entry| *entry *= scale);
            let others = below.chunks_exact_mut(length);
            let others = others.zip(inverse_below.chunks_exact_mut(length));
            for (number, (lower, inverse_lower)) in others.enumerate() {
                // L' has the entry of L that belongs to the lower row.
                let share = [-row[pivot + 1 + number]];
                add_rows(simd, share, &row[start..], length, &mut lower[start..]);
                add_rows(simd, share, inverse_row, length, &mut inverse_lower[..end]);
            }
        }
        let others = below.chunks_exact_mut(length);
        let others = others.zip(inverse_below.chunks_exact_mut(length));
        for (number, (lower, inverse_lower)) in others.enumerate() {
            let column = end + number;
            let shares: [f64; PIVOTS] =
                std::array::from_fn(|pivot| -pivots[pivot * length + column]);
            let start = column / PIVOTS * PIVOTS;
            add_rows(simd, shares, &pivots[start..], length, &mut lower[start..]);
            add_rows(simd, shares, inverses, length, &mut inverse_lower[..end]);
        }
    }
    None
}

/// Adds the shares of that many rows, which begin `length` apart, to a lower one.
#[inline(always)]
fn add_rows<S: Simd, const ROWS: usize>(
    simd: S,
    shares: [f64; ROWS],
    rows: &[f64],
    length: usize,
    lower: &mut [f64],
) {
    let count = lower.len();
    let shares = shares.map(|share| simd.splat_f64s(share));
    let rows: [&[S::f64s]; ROWS] =
        std::array::from_fn(|row| S::as_simd_f64s(&rows[row * length..][..count]).0);
    for (place, entries) in S::as_mut_simd_f64s(lower).0.iter_mut().enumerate() {
        let mut sum = *entries;
        for (share, row) in shares.iter().zip(rows) {
            sum = simd.mul_add_f64s(*share, row[place], sum);
        }
        *entries = sum;
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};
    use ndarray_linalg::{Cholesky, Inverse, UPLO};

    use super::*;

    #[test]
    fn factors_and_solutions_are_those_of_lapack() {
        for width in [1, 2, 7, 8, 9, 16, 51] {
            let entry = |(row, column): (usize, usize)| ((3 * row + 5 * column) as f64 * 0.7).sin();
            let features = Array2::from_shape_fn((width + 3, width), entry);
            let matrix = features.t().dot(&features) + Array2::<f64>::eye(width);
            let right = Array1::from_shape_fn(width, |row| (row as f64).cos());
            let fill = |row: usize, places: &mut [f64]| {
                places[width - row] = right[row];
                let upper = matrix.row(row);
                let pairs = places.iter_mut().zip(upper.iter().skip(row));
                pairs.for_each(|(place, entry)| *place = *entry);
            };
            let mut found = Elimination::default();
            found.eliminate(width, 1, fill).unwrap();
            let inverse_factor: Vec<f64> = found.inverse_rows().flatten().copied().collect();
            let diagonal: Vec<f64> = found.diagonal().collect();
            let solved: Vec<f64> = found.solution(0).collect();
            let factor = matrix.cholesky(UPLO::Lower).unwrap();
            let inverse = factor.inv().unwrap();
            let solution = inverse.dot(&right);
            for row in 0..width {
                assert!((solved[row] - solution[row]).abs() < 1e-12);
                for column in 0..width {
                    let place = row * width + column;
                    let error = (inverse_factor[place] - inverse[(row, column)]).abs();
                    assert!(error < 1e-12, "{width}: {row} {column}: {error}");
                }
                let error = (diagonal[row] - factor[(row, row)]).abs();
                assert!(error < 1e-12, "{width}: {row}: {error}");
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_is_refused() {
        for [one, two, three] in [
            [1.0, 2.0, 1.0],
            [1.0, 1.0, 1.0],
            [1.0, 0.0, f64::NAN],
            [1.0, 0.0, f64::INFINITY],
        ] {
            let fill = |row: usize, places: &mut [f64]| match row {
                0 => places.copy_from_slice(&[one, two, 1.0]),
                _ => places.copy_from_slice(&[three, 1.0]),
            };
            let error = Elimination::default().eliminate(2, 1, fill).err();
            assert!(matches!(
                error,
                Some(EngineError::LinearAlgebra { info: 2, .. })
            ));
        }
    }
}
