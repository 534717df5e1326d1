//! Sizes of charts, in pixels.

/// Width of a chart that stands alone.
pub const WIDTH: f64 = 860.0;

/// Width and height of an ADTM chart that stands alone.
pub const CURVES_SIZE: (f64, f64) = (WIDTH, 400.0);

/// Width and height of a chart of which two stand side by side.
pub const HALF_SIZE: (f64, f64) = (456.0, 330.0);
