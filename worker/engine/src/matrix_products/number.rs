//! The precisions in which products are computed.

use std::cell::Cell;
use std::thread::LocalKey;

use pulp::Simd;
use pulp::bytemuck::Pod;

use crate::aligned::AlignedNumbers;

/// A floating-point number, and what its vectors can do.
pub(crate) trait Number: Pod + Default {
    /// As many numbers as a vector of `S` holds.
    type Vector<S: Simd>: Pod;

    /// A vector of that number.
    fn splat<S: Simd>(simd: S, number: Self) -> Self::Vector<S>;

    /// left * right + sum, rounded once.
    fn fused<S: Simd>(
        simd: S,
        left: Self::Vector<S>,
        right: Self::Vector<S>,
        sum: Self::Vector<S>,
    ) -> Self::Vector<S>;

    /// A vector that begins with these numbers, at most as many as it holds, and goes on with zeros.
    fn load<S: Simd>(simd: S, numbers: &[Self]) -> Self::Vector<S>;

    /// Replaces these numbers, at most as many as a vector holds, by those of the vector.
    fn store<S: Simd>(simd: S, numbers: &mut [Self], vector: Self::Vector<S>);

    /// Memory for a panel, which each thread keeps from product to product.
    fn panel() -> &'static LocalKey<Cell<AlignedNumbers<Self>>>;
}

macro_rules! number {
    ($number:ident, $vector:ident, $splat:ident, $fused:ident, $whole:ident, $whole_mut:ident, $load:ident, $store:ident) => {
        impl Number for $number {
            type Vector<S: Simd> = S::$vector;

            #[inline(always)]
            fn splat<S: Simd>(simd: S, number: Self) -> S::$vector {
                simd.$splat(number)
            }

            #[inline(always)]
            fn fused<S: Simd>(
                simd: S,
                left: S::$vector,
                right: S::$vector,
                sum: S::$vector,
            ) -> S::$vector {
                simd.$fused(left, right, sum)
            }

            #[inline(always)]
            fn load<S: Simd>(simd: S, numbers: &[Self]) -> S::$vector {
                match S::$whole(numbers) {
                    ([vector, ..], _) => *vector,
                    ([], part) => simd.$load(part),
                }
            }

            #[inline(always)]
            fn store<S: Simd>(simd: S, numbers: &mut [Self], vector: S::$vector) {
                match S::$whole_mut(numbers) {
                    ([place, ..], _) => *place = vector,
                    ([], part) => simd.$store(part, vector),
                }
            }

            fn panel() -> &'static LocalKey<Cell<AlignedNumbers<Self>>> {
                thread_local! {
                    static PANEL: Cell<AlignedNumbers<$number>> = Cell::default();
                }
                &PANEL
            }
        }
    };
}

number! {
    f32, f32s, splat_f32s, mul_add_f32s, as_simd_f32s, as_mut_simd_f32s, partial_load_f32s, partial_store_f32s
}
number! {
    f64, f64s, splat_f64s, mul_add_f64s, as_simd_f64s, as_mut_simd_f64s, partial_load_f64s, partial_store_f64s
}
