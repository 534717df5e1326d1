//! Tiles of a product, which stay in registers over all terms.

use std::array;
use std::ops::Range;

use pulp::Simd;

use super::factor::Factor;
use super::number::Number;
use super::panel::load;

/// Some columns of the product.
pub(super) struct Strip<'a, T> {
    /// From the first of these columns in the first row on.
    pub(super) entries: &'a mut [T],
    /// How far apart rows begin.
    pub(super) stride: usize,
    /// Columns of the strip.
    pub(super) used: usize,
    /// Rows that are wanted.
    pub(super) rows: Range<usize>,
    /// The first term that counts.
    pub(super) first_term: usize,
    /// Where each row starts, if not all start alike.
    pub(super) starts: Option<&'a [T]>,
    /// Whether the terms are added to what is there.
    pub(super) is_sum: bool,
}

/// Computes the columns of a panel, in tiles of `ROWS` rows and a last few.
#[inline(always)]
pub(super) fn fill_strip<T: Number, S: Simd, const VECTORS: usize, const ROWS: usize>(
    simd: S,
    left: Factor<T>,
    panel: &[[T::Vector<S>; VECTORS]],
    start: [T::Vector<S>; VECTORS],
    product: &mut Strip<T>,
) {
    let mut row = product.rows.start;
    while row < product.rows.end {
        let rest = product.rows.end - row;
        row += if rest >= ROWS {
            fill_tile::<T, S, VECTORS, ROWS>(simd, (left, row), panel, start, product)
        } else if rest >= 4 {
            fill_tile::<T, S, VECTORS, 4>(simd, (left, row), panel, start, product)
        } else if rest >= 2 {
            fill_tile::<T, S, VECTORS, 2>(simd, (left, row), panel, start, product)
        } else {
            fill_tile::<T, S, VECTORS, 1>(simd, (left, row), panel, start, product)
        };
    }
}

/// Computes `ROWS` rows of a strip from `row` on; returns their number.
#[inline(always)]
fn fill_tile<T: Number, S: Simd, const VECTORS: usize, const ROWS: usize>(
    simd: S,
    (left, row): (Factor<T>, usize),
    panel: &[[T::Vector<S>; VECTORS]],
    start: [T::Vector<S>; VECTORS],
    product: &mut Strip<T>,
) -> usize {
    let mut sums = [start; ROWS];
    if let Some(starts) = product.starts {
        for (sums, start) in sums.iter_mut().zip(&starts[row..]) {
            *sums = [T::splat(simd, *start); VECTORS];
        }
    }
    if product.is_sum {
        let rows: [&[T]; ROWS] = array::from_fn(|number| {
            &product.entries[(row + number) * product.stride..][..product.used]
        });
        sums = rows.map(|row| load(simd, row));
    }
    let mut first = product.first_term;
    if left.is_transposed {
        if left.is_lower {
            // The terms above the diagonal of what is transposed are zeros.
            first = first.max(row);
        }
        let terms = left.entries[first * left.stride..].chunks(left.stride);
        let terms = terms.map_while(|term| term.get(row..)?.first_chunk::<ROWS>());
        for (entries, right) in terms.zip(&panel[first..]) {
            add_term(simd, |number| entries[number], right, &mut sums);
        }
    } else {
        // The terms right of the left factor's diagonal are zeros.
        let end = if left.is_lower {
            panel.len().min(row + ROWS)
        } else {
            panel.len()
        };
        let panel = &panel[first.min(end)..end];
        let rows: [&[T]; ROWS] = array::from_fn(|number| {
            let entries = &left.entries[(row + number) * left.stride..];
            &entries[first..][..panel.len()]
        });
        for (term, right) in panel.iter().enumerate() {
            add_term(simd, |number| rows[number][term], right, &mut sums);
        }
    }
    let lanes = size_of::<T::Vector<S>>() / size_of::<T>();
    let rows = product.entries[row * product.stride..].chunks_mut(product.stride);
    for (sums, row) in sums.into_iter().zip(rows) {
        let places = row[..product.used].chunks_mut(lanes);
        for (places, sum) in places.zip(sums) {
            T::store(simd, places, sum);
        }
    }
    ROWS
}

/// Adds one term to each sum: the left entry of its row times the panel's row.
#[inline(always)]
fn add_term<T: Number, S: Simd, const VECTORS: usize, const ROWS: usize>(
    simd: S,
    left: impl Fn(usize) -> T,
    right: &[T::Vector<S>; VECTORS],
    sums: &mut [[T::Vector<S>; VECTORS]; ROWS],
) {
    for (number, sums) in sums.iter_mut().enumerate() {
        let entry = T::splat(simd, left(number));
        for (sum, right) in sums.iter_mut().zip(right) {
            *sum = T::fused(simd, entry, *right, *sum);
        }
    }
}
