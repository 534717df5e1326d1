//! Squared distances from one observed point to candidates of a pool that lie side by side, in the numeric coordinates.

/// Candidates whose distances are summed up together, in registers.
pub(super) const TOGETHER: usize = 32;

/// The squared distances of the candidates from `first` on in the numeric coordinates. `numeric` has the coordinate and the values of
/// each numeric hyperparameter, `weights` 1 / lengthscale^2 of each coordinate.
#[inline(always)]
pub(super) fn numeric_distances(
    numeric: &[(usize, Vec<f64>)],
    weights: &[f64],
    point: &[f64],
    first: usize,
    column: &mut [f64],
) {
    let (chunks, rest) = column.as_chunks_mut::<TOGETHER>();
    let start_of_rest = first + chunks.len() * TOGETHER;
    for (start, sums) in (first..).step_by(TOGETHER).zip(chunks) {
        // An array of its own stays in registers.
        let mut own = [0.0; TOGETHER];
        add_numeric(numeric, weights, point, start, &mut own);
        *sums = own;
    }
    rest.fill(0.0);
    add_numeric(numeric, weights, point, start_of_rest, rest);
}

/// Adds those distances to the sums of the candidates from `first` on.
#[inline(always)]
fn add_numeric(
    numeric: &[(usize, Vec<f64>)],
    weights: &[f64],
    point: &[f64],
    first: usize,
    sums: &mut [f64],
) {
    for (coordinate, values) in numeric {
        let (weight, centre) = (weights[*coordinate], point[*coordinate]);
        let values = &values[first..first + sums.len()];
        for (sum, value) in sums.iter_mut().zip(values) {
            let difference = *value - centre;
            *sum = (weight * difference).mul_add(difference, *sum);
        }
    }
}
