//! Finished traces of a sweep, collected from a store by [`ResultsCollector`].

mod collector;
mod kept_traces;
mod objectives;
mod selection;
mod trace_check;

#[cfg(test)]
pub(crate) mod tests;

pub use collector::ResultsCollector;
pub use kept_traces::Keep;
pub use objectives::{ObjectiveCache, TableObjectives, TaskObjective};
pub use selection::Selection;
