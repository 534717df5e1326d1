//! Squared coordinate differences of all pairs of observed points.
//!
//! Pair (i, j), j < i, has the number i (i - 1) / 2 + j. The squares of few points are computed once per point and kept. Those of many
//! would be more than anything else that a fit needs, 1.5 MB for 250 points with six coordinates and 96 MB for 2,000: they are computed
//! block by block, each time they are needed.

use std::ops::Range;

use pulp::Simd;

use crate::blas::MatrixRef;

/// Pairs in a block: as many rows of a matrix as OpenBLAS takes at a time, so that sums over all pairs are the same bits as without blocks.
const BLOCK: usize = 2048;

/// The squares of so many pairs are kept: those of a hundred points, which is what most sweeps evaluate.
const KEPT: usize = 3 * BLOCK;

/// The points, and the squares of their pairs if they are few.
pub(crate) struct SquaredDifferences {
    width: usize,
    count: usize,
    /// Points that there may be.
    capacity: usize,
    /// `width` runs of `capacity` coordinates.
    coordinates: Vec<f64>,
    /// The pairs of as many points as there may be; 0 if those are too many to keep.
    kept: usize,
    /// `width` runs of `kept` squares.
    squares: Vec<f64>,
}

/// Number of pairs of `count` points.
pub(crate) const fn pair_count(count: usize) -> usize {
    count * count.saturating_sub(1) / 2
}

/// The later point of a pair: the largest i with i (i - 1) / 2 <= pair, which is (1 + sqrt(1 + 8 pair)) / 2 without its fraction.
const fn later_point(pair: usize) -> usize {
    (1 + 8 * pair).isqrt().div_ceil(2)
}

impl SquaredDifferences {
    /// For points of `width` coordinates, at most `points` of them.
    pub(crate) fn new(width: usize, points: usize) -> Self {
        let pairs = pair_count(points);
        let kept = if pairs <= KEPT { pairs } else { 0 };
        Self {
            width,
            count: 0,
            capacity: points,
            coordinates: vec![0.0; width * points],
            kept,
            squares: vec![0.0; width * kept],
        }
    }

    /// Of `points` points that have a squared distance and no coordinates, given for each pair: it stands for the one coordinate.
    ///
    /// # Panics
    /// If there is not one distance per pair.
    pub(crate) fn of_distances(points: usize, distances: Vec<f64>) -> Self {
        assert_eq!(distances.len(), pair_count(points), "a distance per pair");
        Self {
            width: 1,
            count: points,
            capacity: points,
            coordinates: Vec::new(),
            kept: distances.len(),
            squares: distances,
        }
    }

    /// Appends a point, given by its coordinates.
    ///
    /// # Panics
    /// If there are as many points as there may be.
    pub(crate) fn append(&mut self, point: &[f64]) {
        assert!(self.count < self.capacity, "one point too many");
        let runs = self.coordinates.chunks_exact_mut(self.capacity);
        for (run, &coordinate) in runs.zip(point) {
            run[self.count] = coordinate;
        }
        let first = self.len();
        self.count += 1;
        let pairs = first..self.len();
        if self.kept > 0 {
            let runs = self.coordinates.chunks_exact(self.capacity);
            for (run, squares) in runs.zip(self.squares.chunks_exact_mut(self.kept)) {
                square_differences(run, pairs.clone(), &mut squares[pairs.clone()]);
            }
        }
    }

    /// Number of pairs so far.
    pub(crate) fn len(&self) -> usize {
        pair_count(self.count)
    }

    /// The numbers of all pairs: together if they are kept, block by block otherwise.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let pairs = self.len();
        let length = self.kept.max(BLOCK);
        let starts = (0..pairs).step_by(length);
        starts.map(move |start| start..pairs.min(start + length))
    }

    /// The squares of one of the [`Self::blocks`] as a matrix with a row per pair and a column per coordinate; those that are not kept
    /// are computed into the buffer.
    pub(crate) fn matrix<'a>(
        &'a self,
        pairs: Range<usize>,
        buffer: &'a mut Vec<f64>,
    ) -> MatrixRef<'a> {
        let rows = pairs.len();
        if self.kept > 0 {
            return MatrixRef::new(&self.squares, rows, self.width, self.kept);
        }
        buffer.resize(self.width * BLOCK, 0.0);
        let runs = self.coordinates.chunks_exact(self.capacity);
        for (run, squares) in runs.zip(buffer.chunks_exact_mut(BLOCK)) {
            square_differences(run, pairs.clone(), &mut squares[..rows]);
        }
        MatrixRef::new(buffer, rows, self.width, BLOCK)
    }
}

/// The squared differences of these pairs in one coordinate.
#[pulp::with_simd(square_differences = pulp::Arch::new())]
#[inline(always)]
fn square_differences_with<S: Simd>(
    _simd: S,
    coordinates: &[f64],
    pairs: Range<usize>,
    squares: &mut [f64],
) {
    let mut rest = squares;
    let mut pair = pairs.start;
    let mut point = later_point(pair);
    while pair < pairs.end {
        let others = pair - pair_count(point)..point.min(pairs.end - pair_count(point));
        let (of_point, behind) = rest.split_at_mut(others.len());
        pair += others.len();
        for (square, other) in of_point.iter_mut().zip(&coordinates[others]) {
            let difference = coordinates[point] - other;
            *square = difference * difference;
        }
        point += 1;
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_in_order() {
        let mut squares = SquaredDifferences::new(2, 3);
        for point in [[0.0, 1.0], [2.0, 0.5], [1.0, 0.0]] {
            squares.append(&point);
        }
        assert_eq!(squares.len(), pair_count(3));
        let mut buffer = Vec::new();
        let matrix = squares.matrix(0..3, &mut buffer);
        assert_eq!(matrix.column(0), [4.0, 1.0, 1.0]);
        assert_eq!(matrix.column(1), [0.25, 1.0, 0.25]);
    }

    #[test]
    fn blocks_begin_and_end_within_the_pairs_of_a_point() {
        let point = |number: usize| [(0.37 * number as f64).sin(), (0.11 * number as f64).cos()];
        let count = 150;
        let mut squares = SquaredDifferences::new(2, 200);
        (0..count).for_each(|number| squares.append(&point(number)));
        let (mut found, mut buffer) = ([Vec::new(), Vec::new()], Vec::new());
        for pairs in squares.blocks() {
            let matrix = squares.matrix(pairs, &mut buffer);
            for (column, found) in found.iter_mut().enumerate() {
                found.extend_from_slice(matrix.column(column));
            }
        }
        let pairs = (0..count).flat_map(|later| (0..later).map(move |earlier| (later, earlier)));
        for (number, (later, earlier)) in pairs.enumerate() {
            for (column, found) in found.iter().enumerate() {
                let difference = point(later)[column] - point(earlier)[column];
                assert_eq!(found[number], difference * difference, "{later} {earlier}");
            }
        }
        assert!(found.iter().all(|column| column.len() == pair_count(count)));
    }
}
