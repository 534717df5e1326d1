//! Views of column-major matrices, checked once against the buffer that they lie in.

use std::ffi::c_int;

/// The extent of a matrix whose every entry lies within its buffer.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) rows: c_int,
    pub(super) columns: c_int,
    /// Entries from one column to the next, at least 1 as BLAS demands.
    pub(super) stride: c_int,
}

impl Shape {
    fn checked(length: usize, rows: usize, columns: usize, stride: usize) -> Self {
        assert!(rows <= stride.max(1), "a column is longer than its stride");
        // Far below 2^31, so that the products below do not overflow.
        let dimension = |size| c_int::try_from(size).expect("matrix dimensions are below 2^31");
        let shape = Self {
            rows: dimension(rows),
            columns: dimension(columns),
            stride: dimension(stride.max(1)),
        };
        assert!(
            rows == 0 || columns == 0 || length >= (columns - 1) * stride + rows,
            "the buffer is shorter than the matrix"
        );
        shape
    }
}

/// A matrix that is only read.
#[derive(Clone, Copy)]
pub(crate) struct MatrixRef<'a> {
    pub(super) entries: &'a [f64],
    pub(super) shape: Shape,
}

impl<'a> MatrixRef<'a> {
    /// Views `entries` as a matrix whose columns begin `stride` entries apart.
    ///
    /// # Panics
    /// If the entries do not hold such a matrix.
    pub(crate) fn new(entries: &'a [f64], rows: usize, columns: usize, stride: usize) -> Self {
        let shape = Shape::checked(entries.len(), rows, columns, stride);
        Self { entries, shape }
    }

    /// Views `entries` as a square matrix, as [`Self::new`] does.
    pub(crate) fn square(entries: &'a [f64], size: usize, stride: usize) -> Self {
        Self::new(entries, size, size, stride)
    }

    /// The entries of a column.
    #[cfg(test)]
    pub(crate) fn column(&self, number: usize) -> &'a [f64] {
        let first = number * self.shape.stride as usize;
        &self.entries[first..first + self.shape.rows as usize]
    }
}

/// A matrix that a routine overwrites.
pub(crate) struct MatrixMut<'a> {
    pub(super) entries: &'a mut [f64],
    pub(super) shape: Shape,
}

impl<'a> MatrixMut<'a> {
    /// Views `entries` as a matrix, as [`MatrixRef::new`] does.
    pub(crate) fn new(entries: &'a mut [f64], rows: usize, columns: usize, stride: usize) -> Self {
        let shape = Shape::checked(entries.len(), rows, columns, stride);
        Self { entries, shape }
    }

    /// Views `entries` as a square matrix, as [`MatrixRef::square`] does.
    pub(crate) fn square(entries: &'a mut [f64], size: usize, stride: usize) -> Self {
        Self::new(entries, size, size, stride)
    }
}
