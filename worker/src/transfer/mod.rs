//! What is taken over from the source tasks.
//!
//! - [`best_configurations`]: the best configuration of each source;
//! - [`bounding_box`]: the part of the space that those span;

pub mod best_configurations;
pub mod bounding_box;
