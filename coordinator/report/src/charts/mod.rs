//! The charts of a report, each a picture of its own.
//!
//! [`adtm`] draws the curves of a black box, [`improvement`] its scores per
//! task, [`critical_difference`] the average ranks of a comparison, and
//! [`overview`] puts the curves of all black boxes and the overall comparison on one sheet.

mod critical_difference;
mod curves;
mod escape;
mod improvement;
mod legend;
mod overview;
mod palette;
mod scale;
mod size;
mod svg;

pub use critical_difference::critical_difference;
pub use curves::adtm;
pub use improvement::improvement;
pub use overview::overview;
pub use palette::Palette;
pub use size::{CURVES_SIZE, WIDTH};
pub use svg::Svg;
