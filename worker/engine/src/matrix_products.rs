//! Products of small dense matrices, for layers of a few dozen units, regressions on as many features and fits of Gaussian processes.
//!
//! Each entry of a product is one chain of fused multiply-adds over the terms, in their order, from its start on. So it has the
//! same bits whatever the width of vectors, however the work is cut into tiles and whatever rows are computed beside it. BLAS, whose
//! kernels are made for large matrices and are pinned to narrower vectors, takes longer here.
//!
//! The right factor is copied into panels of one or two vectors' width, which lie in the cache for all rows; a tile of the product, some
//! rows by a panel's width, stays in registers over all terms.

mod number;

use std::array;
use std::ops::Range;

use pulp::{Arch, Simd, WithSimd, bytemuck};

pub(crate) use number::Number;

/// Most terms of a slab. A panel of so many is 16 KB in the widest vectors.
const SLAB: usize = 128;

/// Columns and terms that are transposed together, in registers.
const SQUARE: usize = 4;

/// A factor of a product: a matrix, row by row, or the transposed of one.
#[derive(Clone, Copy)]
pub(crate) struct Factor<'a, T> {
    entries: &'a [T],
    rows: usize,
    columns: usize,
    /// How far apart rows of the matrix begin.
    stride: usize,
    is_transposed: bool,
    /// Whether the entries right of the matrix's diagonal are zeros.
    is_lower: bool,
}

impl<'a, T> Factor<'a, T> {
    /// The matrix of `columns` columns, at least one, with these entries, row by row.
    ///
    /// # Panics
    /// If the entries are not whole rows.
    pub(crate) fn new(entries: &'a [T], columns: usize) -> Self {
        Self::with_stride(entries, columns, columns)
    }

    /// The matrix of `columns` columns, at least one, whose rows begin `stride` apart in these entries.
    ///
    /// # Panics
    /// If the last row is not whole.
    pub(crate) fn with_stride(entries: &'a [T], columns: usize, stride: usize) -> Self {
        let rows = entries.len().div_ceil(stride);
        let last = entries.len() - rows.saturating_sub(1) * stride;
        assert!(
            columns <= stride && (rows == 0 || columns <= last),
            "whole rows"
        );
        Self {
            rows,
            columns,
            stride,
            entries,
            is_transposed: false,
            is_lower: false,
        }
    }

    /// The lower triangular matrix of `size` rows and columns, whose rows begin `stride` apart. Products skip most of the zeros above
    /// its diagonal, which have to be there.
    ///
    /// # Panics
    /// If the entries are not as many rows, or the last one is not whole.
    pub(crate) fn lower_triangular(entries: &'a [T], size: usize, stride: usize) -> Self {
        let matrix = Self::with_stride(entries, size, stride);
        assert_eq!(matrix.rows, size, "as many rows as columns");
        Self {
            is_lower: true,
            ..matrix
        }
    }

    /// Some of the columns.
    fn columns(self, columns: Range<usize>) -> Self {
        let entries = if self.is_transposed {
            let end = self.entries.len().min(columns.end * self.stride);
            &self.entries[columns.start * self.stride..end]
        } else {
            &self.entries[columns.start..]
        };
        Self {
            entries,
            columns: columns.len(),
            ..self
        }
    }

    /// The transposed matrix.
    pub(crate) fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            is_transposed: !self.is_transposed,
            ..self
        }
    }
}

