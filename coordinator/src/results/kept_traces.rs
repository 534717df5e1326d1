//! How much of the traces is kept in memory.

use std::sync::Arc;

use loto_proto::trace::Trace;

use loto_statistics::results::least_values;
use loto_statistics::results::{BestCurves, SeedTrace, SeedTraces};

/// How much of each trace is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Rows, values and times: for reports that list the traces.
    Everything,
    /// The least value so far, which is all that statistics look at: about a
    /// thirtieth of the memory. The results then have it as their `values`, without
    /// rows and times.
    BestSoFar,
}

/// The traces of one method on one task as far as they are kept.
pub(super) enum KeptTraces {
    Everything(SeedTraces),
    /// Shared with the analyses that look at it; it is copied when a trace comes meanwhile.
    BestSoFar(Arc<BestCurves>),
}

impl KeptTraces {
    pub(super) fn new(keep: Keep) -> Self {
        match keep {
            Keep::Everything => Self::Everything(SeedTraces::new()),
            Keep::BestSoFar => Self::BestSoFar(Arc::default()),
        }
    }

    pub(super) fn contains(&self, seed: u32) -> bool {
        match self {
            Self::Everything(traces) => traces.contains_key(&seed),
            Self::BestSoFar(curves) => curves.contains(seed),
        }
    }

    /// Number of traces.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Everything(traces) => traces.len(),
            Self::BestSoFar(curves) => curves.len(),
        }
    }

    /// Adds traces.
    pub(super) fn insert(&mut self, new: &[(u32, Trace)]) {
        match self {
            Self::Everything(traces) => {
                traces.extend(new.iter().map(|(seed, trace)| (*seed, whole(trace))));
            }
            Self::BestSoFar(curves) => {
                let curves = Arc::make_mut(curves);
                for (seed, trace) in new {
                    curves.insert(*seed, &trace.values);
                }
                curves.shrink();
            }
        }
    }

    /// The traces one by one, `iterations` long.
    pub(super) fn traces(&self, iterations: usize) -> SeedTraces {
        match self {
            Self::Everything(traces) => traces.clone(),
            Self::BestSoFar(curves) => {
                let trace = |steps| SeedTrace {
                    rows: Vec::new(),
                    values: least_values(steps, iterations),
                    seconds: Vec::new(),
                };
                let seeds = curves.seeds().iter().copied();
                seeds.zip(curves.curves().map(trace)).collect()
            }
        }
    }

    /// The traces as statistics look at them.
    pub(super) fn curves(&self) -> Arc<BestCurves> {
        match self {
            Self::Everything(traces) => Arc::new(BestCurves::of(traces)),
            Self::BestSoFar(curves) => Arc::clone(curves),
        }
    }
}

fn whole(trace: &Trace) -> SeedTrace {
    SeedTrace {
        rows: trace.rows.clone(),
        values: trace.values.clone(),
        seconds: seconds(trace),
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

    fn kept(keep: Keep) -> KeptTraces {
        let trace = Trace {
            rows: vec![3, 1],
            values: vec![0.25, 0.5],
            microseconds: vec![500_000, 250_000],
            preparation_microseconds: 2_000_000,
            linear_algebra: String::new(),
        };
        let mut kept = KeptTraces::new(keep);
        kept.insert(&[(5, trace.clone())]);
        kept.insert(&[(5, trace)]);
        assert_eq!(kept.len(), 1);
        assert!(kept.contains(5) && !kept.contains(0));
        kept
    }

    #[test]
    fn everything_is_kept_with_the_preparation_in_the_first_time() {
        let traces = kept(Keep::Everything).traces(2);
        assert_eq!(traces[&5].rows, [3, 1]);
        assert_eq!(traces[&5].values, [0.25, 0.5]);
        assert_eq!(traces[&5].seconds, [2.5, 0.25]);
    }

    #[test]
    fn only_the_best_so_far_is_kept() {
        let traces = kept(Keep::BestSoFar).traces(2);
        assert_eq!(traces[&5].values, [0.25, 0.25]);
        assert!(traces[&5].rows.is_empty() && traces[&5].seconds.is_empty());
    }

    #[test]
    fn statistics_see_the_same_whatever_is_kept() {
        let (everything, best) = (kept(Keep::Everything), kept(Keep::BestSoFar));
        assert_eq!(everything.curves(), best.curves());
    }

    #[test]
    fn what_an_analysis_looks_at_does_not_change_under_it() {
        let mut kept = kept(Keep::BestSoFar);
        let seen = kept.curves();
        let trace = Trace {
            rows: vec![1],
            values: vec![1.0],
            microseconds: vec![0],
            preparation_microseconds: 0,
            linear_algebra: String::new(),
        };
        kept.insert(&[(6, trace)]);
        assert_eq!((seen.len(), kept.curves().len()), (1, 2));
    }
}
