//! The factors of products.

use std::ops::Range;

/// A factor of a product: a matrix, row by row, or the transposed of one.
#[derive(Clone, Copy)]
pub(crate) struct Factor<'a, T> {
    pub(super) entries: &'a [T],
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// How far apart rows of the matrix begin.
    pub(super) stride: usize,
    pub(super) is_transposed: bool,
    /// Whether the entries right of the matrix's diagonal are zeros.
    pub(super) is_lower: bool,
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
    pub(super) fn columns(self, columns: Range<usize>) -> Self {
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
