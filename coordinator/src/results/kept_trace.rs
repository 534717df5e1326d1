//! How much of a trace is kept in memory.

use loto_proto::trace::Trace;

use super::SeedTrace;
use super::best_so_far::BestSoFar;

/// How much of each trace a collector keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Rows, values and times: for reports that list the traces.
    Everything,
    /// The least value so far, which is all that statistics look at: about a
    /// tenth of the memory. The results then have it as their `values`, without
    /// rows and times.
    BestSoFar,
}

/// A trace as far as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum KeptTrace {
    Everything(SeedTrace),
    BestSoFar(BestSoFar),
}

impl KeptTrace {
    pub(super) fn new(trace: &Trace, keep: Keep) -> Self {
        match keep {
            Keep::Everything => Self::Everything(SeedTrace {
                rows: trace.rows.clone(),
                values: trace.values.clone(),
                seconds: seconds(trace),
            }),
            Keep::BestSoFar => Self::BestSoFar(BestSoFar::new(&trace.values)),
        }
    }

    /// The trace for the statistics, `iterations` long.
    pub(super) fn expand(&self, iterations: usize) -> SeedTrace {
        match self {
            Self::Everything(trace) => trace.clone(),
            Self::BestSoFar(best) => SeedTrace {
                rows: Vec::new(),
                values: best.values(iterations),
                seconds: Vec::new(),
            },
        }
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

    fn trace() -> Trace {
        Trace {
            rows: vec![3, 1],
            values: vec![0.25, 0.5],
            microseconds: vec![500_000, 250_000],
            preparation_microseconds: 2_000_000,
            linear_algebra: String::new(),
        }
    }

    #[test]
    fn everything_is_kept_with_the_preparation_in_the_first_time() {
        let kept = KeptTrace::new(&trace(), Keep::Everything).expand(2);
        assert_eq!(kept.rows, [3, 1]);
        assert_eq!(kept.values, [0.25, 0.5]);
        assert_eq!(kept.seconds, [2.5, 0.25]);
    }

    #[test]
    fn only_the_best_so_far_is_kept() {
        let kept = KeptTrace::new(&trace(), Keep::BestSoFar).expand(2);
        assert_eq!(kept.values, [0.25, 0.25]);
        assert!(kept.rows.is_empty() && kept.seconds.is_empty());
    }
}
