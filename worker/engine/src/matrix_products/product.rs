//! What a product is computed from, and where it goes.

use super::factor::Factor;

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

/// A triangle of a symmetric matrix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    /// Above the diagonal.
    Upper,
    /// Below the diagonal.
    Lower,
}

/// A product to be computed.
pub(super) struct Product<'a, T> {
    pub(super) left: Factor<'a, T>,
    pub(super) right: Factor<'a, T>,
    /// None if the terms are added to what is in the product's place.
    pub(super) start: Option<Start<'a, T>>,
    pub(super) product: &'a mut [T],
    /// How far apart rows of the product begin.
    pub(super) stride: usize,
    /// The half of a symmetric product that is wanted.
    pub(super) half: Option<Half>,
}
