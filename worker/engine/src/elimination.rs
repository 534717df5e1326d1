//! The Cholesky factor L of a positive definite matrix A, its inverse, and the solutions of L v = q, by one elimination.
//!
//! Multiples of each finished row are taken from those below it: in A that leaves L', in the identity beside it L^-1, and in q the
//! solution v. The rows below take [`PIVOTS`] rows at a time, so that they are loaded and stored less often. Of many rows, which do not
//! stay in the cache, half are eliminated and then taken from the other half in large products. Nothing here depends on the width of
//! vectors or on how many rows are taken at a time: each entry is one chain of fused multiply-adds, in the order of the rows. What is
//! computed below the diagonal of A on the way is not read again.

use std::ops::Range;

use pulp::Simd;

use crate::aligned::AlignedNumbers;
use crate::blas::MatrixRef;
use crate::error::EngineError;
use crate::matrix_products::{Factor, Half, add_product};

/// Rows that are taken from those below them together. Rows are as long as a multiple of it, too: whole vectors of every width.
const PIVOTS: usize = 8;

/// Up to so many rows, all of them stay in the cache.
const FEW: usize = 128;

/// Buffers for eliminations, and what the last one left.
#[derive(Default)]
pub(crate) struct Elimination {
    /// Rows, and columns of A.
    count: usize,
    /// How far apart rows begin in both matrices.
    length: usize,
    /// A row by row, each q a column behind it; then L', and the solutions.
    matrix: AlignedNumbers<f64>,
    /// The identity row by row, then L^-1.
    inverse: AlignedNumbers<f64>,
    /// Minus the entries of L by which the rows that are taken from others are multiplied, row by row.
    shares: Vec<f64>,
}

impl Elimination {
    /// Eliminates a matrix of `count` rows with that many right sides. `fill` gets the numbers of some rows, the rows and how far apart
    /// they begin. It puts the entries of each row from the diagonal on, and those of the right sides behind them, into their places.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the matrix is not positive definite.
    pub(crate) fn eliminate(
        &mut self,
        count: usize,
        right_sides: usize,
        mut fill: impl FnMut(Range<usize>, &mut [f64], usize),
    ) -> Result<(), EngineError> {
        let length = (count + right_sides).next_multiple_of(PIVOTS);
        (self.count, self.length) = (count, length);
        self.matrix.resize(count * length);
        self.inverse.resize(count * length);
        for row in self.matrix.chunks_exact_mut(length) {
            row[count + right_sides..].fill(0.0);
        }
        let firsts = (0..count).step_by(PIVOTS);
        for (first, rows) in firsts.zip(self.matrix.chunks_mut(PIVOTS * length)) {
            fill(first..count.min(first + PIVOTS), rows, length);
        }
        self.inverse.fill(0.0);
        let diagonal = self.inverse.iter_mut().step_by(length + 1);
        diagonal.for_each(|entry| *entry = 1.0);
        let error = |row| EngineError::LinearAlgebra {
            routine: "elimination",
            info: row as i32 + 1,
        };
        self.eliminate_rows(0..count).map_err(error)
    }

    /// Eliminates the rows of a range that begins with a multiple of [`PIVOTS`], from which all rows above the range were taken.
    ///
    /// # Errors
    /// The first row whose pivot is not positive.
    fn eliminate_rows(&mut self, rows: Range<usize>) -> Result<(), usize> {
        if rows.len() <= FEW {
            return eliminate_few(self, rows);
        }
        let middle = rows.start + (rows.len() / 2).next_multiple_of(PIVOTS);
        let (pivots, lower) = (rows.start..middle, middle..rows.end);
        self.eliminate_rows(pivots.clone())?;
        self.take(pivots, lower.clone());
        self.eliminate_rows(lower)
    }

