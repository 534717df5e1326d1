//! Squared coordinate differences of all pairs of observed points.
//!
//! They do not change during a fit, so they are computed once per point. Pair
//! (i, j), j < i, stands at i (i - 1) / 2 + j: a new point appends its pairs.

use crate::blas::MatrixRef;

/// Squared differences, one contiguous run of pairs per coordinate.
pub(crate) struct SquaredDifferences {
    width: usize,
    capacity: usize,
    pairs: usize,
    /// `width` runs of `capacity` pairs.
    squares: Vec<f64>,
}

/// Number of pairs of `count` points.
pub(crate) const fn pair_count(count: usize) -> usize {
    count * count.saturating_sub(1) / 2
}

impl SquaredDifferences {
    /// For points of `width` coordinates, at most `points` of them.
    pub(crate) fn new(width: usize, points: usize) -> Self {
        let capacity = pair_count(points);
        Self {
            width,
            capacity,
            pairs: 0,
            squares: vec![0.0; width * capacity],
        }
    }

    /// Of points that have a squared distance and no coordinates, given for each pair: it stands for the one coordinate.
    pub(crate) fn of_distances(squares: Vec<f64>) -> Self {
        Self {
            width: 1,
            capacity: squares.len(),
            pairs: squares.len(),
            squares,
        }
    }

    /// Appends the pairs of `point` with each of the `earlier` points, which lie
    /// one after the other.
    pub(crate) fn append(&mut self, earlier: &[f64], point: &[f64]) {
        for (offset, other) in earlier.chunks_exact(self.width).enumerate() {
            let pair = self.pairs + offset;
            for coordinate in 0..self.width {
                let difference = point[coordinate] - other[coordinate];
                self.squares[coordinate * self.capacity + pair] = difference * difference;
            }
        }
        self.pairs += earlier.len() / self.width;
    }

    /// Number of pairs so far.
    pub(crate) fn len(&self) -> usize {
        self.pairs
    }

    /// The squares as a matrix with a row per pair and a column per coordinate.
    pub(crate) fn matrix(&self) -> MatrixRef<'_> {
        MatrixRef::new(&self.squares, self.pairs, self.width, self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_appended_in_order() {
        let points = [[0.0, 1.0], [2.0, 0.5], [1.0, 0.0]];
        let mut squares = SquaredDifferences::new(2, 3);
        for (count, point) in points.iter().enumerate() {
            squares.append(&points.as_flattened()[..2 * count], point);
        }
        assert_eq!(squares.len(), pair_count(3));
        assert_eq!(squares.squares, [4.0, 1.0, 1.0, 0.25, 1.0, 0.25]);
    }
}
