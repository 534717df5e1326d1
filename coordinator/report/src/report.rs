//! What every format of a report is made from.

use loto_proto::identity::SweepId;
use loto_proto::sweep::Blackbox;
use loto_statistics::analysis::SweepAnalysis;
use loto_statistics::random_search::Baseline;
use loto_statistics::results::SweepResults;

use crate::about::About;
use crate::published::{PublishedTasks, compare_by_task, compare_over_cost};

/// All that a report is made from.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The finished traces.
    pub results: &'a SweepResults,
    /// Their statistics.
    pub analysis: &'a SweepAnalysis,
    /// The sweep; none for traces that were recorded elsewhere.
    pub sweep: Option<SweepId>,
    /// The black boxes as they were planned, which says what tables and parameters were used.
    pub planned: &'a [Blackbox],
    /// What the traces are of, and how the report was made.
    pub about: &'a About,
    /// What readers must know about the data, one sentence each; shown before all else.
    pub notes: &'a [String],
}

impl Report<'_> {
    /// CPU seconds per trace of a method on a black box, the mean over its finished traces; `None` if they
    /// were not recorded.
    pub(crate) fn seconds_per_trace(&self, blackbox: &str, method: &str) -> Option<f64> {
        let mut blackboxes = self.results.blackboxes.iter();
        let blackbox = blackboxes.find(|known| known.name == blackbox)?;
        let position = blackbox.methods.iter().position(|known| known == method)?;
        let traces = blackbox
            .tasks
            .iter()
            .filter_map(|task| task.traces.get(position));
        let totals: Vec<f64> = traces
            .flat_map(|seeds| seeds.values())
            .filter(|trace| !trace.seconds.is_empty())
            .map(|trace| trace.seconds.iter().sum())
            .collect();
        (!totals.is_empty()).then(|| totals.iter().sum::<f64>() / totals.len() as f64)
    }

    /// CPU seconds of all finished traces together, and the number of traces of which they were recorded.
    pub(crate) fn seconds_in_all(&self) -> (f64, u64) {
        let tasks = self
            .results
            .blackboxes
            .iter()
            .flat_map(|blackbox| &blackbox.tasks);
        let traces = tasks.flat_map(|task| task.traces.iter().flat_map(|seeds| seeds.values()));
        let timed = traces.filter(|trace| !trace.seconds.is_empty());
        timed.fold((0.0, 0), |(sum, count), trace| {
            (sum + trace.seconds.iter().sum::<f64>(), count + 1)
        })
    }

    /// What the improvement is measured against, in words.
    pub(crate) fn baseline_in_words(&self) -> &'static str {
        match self.analysis.baseline {
            Baseline::Exact => "exact expectation of random search without replacement",
            Baseline::ExactWithReplacement => "exact expectation of random search with replacement",
            Baseline::Sampled => "sampled random search: the traces of the method rs",
        }
    }

    /// The figures of single tasks beside published ones, over the evaluations and over cost.
    pub(crate) fn published_by_task(&self) -> Vec<PublishedTasks> {
        let mut tables = compare_by_task(self.analysis, self.planned);
        tables.extend(compare_over_cost(self.results, self.planned));
        tables
    }

    /// Whether charts show the exact expectation of random search.
    pub(crate) fn draws_baseline(&self) -> bool {
        draws_baseline(self.analysis)
    }
}

/// Whether charts show the exact expectation of random search: not if the baseline is a method's curve.
pub(crate) fn draws_baseline(analysis: &SweepAnalysis) -> bool {
    analysis.baseline != Baseline::Sampled
}
