//! Products of small dense matrices, for layers of a few dozen units, regressions on as many features and fits of Gaussian processes.
//!
//! Each entry of a product is one chain of fused multiply-adds over the terms, in their order, from its start on. So it has the
//! same bits whatever the width of vectors, however the work is cut into tiles and whatever rows are computed beside it. BLAS, whose
//! kernels are made for large matrices and are pinned to narrower vectors, takes longer here.
//!
//! The right factor is copied into panels of one or two vectors' width, which lie in the cache for all rows; a tile of the product, some
//! rows by a panel's width, stays in registers over all terms. Products of one row or two do without panels.

mod factor;
mod few_rows;
mod number;
mod panel;
mod product;
mod tile;

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd, bytemuck};

pub(crate) use factor::Factor;
use few_rows::FewRows;
pub(crate) use number::Number;
use panel::{fill_panel, load};
use product::Product;
pub(crate) use product::{Half, Start};
use tile::{Strip, fill_strip};

/// Most terms of a slab. A panel of so many is 16 KB in the widest vectors.
const SLAB: usize = 128;

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

/// Puts some rows of F' F, F being a lower triangular matrix, into `product`. Each has as many entries as the last one has up to the
/// diagonal; what comes to lie right of the diagonal is not meant.
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
        let part = Product {
            left: left.columns(terms.clone()),
            right: right.transposed().columns(terms).transposed(),
            product: &mut *product.product,
            ..product
        };
        if part.has_few_rows() {
            Arch::new().dispatch(FewRows(part));
        } else {
            Arch::new().dispatch(part);
        }
        product.start = None;
    }
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
        let mut memory = T::panel().take();
        memory.resize(self.right.rows * width);
        let vectors: &mut [T::Vector<S>] = bytemuck::cast_slice_mut(&mut memory);
        let panel = vectors.as_chunks_mut::<VECTORS>().0;
        for first in columns.clone().step_by(width) {
            let places = first..columns.end.min(first + width);
            fill_panel::<T, S, VECTORS>(simd, self.right, places.clone(), panel);
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
            fill_strip::<T, S, VECTORS, ROWS>(simd, self.left, panel, start, &mut strip);
        }
        T::panel().set(memory);
    }
}

#[cfg(test)]
mod tests;
