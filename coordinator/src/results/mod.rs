//! Finished traces of a sweep.
//!
//! [`PlannedTraces`] says which there are to be, and checks them against the tables;
//! [`CollectedTraces`] reads them from the store as a [`crate::follower::Follower`] finds them.

mod collected_traces;
mod kept_traces;
mod objectives;
mod planned_traces;
mod selection;

#[cfg(test)]
pub(crate) mod tests;

pub use collected_traces::{CollectedCurves, CollectedTraces};
pub use kept_traces::Keep;
pub use objectives::{ObjectiveCache, TableObjectives, TaskObjective};
pub use planned_traces::PlannedTraces;
pub use selection::Selection;
