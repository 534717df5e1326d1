//! The charts of a report, each a picture of its own.
//!
//! [`adtm`] draws the curves of a black box, [`improvement`] its scores per
//! data set, [`critical_difference`] the average ranks of a comparison, and
//! [`overview`] puts the curves of all black boxes and the overall comparison on one sheet.

mod critical_difference;
mod curves;
mod improvement;
mod legend;
mod overview;
mod palette;
mod scale;
mod svg;

pub use critical_difference::critical_difference;
pub use curves::adtm;
pub use improvement::improvement;
pub use overview::overview;
pub use palette::Palette;
pub use svg::Svg;

/// Width of a chart that stands alone, in pixels.
pub const WIDTH: f64 = 860.0;

/// Width and height of an ADTM chart that stands alone, in pixels.
pub const CURVES_SIZE: (f64, f64) = (WIDTH, 400.0);
