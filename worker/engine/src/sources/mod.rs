//! What methods take over from the source tasks.
//!
//! - [`best_configurations`]: the best configuration of each source;
//! - [`bounding_box`]: the box around them;
//! - [`sample`]: rows of a source that surrogates are fitted to;
//! - [`process`]: a Gaussian process of each source;
//! - [`portfolio`]: a few rows that suit all sources;
//! - [`feature_distances`]: how far sources are from the target;
//! - [`coupled`]: one Gaussian process on rows of sources that features couple.

pub(crate) mod best_configurations;
pub(crate) mod bounding_box;
pub(crate) mod coupled;
pub(crate) mod feature_distances;
pub(crate) mod portfolio;
pub(crate) mod process;
pub(crate) mod sample;
