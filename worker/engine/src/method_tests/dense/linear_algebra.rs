//! Dense matrices as rows of numbers.

pub(crate) type Matrix = Vec<Vec<f64>>;

pub(crate) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

/// The lower triangular L with L L' = `matrix`.
pub(crate) fn cholesky(matrix: &Matrix) -> Matrix {
    let size = matrix.len();
    let mut factor = vec![vec![0.0; size]; size];
    for row in 0..size {
        for column in 0..=row {
            let known = dot(&factor[row][..column], &factor[column][..column]);
            let rest: f64 = matrix[row][column] - known;
            factor[row][column] = match row == column {
                true => rest.sqrt(),
                false => rest / factor[column][column],
            };
        }
    }
    factor
}

/// The solution x of L x = `right`.
pub(crate) fn solve_lower(factor: &Matrix, right: &[f64]) -> Vec<f64> {
    let mut solution: Vec<f64> = Vec::new();
    for (row, entry) in factor.iter().zip(right) {
        let place = solution.len();
        solution.push((entry - dot(&row[..place], &solution)) / row[place]);
    }
    solution
}

/// The solution x of L L' x = `right`.
pub(crate) fn solve(factor: &Matrix, right: &[f64]) -> Vec<f64> {
    let mut solution = solve_lower(factor, right);
    for row in (0..factor.len()).rev() {
        let known: f64 = (row + 1..factor.len())
            .map(|below| factor[below][row] * solution[below])
            .sum();
        solution[row] = (solution[row] - known) / factor[row][row];
    }
    solution
}

/// log |L L'|.
pub(crate) fn log_determinant(factor: &Matrix) -> f64 {
    let diagonal = (0..factor.len()).map(|place| factor[place][place].ln());
    2.0 * diagonal.sum::<f64>()
}