    /// Takes the rows of a range, which are eliminated, from those of the range behind it.
    fn take(&mut self, pivots: Range<usize>, lower: Range<usize>) {
        let length = self.length;
        let (split, end) = (lower.start * length, lower.end * length);
        let (above, below) = self.matrix[..end].split_at_mut(split);
        let rows = &above[pivots.start * length..];
        self.shares.clear();
        for row in rows.chunks_exact(length) {
            let entries = row[lower.clone()].iter();
            self.shares.extend(entries.map(|entry| -entry));
        }
        let shares = Factor::new(&self.shares, lower.len()).transposed();
        let rest = Factor::with_stride(&rows[lower.start..], length - lower.start, length);
        let place = &mut below[lower.start..];
        add_product(shares, rest, Some(Half::Upper), place, length);
        let (above, below) = self.inverse[..end].split_at_mut(split);
        let rows = &above[pivots.start * length..];
        if pivots.start > 0 {
            let before = Factor::with_stride(rows, pivots.start, length);
            add_product(shares, before, None, below, length);
        }
        let own = Factor::lower_triangular(&rows[pivots.start..], pivots.len(), length);
        add_product(shares, own, None, &mut below[pivots.start..], length);
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

/// Eliminates the rows of a range, as [`Elimination::eliminate_rows`] does.
///
/// # Errors
/// The first row whose pivot is not positive.
#[pulp::with_simd(eliminate_few = pulp::Arch::new())]
#[inline(always)]
fn eliminate_few_with<S: Simd>(
    simd: S,
    elimination: &mut Elimination,
    rows: Range<usize>,
) -> Result<(), usize> {
    let Elimination {
        length,
        matrix,
        inverse,
        ..
    } = elimination;
    let (length, count) = (*length, rows.end);
    let matrix = &mut matrix[..count * length];
    let inverse = &mut inverse[..count * length];
    for first in rows.step_by(PIVOTS) {
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
                return Err(pivot);
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
            let inverse_others = inverse_below.chunks_exact_mut(length);
            for (number, (lower, inverse_lower)) in others.zip(inverse_others).enumerate() {
                // L' has the entry of L that belongs to the lower row.
                let share = [[-row[pivot + 1 + number]]];
                let size = (length, length - start);
                add_rows(simd, share, &row[start..], &mut lower[start..], size);
                add_rows(simd, share, inverse_row, inverse_lower, (length, end));
            }
        }
        let shares_at = |column: usize| -> [f64; PIVOTS] {
            std::array::from_fn(|pivot| -pivots[pivot * length + column])
        };
        let pairs = below.chunks_mut(2 * length);
        let inverse_pairs = inverse_below.chunks_mut(2 * length);
        for (number, (lower, inverse_lower)) in pairs.zip(inverse_pairs).enumerate() {
            // Both rows of a pair begin in the same vector, as the first one's column is even.
            let column = end + 2 * number;
            let start = column / PIVOTS * PIVOTS;
            let (above, lower) = (&pivots[start..], &mut lower[start..]);
            let (size, inverse_size) = ((length, length - start), (length, end));
            if column + 1 < count {
                let shares = [shares_at(column), shares_at(column + 1)];
                add_rows(simd, shares, above, lower, size);
                add_rows(simd, shares, inverses, inverse_lower, inverse_size);
            } else {
                let shares = [shares_at(column)];
                add_rows(simd, shares, above, lower, size);
                add_rows(simd, shares, inverses, inverse_lower, inverse_size);
            }
        }
    }
    Ok(())
}

/// Adds the shares of some rows to each of some lower ones. The rows of both begin `length` apart, and `count` entries of each are meant.
#[inline(always)]
fn add_rows<S: Simd, const ROWS: usize, const LOWER: usize>(
    simd: S,
    shares: [[f64; ROWS]; LOWER],
    rows: &[f64],
    lower: &mut [f64],
    (length, count): (usize, usize),
) {
    // Not `map`, which is a call for arrays of vectors.
    let mut factors = [[simd.splat_f64s(0.0); ROWS]; LOWER];
    for (factors, shares) in factors.iter_mut().zip(&shares) {
        for (factor, share) in factors.iter_mut().zip(shares) {
            *factor = simd.splat_f64s(*share);
        }
    }
    let rows: [&[S::f64s]; ROWS] =
        std::array::from_fn(|row| S::as_simd_f64s(&rows[row * length..][..count]).0);
    let mut lower_rows = lower.chunks_mut(length);
    let mut vectors: [&mut [S::f64s]; LOWER] = std::array::from_fn(|_| {
        let row = lower_rows.next().expect("as many lower rows as shares");
        S::as_mut_simd_f64s(&mut row[..count]).0
    });
    for place in 0..rows[0].len() {
        let mut sums = [simd.splat_f64s(0.0); LOWER];
        for (sum, own) in sums.iter_mut().zip(&vectors) {
            *sum = own[place];
        }
        for (number, row) in rows.iter().enumerate() {
            for (sum, factors) in sums.iter_mut().zip(&factors) {
                *sum = simd.mul_add_f64s(factors[number], row[place], *sum);
            }
        }
        for (own, sum) in vectors.iter_mut().zip(sums) {
            own[place] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};
    use ndarray_linalg::{Cholesky, Inverse, UPLO};

    use super::*;
    use crate::blas;

    #[test]
    fn factors_and_solutions_are_those_of_lapack() {
        // On several threads OpenBLAS inverts with half a megabyte of stack per level of its recursion.
        blas::single_threaded();
        for width in [1, 2, 7, 8, 9, 16, 51, 200] {
            let entry = |(row, column): (usize, usize)| ((3 * row + 5 * column) as f64 * 0.7).sin();
            let features = Array2::from_shape_fn((width + 3, width), entry);
            let matrix = features.t().dot(&features) + Array2::<f64>::eye(width);
            let right = Array1::from_shape_fn(width, |row| (row as f64).cos());
            let fill = |rows: Range<usize>, places: &mut [f64], length: usize| {
                for (row, places) in rows.zip(places.chunks_exact_mut(length)) {
                    let pairs = places.iter_mut().zip(matrix.row(row)).skip(row);
                    pairs.for_each(|(place, entry)| *place = *entry);
                    places[width] = right[row];
                }
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
    fn the_bits_are_those_of_rows_taken_one_by_one() {
        for count in [1, 8, 9, 17, 40, 101, 129, 300] {
            let length = count + 2;
            let entry = |row: usize, column: usize| {
                let distance = row.abs_diff(column) as f64;
                (-0.1 * distance).exp() + if row == column { 0.1 } else { 0.0 }
            };
            let right = |row: usize, side: usize| ((row + 3 * side) as f64).cos();
            let fill_row = |row: usize, places: &mut [f64]| {
                for (column, place) in places[..length].iter_mut().enumerate().skip(row) {
                    *place = match column.checked_sub(count) {
                        None => entry(row, column),
                        Some(side) => right(row, side),
                    };
                }
            };
            let fill = |rows: Range<usize>, places: &mut [f64], stride: usize| {
                let rows = rows.zip(places.chunks_exact_mut(stride));
                rows.for_each(|(row, places)| fill_row(row, places));
            };
            let mut found = Elimination::default();
            found.eliminate(count, 2, fill).unwrap();

            // The matrix, its right sides and the identity side by side.
            let mut rows = vec![vec![0.0; length + count]; count];
            for (number, row) in rows.iter_mut().enumerate() {
                fill_row(number, row);
                row[length + number] = 1.0;
            }
            for pivot in 0..count {
                let (done, below) = rows.split_at_mut(pivot + 1);
                let row = &mut done[pivot];
                let root = row[pivot].sqrt();
                let scale = 1.0 / root;
                row.iter_mut().for_each(|entry| *entry *= scale);
                row[pivot] = root;
                for (number, lower) in below.iter_mut().enumerate() {
                    let share = -row[pivot + 1 + number];
                    for (sum, entry) in lower.iter_mut().zip(&*row) {
                        *sum = share.mul_add(*entry, *sum);
                    }
                }
            }
            let mut pairs = found.inverse_rows().zip(&rows);
            assert!(pairs.all(|(found, row)| *found == row[length..]));
            let diagonal = (0..count).map(|row| rows[row][row]);
            assert!(found.diagonal().eq(diagonal));
            for side in 0..2 {
                let expected = rows.iter().map(|row| row[count + side]);
                assert!(found.solution(side).eq(expected));
            }
            let factor = found.factor();
            for (column, row) in rows.iter().enumerate() {
                assert_eq!(factor.column(column)[column..], row[column..count]);
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
            let fill = |_: Range<usize>, places: &mut [f64], length: usize| {
                places[..3].copy_from_slice(&[one, two, 1.0]);
                places[length + 1..length + 3].copy_from_slice(&[three, 1.0]);
            };
            let error = Elimination::default().eliminate(2, 1, fill).err();
            assert!(matches!(
                error,
                Some(EngineError::LinearAlgebra { info: 2, .. })
            ));
        }
    }
}
