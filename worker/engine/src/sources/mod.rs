//! What methods take over from the source tasks.
//!
//! - [`best_configurations`]: the best configuration of each source;
//! - [`bounding_box`]: the box around them;
//! - [`sample`]: rows of a source that surrogates are fitted to;
//! - [`process`]: a Gaussian process of each source;
//! - [`pooled_kernel`]: one kernel for all sources.

pub(crate) mod best_configurations;
pub(crate) mod bounding_box;
pub(crate) mod pooled_kernel;
pub(crate) mod process;
pub(crate) mod sample;
