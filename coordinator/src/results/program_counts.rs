//! What the traces of external methods tell of their programs.

use std::collections::{BTreeMap, BTreeSet};

use loto_proto::job::{MethodSpec, Series};
use loto_proto::trace::Trace;

/// What the traces of each external method tell of its program.
pub type ProgramCounts = BTreeMap<MethodSpec, ProgramCount>;

/// What the traces of one external method tell of its program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramCount {
    /// Number of evaluations in the traces.
    pub evaluations: u64,
    /// How many of them are of another row than the program proposed.
    pub moved: u64,
    /// What the program ran on; more than one if workers differ.
    pub versions: BTreeSet<String>,
}

/// Counts a trace, if an external method chose its rows.
pub(super) fn count(counts: &mut ProgramCounts, series: &Series, trace: &Trace) {
    if series.method.program.is_none() {
        return;
    }
    let count = counts.entry(series.method.clone()).or_default();
    count.evaluations += trace.rows.len() as u64;
    count.moved += u64::from(trace.program.moved);
    if !trace.program.versions.is_empty() && !count.versions.contains(&trace.program.versions) {
        count.versions.insert(trace.program.versions.clone());
    }
}
