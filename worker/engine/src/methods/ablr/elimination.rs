//! The Cholesky factor L of a small positive definite matrix A, its inverse, and the solution of L v = q, by one elimination.
//!
//! Row by row, multiples of a finished row are taken from those below it: in A that leaves L', in the identity beside it L^-1, and
//! in q the solution v. Nothing here depends on the width of vectors: each entry is one chain of fused multiply-adds. Rows are worked
//! on in whole groups of [`LANES`] entries; what is computed below the diagonal of A on the way is not read again.

use pulp::Simd;

use crate::error::EngineError;

/// What an elimination leaves.
pub(super) struct Elimination {
    /// The diagonal of L.
    pub diagonal: Vec<f64>,
    /// L^-1 row by row, zeros above its diagonal.
    pub inverse_factor: Vec<f64>,
    /// v.
    pub solution: Vec<f64>,
}

/// Entries worked on together: whole vectors of every width.
const LANES: usize = 8;

/// The matrix with q as its last column, and the identity beside it.
struct Rows {
    /// Rows, and columns of the matrix.
    count: usize,
    /// Groups of a row, of the matrix as of the identity.
    groups: usize,
    matrix: Vec<[f64; LANES]>,
    identity: Vec<[f64; LANES]>,
}

impl Elimination {
    /// Eliminates a matrix given by the `rows` of its upper triangle, each of which ends with its entry of q: the entries of the first
    /// row, then those of the second without its first, and so on.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the matrix is not positive definite.
    pub(super) fn new<R: Iterator<Item = f64>>(
        rows: impl ExactSizeIterator<Item = R>,
    ) -> Result<Self, EngineError> {
        let count = rows.len();
        let groups = (count + 1).div_ceil(LANES);
        let mut matrix = vec![[0.0; LANES]; count * groups];
        let mut identity = matrix.clone();
        let places = matrix.as_flattened_mut().chunks_exact_mut(groups * LANES);
        for (number, (places, row)) in places.zip(rows).enumerate() {
            places[number..]
                .iter_mut()
                .zip(row)
                .for_each(|(place, entry)| *place = entry);
            identity.as_flattened_mut()[number * groups * LANES + number] = 1.0;
        }
        let mut rows = Rows {
            count,
            groups,
            matrix,
            identity,
        };
        if let Some(row) = eliminate(&mut rows) {
            return Err(EngineError::LinearAlgebra {
                routine: "elimination",
                info: row as i32 + 1,
            });
        }
        let matrix = rows.matrix.as_flattened().chunks_exact(groups * LANES);
        let identity = rows.identity.as_flattened().chunks_exact(groups * LANES);
        Ok(Self {
            diagonal: matrix
                .clone()
                .enumerate()
                .map(|(number, row)| row[number])
                .collect(),
            inverse_factor: identity.flat_map(|row| &row[..count]).copied().collect(),
            solution: matrix.map(|row| row[count]).collect(),
        })
    }
}

/// Eliminates all rows, or returns the first whose pivot is not positive.
#[pulp::with_simd(eliminate = pulp::Arch::new())]
#[inline(always)]
fn eliminate_with<S: Simd>(_simd: S, rows: &mut Rows) -> Option<usize> {
    let groups = rows.groups;
    for pivot in 0..rows.count {
        // The groups from the diagonal on, and those up to it.
        let (group, place) = (pivot / LANES, pivot % LANES);
        let (done, below) = rows.matrix.split_at_mut((pivot + 1) * groups);
        let row = &mut done[pivot * groups + group..];
        let root = row[0][place].sqrt();
        // Not so for what is not a number, either.
        if !(root > 0.0 && root.is_finite()) {
            return Some(pivot);
        }
        let scale = 1.0 / root;
        row.as_flattened_mut()
            .iter_mut()
            .for_each(|entry| *entry *= scale);
        row[0][place] = root;
        let (done, inverse_below) = rows.identity.split_at_mut((pivot + 1) * groups);
        let inverse_row = &mut done[pivot * groups..=pivot * groups + group];
        inverse_row
            .as_flattened_mut()
            .iter_mut()
            .for_each(|entry| *entry *= scale);
        let pairs = below
            .chunks_exact_mut(groups)
            .zip(inverse_below.chunks_exact_mut(groups));
        for (number, (lower, inverse_lower)) in pairs.enumerate() {
            // L' has the entry of L that belongs to the lower row.
            let column = pivot + 1 + number;
            let share = -row.as_flattened()[column - group * LANES];
            let first = column / LANES;
            subtract(share, &row[first - group..], &mut lower[first..]);
            subtract(share, inverse_row, inverse_lower);
        }
    }
    None
}

/// Adds `share` times each entry of a row to the entry in its place.
#[inline(always)]
fn subtract(share: f64, row: &[[f64; LANES]], lower: &mut [[f64; LANES]]) {
    for (entries, above) in lower.iter_mut().zip(row) {
        for lane in 0..LANES {
            entries[lane] = share.mul_add(above[lane], entries[lane]);
        }
    }
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
            let rows = (0..width).map(|row| {
                let upper = matrix.row(row).to_vec().into_iter().skip(row);
                upper.chain([right[row]])
            });
            let found = Elimination::new(rows).unwrap();
            let factor = matrix.cholesky(UPLO::Lower).unwrap();
            let inverse = factor.inv().unwrap();
            let solution = inverse.dot(&right);
            for row in 0..width {
                assert!((found.solution[row] - solution[row]).abs() < 1e-12);
                for column in 0..width {
                    let place = row * width + column;
                    let error = (found.inverse_factor[place] - inverse[(row, column)]).abs();
                    assert!(error < 1e-12, "{width}: {row} {column}: {error}");
                }
                let error = (found.diagonal[row] - factor[(row, row)]).abs();
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
            let rows = [vec![one, two, 1.0], vec![three, 1.0]];
            let error = Elimination::new(rows.into_iter().map(Vec::into_iter)).err();
            assert!(matches!(
                error,
                Some(EngineError::LinearAlgebra { info: 2, .. })
            ));
        }
    }
}
