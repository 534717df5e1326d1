//! How much of the traces is kept in memory.

use std::sync::Arc;

use loto_proto::trace::Trace;
use loto_statistics::results::{BestCurves, SeedTrace, SeedTraces};

use super::series_objective::TaskObjective;

/// The finished traces of one method on one task as far as they are kept.
pub trait KeptTraces: Clone + Default {
    /// Number of traces.
    fn count(&self) -> usize;

    /// Whether the trace of this seed is there.
    fn contains(&self, seed: u32) -> bool;

    /// Adds checked traces on a task by their seeds.
    fn insert(&mut self, task: &TaskObjective, new: Vec<(u32, Trace)>);
}

/// Rows, values and times: for reports that list the traces.
impl KeptTraces for SeedTraces {
    fn count(&self) -> usize {
        self.len()
    }

    fn contains(&self, seed: u32) -> bool {
        self.contains_key(&seed)
    }

    fn insert(&mut self, task: &TaskObjective, new: Vec<(u32, Trace)>) {
        let whole = |(seed, trace)| (seed, whole(task, trace));
        self.extend(new.into_iter().map(whole));
    }
}

/// The least value so far, which is all that statistics look at: about a thirtieth of the
/// memory. It is shared with the analyses that look at it, and copied when a trace comes meanwhile.
impl KeptTraces for Arc<BestCurves> {
    fn count(&self) -> usize {
        self.len()
    }

    fn contains(&self, seed: u32) -> bool {
        BestCurves::contains(self, seed)
    }

    fn insert(&mut self, task: &TaskObjective, new: Vec<(u32, Trace)>) {
        let curves = Self::make_mut(self);
        for (seed, trace) in new {
            let evaluated = task.evaluated(trace);
            curves.insert_trace(seed, &evaluated, task.hypervolume.as_deref());
        }
        curves.shrink();
    }
}

fn whole(task: &TaskObjective, trace: Trace) -> SeedTrace {
    SeedTrace {
        seconds: seconds(&trace),
        ..task.evaluated(trace)
    }
}

/// CPU seconds by iteration; the preparation counts to the first.
fn seconds(trace: &Trace) -> Vec<f64> {
    let preparation = trace.preparation_microseconds as f64;
    let before = std::iter::once(preparation).chain(std::iter::repeat(0.0));
    let times = trace.microseconds.iter().zip(before);
    times
        .map(|(&microseconds, before)| (f64::from(microseconds) + before) / 1e6)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(rows: &[u32], values: &[f64]) -> Trace {
        Trace {
            rows: rows.to_vec(),
            values: values.to_vec(),
            further_values: Vec::new(),
            microseconds: vec![500_000, 250_000],
            preparation_microseconds: 2_000_000,
            linear_algebra: String::new(),
            program: Default::default(),
        }
    }

    fn task() -> TaskObjective {
        TaskObjective {
            by_row: [0.75, 0.5, 1.0, 0.25].into(),
            further_by_row: Box::default(),
            ascending: [0.25, 0.5, 0.75, 1.0].into(),
            direction: Default::default(),
            hypervolume: None,
            costs: Some([8.0, 4.0, 2.0, 1.0].into()),
        }
    }

    fn kept<Kept: KeptTraces>() -> Kept {
        let trace = trace(&[3, 1], &[0.25, 0.5]);
        let mut kept = Kept::default();
        kept.insert(&task(), vec![(5, trace.clone())]);
        kept.insert(&task(), vec![(5, trace)]);
        assert_eq!(kept.count(), 1);
        assert!(kept.contains(5) && !kept.contains(0));
        kept
    }

    #[test]
    fn everything_is_kept_with_the_preparation_in_the_first_time() {
        let traces: SeedTraces = kept();
        assert_eq!(traces[&5].rows, [3, 1]);
        assert_eq!(traces[&5].values, [0.25, 0.5]);
        assert_eq!(traces[&5].seconds, [2.5, 0.25]);
        assert_eq!(traces[&5].costs, [1.0, 4.0]);
    }

    #[test]
    fn statistics_see_the_same_whatever_is_kept() {
        let curves: Arc<BestCurves> = kept();
        assert_eq!(*curves, BestCurves::of(&kept(), None));
    }

    #[test]
    fn what_an_analysis_looks_at_does_not_change_under_it() {
        let mut kept: Arc<BestCurves> = kept();
        let seen = Arc::clone(&kept);
        KeptTraces::insert(&mut kept, &task(), vec![(6, trace(&[1], &[1.0]))]);
        assert_eq!((seen.len(), kept.len()), (1, 2));
    }
}
