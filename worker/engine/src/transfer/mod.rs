//! What is taken over from the source tasks.
//!
//! - [`best_configurations`]: the best configuration of each source;
//! - [`bounding_box`]: the part of the space that those span;
//! - [`source_sample`]: rows of a source that surrogates are fitted to;
//! - [`source_process`]: a Gaussian process of each source;
//! - [`rank_distance`]: how far a source orders configurations unlike the target;
//! - [`experts`]: what all sources predict to be gained, each with its weight.

pub mod best_configurations;
pub mod bounding_box;
pub mod experts;
pub mod rank_distance;
pub mod source_process;
pub mod source_sample;
