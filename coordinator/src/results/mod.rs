//! Finished traces of a sweep.
//!
//! [`PlannedTraces`] says which there are to be, and checks them against the tables;
//! [`inspect`] says which of them are of no use; [`CollectedTraces`] reads them from the store as a [`crate::follower::Follower`] finds them.

mod averaged_objectives;
mod collected_traces;
mod inspection;
mod kept_traces;
mod linear_algebra;
mod objectives;
mod planned_traces;
mod program_counts;
mod reading;
mod selection;
mod series_objective;
mod series_traces;

#[cfg(test)]
pub(crate) mod tests;

pub use collected_traces::{CollectedCurves, CollectedTraces};
pub use inspection::{Inspected, inspect};
pub use kept_traces::KeptTraces;
pub use linear_algebra::{LinearAlgebraCounts, mixture};
pub use objectives::{ObjectiveCache, TableContent, TableObjectives};
pub use planned_traces::PlannedTraces;
pub use program_counts::{ProgramCount, ProgramCounts};
pub use selection::{Naming, Selection};
pub use series_objective::TaskObjective;
pub(crate) use series_traces::TaskValues;
