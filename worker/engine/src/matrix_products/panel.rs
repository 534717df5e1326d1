//! Panels: columns of a right factor, side by side in vectors.

use std::array;
use std::ops::Range;

use pulp::{Simd, bytemuck};

use super::factor::Factor;
use super::number::Number;

/// Columns and terms that are transposed together, in registers.
const SQUARE: usize = 4;

/// Vectors that begin with these numbers, at most as many as they hold, and go on with zeros.
#[inline(always)]
pub(super) fn load<T: Number, S: Simd, const VECTORS: usize>(
    simd: S,
    numbers: &[T],
) -> [T::Vector<S>; VECTORS] {
    let lanes = size_of::<T::Vector<S>>() / size_of::<T>();
    array::from_fn(|vector| {
        let rest = &numbers[numbers.len().min(vector * lanes)..];
        T::load(simd, &rest[..rest.len().min(lanes)])
    })
}

/// Copies some columns of the right factor, at most as many as a panel is wide.
#[inline(always)]
pub(super) fn fill_panel<T: Number, S: Simd, const VECTORS: usize>(
    simd: S,
    right: Factor<T>,
    columns: Range<usize>,
    panel: &mut [[T::Vector<S>; VECTORS]],
) {
    if right.is_transposed {
        let width = VECTORS * size_of::<T::Vector<S>>() / size_of::<T>();
        let entries: &mut [T] = bytemuck::cast_slice_mut(panel.as_flattened_mut());
        let column = |number: usize| &right.entries[number * right.stride..][..right.rows];
        let whole = columns.len() / SQUARE * SQUARE;
        for place in (0..whole).step_by(SQUARE) {
            let first = columns.start + place;
            transpose(
                array::from_fn(|number| column(first + number)),
                &mut entries[place..],
                width,
            );
        }
        for place in whole..columns.len() {
            let column = column(columns.start + place);
            for (row, entry) in entries.chunks_exact_mut(width).zip(column) {
                row[place] = *entry;
            }
        }
    } else {
        let rows = right.entries.chunks(right.stride);
        for (row, entries) in panel.iter_mut().zip(rows) {
            *row = load(simd, &entries[columns.clone()]);
        }
    }
}

/// Puts columns side by side: the first numbers of rows that begin `width` apart.
#[inline(always)]
fn transpose<T: Number>(columns: [&[T]; SQUARE], entries: &mut [T], width: usize) {
    let terms = columns[0].len();
    let whole = terms / SQUARE * SQUARE;
    let mut rows = entries.chunks_mut(width);
    for first in (0..whole).step_by(SQUARE) {
        let square: [&[T; SQUARE]; SQUARE] = columns.map(|column| {
            let entries = column[first..].first_chunk();
            entries.expect("so many terms are left")
        });
        for (place, row) in rows.by_ref().take(SQUARE).enumerate() {
            row[..SQUARE].copy_from_slice(&square.map(|column| column[place]));
        }
    }
    for (term, row) in (whole..terms).zip(rows) {
        row[..SQUARE].copy_from_slice(&columns.map(|column| column[term]));
    }
}
