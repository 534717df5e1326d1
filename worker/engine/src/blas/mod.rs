//! BLAS and LAPACK on reused buffers: the only `unsafe` code of the project.
//!
//! A view of a matrix is checked when it is made, so that no routine can leave its buffer.

mod matrix;
#[cfg(test)]
pub(crate) mod pinned_test;
mod pinning;
mod routines;
mod threads;

pub(crate) use matrix::{MatrixMut, MatrixRef};
pub use pinning::pin_kernels;
pub(crate) use routines::{
    Triangular, add_vector_transposed, cholesky, invert_from_cholesky, multiply_vector,
    solve_triangular,
};
pub use threads::single_threaded;