/// What the terms of a product are added to.
#[derive(Clone, Copy)]
pub(crate) enum Start<'a, T> {
    /// Nothing.
    Zero,
    /// This row, in every row of the product.
    Row(&'a [T]),
    /// This column, in every column of the product.
    Column(&'a [T]),
}

/// Replaces `product`, row by row, by the product of the factors, which is added to `start`.
///
/// # Panics
/// If the sizes differ.
pub(crate) fn multiply<T: Number>(
    left: Factor<T>,
    right: Factor<T>,
    start: Start<T>,
    product: &mut [T],
) {
    assert_eq!(left.columns, right.rows, "terms");
    let entries = left.rows * right.columns;
    assert_eq!(product.len(), entries, "a product's entries");
    let start_fits = match start {
        Start::Zero => true,
        Start::Row(row) => row.len() == right.columns,
        Start::Column(column) => column.len() == left.rows,
    };
    assert!(start_fits, "a start");
    if product.is_empty() {
        return;
    }
    compute(Product {
        stride: right.columns,
        left,
        right,
        start: Some(start),
        product,
        half: None,
    });
}

/// Adds the product of the factors to the matrix whose rows begin `stride` apart in `sums`. Of a `half` that half alone is meant, and
/// what comes to lie in the other one is not; the product may have more columns than rows then, all of which count.
///
/// # Panics
/// If the sizes differ.
pub(crate) fn add_product<T: Number>(
    left: Factor<T>,
    right: Factor<T>,
    half: Option<Half>,
    sums: &mut [T],
    stride: usize,
) {
    assert_eq!(left.columns, right.rows, "terms");
    let place = Factor::with_stride(sums, right.columns, stride);
    assert_eq!(place.rows, left.rows, "rows of sums");
    compute(Product {
        left,
        right,
        start: None,
        product: sums,
        stride,
        half,
    });
}

/// A triangle of a symmetric matrix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    /// Above the diagonal.
    Upper,
    /// Below the diagonal.
    Lower,
}

/// Puts the upper half of F' F, F being the `factor`, with the diagonal into `product`, row by row. What comes to lie in the other half is
/// not meant.
///
/// # Panics
/// If the factor is a transposed one, or if the sizes differ.
pub(crate) fn multiply_by_own_transposed<T: Number>(factor: Factor<T>, product: &mut [T]) {
    assert!(!factor.is_transposed, "a matrix row by row");
    let entries = factor.columns * factor.columns;
    assert_eq!(product.len(), entries, "a product's entries");
    compute(Product {
        left: factor.transposed(),
        right: factor,
        start: Some(Start::Zero),
        product,
        stride: factor.columns,
        half: Some(Half::Upper),
    });
}

/// Puts some rows of F' F, F being a lower triangular matrix, into `product`, each as long as the last one is up to its
/// diagonal. What comes to lie right of the diagonal is not meant.
///
/// # Panics
/// If the factor is no lower triangle or a transposed one, if there are no rows, or if the sizes differ.
pub(crate) fn multiply_rows_by_own_transposed<T: Number>(
    triangle: Factor<T>,
    rows: Range<usize>,
    product: &mut [T],
) {
    assert!(
        triangle.is_lower && !triangle.is_transposed,
        "a lower triangle"
    );
    assert_eq!(product.len(), rows.len() * rows.end, "a product's entries");
    // Above the first of these rows, the triangle has only zeros in these columns.
    let terms = Factor {
        entries: &triangle.entries[rows.start * triangle.stride..],
        rows: triangle.rows - rows.start,
        ..triangle
    };
    let left = terms.columns(rows.clone()).transposed();
    for (columns, half) in [(0..rows.start, None), (rows.clone(), Some(Half::Lower))] {
        compute(Product {
            left,
            right: Factor {
                is_lower: half.is_some(),
                ..terms.columns(columns.clone())
            },
            start: Some(Start::Zero),
            product: &mut product[columns.start..],
            stride: rows.end,
            half,
        });
    }
}

/// Computes a product, a slab of terms after the other: the panels of a slab stay in the nearest cache. Products with
/// triangles are not cut.
fn compute<T: Number>(mut product: Product<T>) {
    let (left, right) = (product.left, product.right);
    let has_triangle = left.is_lower || right.is_lower;
    let slab = if has_triangle {
        right.rows.max(1)
    } else {
        SLAB
    };
    for first in (0..right.rows.max(1)).step_by(slab) {
        let terms = first..right.rows.min(first + slab);
        Arch::new().dispatch(Product {
            left: left.columns(terms.clone()),
            right: right.transposed().columns(terms).transposed(),
            product: &mut *product.product,
            ..product
        });
        product.start = None;
    }
}

