//! The analysis of a sweep: composes the statistics over all that is finished.
//!
//! [`analyse`] takes whole traces, [`analyse_curves`] traces that were reduced to their least values.
//! Both give a [`SweepAnalysis`], which is the structure of `statistics.json`.

mod band;
mod bands;
mod blackbox;
mod compare;
mod comparison;
mod differences;
mod hierarchical;
mod hierarchical_comparison;
mod options;
mod output;
mod over_cost;
mod over_cost_output;
mod over_tasks;
mod rope;
mod score_intervals;
mod stream;
mod sweep;
mod task;
mod task_output;
mod validation;

#[cfg(test)]
mod hierarchical_tests;
#[cfg(test)]
mod hypervolume_tests;
#[cfg(test)]
mod interval_tests;
#[cfg(test)]
mod over_cost_tests;
#[cfg(test)]
mod over_tasks_tests;
#[cfg(test)]
mod recorded_traces_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod unmarked_tests;

pub use band::Band;
pub use comparison::{ComparedTask, Comparison, ComparisonOutcome, PracticalComparison};
pub use hierarchical_comparison::{
    HierarchicalComparison, HierarchicalMethod, HierarchicalOutcome,
};
pub use options::{AnalysisOptions, Bands};
pub use output::{
    BlackboxAnalysis, DominantTask, ExcludedTask, ExclusionReason, Limits, LinearAlgebra,
    MethodAnalysis, MethodAverages, MissingSeeds, OverTasks, PairedDifference, SweepAnalysis,
};
pub use over_cost_output::{MethodOverCost, OverCost, TaskMethodOverCost, TaskOverCost};
pub use rope::{Rope, RopeUnit};
pub use sweep::{analyse, analyse_curves};
pub use task_output::{
    BaselineCurve, TableFront, TaskAnalysis, TaskDifference, TaskMethodAnalysis,
};
pub use validation::check_options;
