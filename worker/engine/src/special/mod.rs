//! Special functions, the same bits on every host: nothing here calls the
//! operating system's mathematics library, whose last digits differ by version.

pub mod exponential;
pub mod hyperbolic;
pub mod normal;