/// A product to be computed.
struct Product<'a, T> {
    left: Factor<'a, T>,
    right: Factor<'a, T>,
    /// None if the terms are added to what is in the product's place.
    start: Option<Start<'a, T>>,
    product: &'a mut [T],
    /// How far apart rows of the product begin.
    stride: usize,
    /// The half of a symmetric product that is wanted.
    half: Option<Half>,
}

impl<T: Number> WithSimd for Product<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let columns = self.right.columns;
        let lanes = size_of::<T::Vector<S>>() / size_of::<T>();
        let wide = columns.next_multiple_of(lanes) / (2 * lanes) * (2 * lanes);
        let wide = wide.min(columns);
        // The twelve vectors of a tile, a row of the panel and a left entry fit into sixteen registers. A tile of one vector's width has
        // eight: the compiler keeps twelve rows in memory.
        self.fill_strips::<S, 2, 6>(simd, 0..wide);
        self.fill_strips::<S, 1, 8>(simd, wide..columns);
    }
}

impl<T: Number> Product<'_, T> {
    /// Computes these columns of the product, in panels of `VECTORS` vectors' width.
    #[inline(always)]
    fn fill_strips<S: Simd, const VECTORS: usize, const ROWS: usize>(
        &mut self,
        simd: S,
        columns: Range<usize>,
    ) {
        if columns.is_empty() {
            return;
        }
        let width = VECTORS * size_of::<T::Vector<S>>() / size_of::<T>();
        let mut panel = vec![[T::splat(simd, T::default()); VECTORS]; self.right.rows];
        for first in columns.clone().step_by(width) {
            let places = first..columns.end.min(first + width);
            fill_panel::<T, S, VECTORS>(simd, self.right, places.clone(), &mut panel);
            // The terms above the right factor's diagonal are zeros.
            let is_lower = self.right.is_lower && !self.right.is_transposed;
            let first_term = if is_lower { first } else { 0 };
            let rows = match self.half {
                None => 0..self.left.rows,
                Some(Half::Upper) => 0..places.end.min(self.left.rows),
                Some(Half::Lower) => first..self.left.rows,
            };
            let start = match self.start {
                Some(Start::Row(row)) => load(simd, &row[places.clone()]),
                Some(Start::Zero | Start::Column(_)) | None => {
                    [T::splat(simd, T::default()); VECTORS]
                }
            };
            let starts = match self.start {
                Some(Start::Column(column)) => Some(column),
                Some(Start::Zero | Start::Row(_)) | None => None,
            };
            let mut strip = Strip {
                entries: &mut self.product[first..],
                stride: self.stride,
                used: places.len(),
                rows,
                first_term,
                starts,
                is_sum: self.start.is_none(),
            };
            fill_strip::<T, S, VECTORS, ROWS>(simd, self.left, &panel, start, &mut strip);
        }
    }
}

/// Vectors that begin with these numbers, at most as many as they hold, and go on with zeros.
#[inline(always)]
fn load<T: Number, S: Simd, const VECTORS: usize>(
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
fn fill_panel<T: Number, S: Simd, const VECTORS: usize>(
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

/// Some columns of the product.
struct Strip<'a, T> {
    /// From the first of these columns in the first row on.
    entries: &'a mut [T],
    /// How far apart rows begin.
    stride: usize,
    /// Columns of the strip.
    used: usize,
    /// Rows that are wanted.
    rows: Range<usize>,
    /// The first term that counts.
    first_term: usize,
    /// Where each row starts, if not all start alike.
    starts: Option<&'a [T]>,
    /// Whether the terms are added to what is there.
    is_sum: bool,
}

/// Computes the columns of a panel, in tiles of `ROWS` rows and a last few.
#[inline(always)]
fn fill_strip<T: Number, S: Simd, const VECTORS: usize, const ROWS: usize>(
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

#[cfg(test)]
mod tests;
