//! Finished traces of a sweep, arranged for statistics: [`SweepResults`].

mod best_curves;
mod sweep_results;
mod traces;

pub use best_curves::{BestCurves, least_values};
pub use sweep_results::{
    BEST, BlackboxCurves, BlackboxResults, SweepCurves, SweepResults, TaskCurves, TaskResults,
};
pub use traces::{SeedTrace, SeedTraces};
