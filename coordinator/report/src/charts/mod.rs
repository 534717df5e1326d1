//! The charts of a report, each a picture of its own.
//!
//! Of a black box [`adtm`], [`average_rank`], [`unsolved`] and [`targets`] draw curves over the evaluations, [`profile`] the
//! share of runs over the improvement, [`improvement`] its scores per task and [`small_multiples`] a plot for each
//! task; [`runs`] draws every run of some methods on one task; of a stream of tasks [`ranks_by_arrival`] draws the ranks over the tasks. [`critical_difference`] draws the average ranks of a comparison, and [`overview`] puts the curves of all
//! black boxes and the overall comparison on one sheet.
//!
//! [`over_cost`] draws the averages over what the evaluations cost, and `fronts` what methods attain of two objectives.
//!
//! A chart is a [`Picture`], which `svg` and `pdf` write; `plot` draws curves in a frame. The [`Palette`] says how a
//! method looks.

mod adtm;
mod by_arrival;
mod critical_difference;
mod escape;
mod fronts;
mod helvetica;
mod improvement;
mod legend;
mod over_cost;
mod over_evaluations;
mod overview;
mod palette;
mod pdf;
mod picture;
mod plot;
mod profile;
mod runs;
mod scale;
mod size;
mod small_multiples;
mod svg;
mod svg_path;

pub use adtm::adtm;
pub use by_arrival::ranks_by_arrival;
pub use critical_difference::critical_difference;
pub(crate) use fronts::fronts;
pub use improvement::improvement;
pub use over_cost::over_cost;
pub use over_evaluations::{average_rank, targets, unsolved};
pub use overview::overview;
pub use palette::Palette;
pub use picture::Picture;
pub use profile::profile;
pub use runs::{Runs, runs};
pub use size::{CURVES_SIZE, HALF_SIZE, WIDTH};
pub(crate) use small_multiples::MOST_TASKS;
pub use small_multiples::small_multiples;
