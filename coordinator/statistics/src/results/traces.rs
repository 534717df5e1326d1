//! Finished traces of one method on one task.

use std::collections::BTreeMap;

/// Finished traces of one method on one task, by seed.
pub type SeedTraces = BTreeMap<u32, SeedTrace>;

/// One finished trace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SeedTrace {
    /// Rows evaluated, in order; empty for traces recorded elsewhere.
    pub rows: Vec<u32>,
    /// Objective values, in order: one per planned iteration, or per row of the
    /// table if it has fewer. In traces recorded elsewhere, infinity marks an evaluation
    /// whose value is not usable: the best value so far stays.
    pub values: Vec<f64>,
    /// With several objectives, the values of all but the first, evaluation by evaluation; empty with one.
    pub further_values: Vec<f64>,
    /// What each evaluation costs; empty if costs are not known.
    pub costs: Vec<f64>,
    /// CPU seconds spent on choosing each row; the preparation counts to the
    /// first. Empty if they were not recorded.
    pub seconds: Vec<f64>,
}

impl SeedTrace {
    /// Both objectives of each evaluation; nothing if there is one objective.
    pub fn objective_pairs(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        let pairs = self.values.iter().zip(&self.further_values);
        pairs.map(|(&first, &second)| [first, second])
    }
}
