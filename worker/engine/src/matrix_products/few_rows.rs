//! Products of few rows. Each number of the right factor is used so few times that it is read where it lies, row by row: copying it
//! into panels would take longer than the product, and a large factor comes faster from memory in one piece.

use std::array;

use pulp::{Simd, WithSimd};

use super::number::Number;
use super::product::{Product, Start};

/// Rows for which this takes less time than panels.
const FEW: usize = 2;

/// Terms that are added while a sum is in a register.
const TOGETHER: usize = 5;

/// A product of few rows, to be computed.
pub(super) struct FewRows<'a, T>(pub(super) Product<'a, T>);

impl<T: Number> Product<'_, T> {
    /// Whether there are few rows, and no triangle or transposed right factor.
    pub(super) fn has_few_rows(&self) -> bool {
        let is_plain = !self.left.is_lower && !self.right.is_lower && !self.right.is_transposed;
        self.left.rows <= FEW && is_plain
    }
}

impl<T: Number> WithSimd for FewRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let product = &mut self.0;
        let rows = product.product.chunks_mut(product.stride).enumerate();
        for (number, entries) in rows.take(product.left.rows) {
            let sums = &mut entries[..product.right.columns];
            match product.start {
                Some(Start::Zero) => sums.fill(T::default()),
                Some(Start::Row(row)) => sums.copy_from_slice(row),
                Some(Start::Column(column)) => sums.fill(column[number]),
                None => {}
            }
        }
        let terms = product.right.rows;
        let whole = terms / TOGETHER * TOGETHER;
        for term in (0..whole).step_by(TOGETHER) {
            self.add_terms::<S, TOGETHER>(simd, term);
        }
        for term in whole..terms {
            self.add_terms::<S, 1>(simd, term);
        }
    }
}

impl<T: Number> FewRows<'_, T> {
    /// Adds some terms from `first` on to every row.
    #[inline(always)]
    fn add_terms<S: Simd, const TERMS: usize>(&mut self, simd: S, first: usize) {
        let Self(Product {
            left,
            right,
            product,
            stride,
            ..
        }) = self;
        let lanes = size_of::<T::Vector<S>>() / size_of::<T>();
        let terms: [&[T]; TERMS] =
            array::from_fn(|term| &right.entries[(first + term) * right.stride..][..right.columns]);
        let (by_row, by_term) = if left.is_transposed {
            (1, left.stride)
        } else {
            (left.stride, 1)
        };
        for row in 0..left.rows {
            let entry = |term: usize| left.entries[row * by_row + (first + term) * by_term];
            let factors: [_; TERMS] = array::from_fn(|term| T::splat(simd, entry(term)));
            let sums = &mut product[row * *stride..][..right.columns];
            for (number, sums) in sums.chunks_mut(lanes).enumerate() {
                let places = number * lanes..number * lanes + sums.len();
                let mut sum = T::load(simd, sums);
                for (factor, term) in factors.iter().zip(&terms) {
                    let entries = T::load(simd, &term[places.clone()]);
                    sum = T::fused(simd, *factor, entries, sum);
                }
                T::store(simd, sums, sum);
            }
        }
    }
}
