//! Finished traces of a sweep, arranged for statistics: [`SweepResults`].

mod best_curves;
mod measure;
mod method_name;
mod sweep_results;
mod traces;

pub use best_curves::{BestCurves, BestOverCost, least_values};
pub use measure::Measure;
pub use method_name::{OF_AVERAGES, find_method};
pub use sweep_results::{
    BEST, BlackboxCurves, BlackboxResults, SweepCurves, SweepResults, TaskCurves, TaskResults,
};
pub use traces::{SeedTrace, SeedTraces};
