//! Published figures beside a sweep's own: Table 2 of the ICML 2020 paper, and task by task those of 2019 (`by_task`, `over_cost`).
//!
//! They apply to a black box that has the table or the name, the target tasks and the iterations of
//! the paper's; of any other sweep there is nothing to say. There is a difference to them only where the
//! table, the baseline and the parameters are the paper's ([`Departure`]).

mod by_task;
mod over_cost;
mod protocol;
mod read_csv;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use loto_proto::protocol::Protocol;
use loto_proto::sweep::Blackbox;
use loto_statistics::analysis::{BlackboxAnalysis, SweepAnalysis};
use loto_statistics::random_search::Baseline;
use serde::Deserialize;

pub use by_task::{
    OwnAndPublished, PublishedFigure, PublishedTasks, SOURCE_BY_TASK, compare_by_task,
};
pub use over_cost::compare_over_cost;
pub use protocol::Departure;

use protocol::{departures, other_parameters, papers_name};
use read_csv::read_csv;

/// Where the figures come from.
pub const SOURCE: &str = "Salinas, Shen and Perrone, A quantile-based approach for \
                          hyperparameter transfer learning, ICML 2020, Table 2 (30 seeds)";

/// A sweep's figures of one black box beside the published ones.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedBlackbox {
    /// Name of the black box.
    pub blackbox: String,
    /// Number of methods that the paper ranks on it.
    pub ranked_there: usize,
    /// Number of methods that the sweep ranks on it.
    pub ranked_here: usize,
    /// Whether they are the same methods. If not, average ranks have no difference: a rank
    /// depends on the methods it is among.
    pub same_methods: bool,
    /// Where all its figures depart from the paper's protocol; none if they have differences.
    pub departures: Vec<Departure>,
    /// Methods that both have, in the order of the sweep.
    pub methods: Vec<PublishedMethod>,
}

/// A method's figures beside the published ones.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedMethod {
    /// Id of the method.
    pub method: String,
    /// Its parameters that are neither defaults nor the paper's, such as `bandwidth = 0.1`.
    pub other_parameters: Vec<String>,
    /// The improvement over random search.
    pub improvement: Figure,
    /// The average rank.
    pub average_rank: Figure,
}

/// One figure of the sweep and the paper's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The sweep's; absent if nothing is finished.
    pub own: Option<f64>,
    /// The paper's.
    pub published: f64,
}

impl Figure {
    fn difference(self) -> Option<f64> {
        self.own.map(|own| own - self.published)
    }
}

impl PublishedBlackbox {
    /// A method's improvement here minus the published one, if the protocol is the paper's.
    pub fn improvement_difference(&self, method: &PublishedMethod) -> Option<f64> {
        let follows_protocol = self.departures.is_empty() && method.other_parameters.is_empty();
        let difference = method.improvement.difference();
        difference.filter(|_| follows_protocol)
    }

    /// A method's average rank here minus the published one, if the protocol is the paper's, for
    /// all methods, and they are the same.
    pub fn rank_difference(&self, method: &PublishedMethod) -> Option<f64> {
        let mut methods = self.methods.iter();
        let follows_protocol =
            self.departures.is_empty() && methods.all(|method| method.other_parameters.is_empty());
        let difference = method.average_rank.difference();
        difference.filter(|_| follows_protocol && self.same_methods)
    }

    /// Why figures have no difference to the published ones, one sentence each.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let departures = self.departures.iter();
        let general = departures.map(|departure| departure.sentence().to_owned());
        let changed = self
            .methods
            .iter()
            .filter(|method| !method.other_parameters.is_empty());
        let of_methods = changed.map(|method| {
            format!(
                "{} has other parameters than its published figures ({}), so there is no difference.",
                method.method,
                method.other_parameters.join(", ")
            )
        });
        general.chain(of_methods).collect()
    }
}

/// A line of `icml-table2.csv`.
#[derive(Debug, Deserialize)]
struct Score {
    blackbox: String,
    method: String,
    improvement: f64,
    average_rank: f64,
}

/// A line of `icml-targets.csv`.
#[derive(Debug, Deserialize)]
struct Target {
    blackbox: String,
    task: String,
    iterations: usize,
}

static SCORES: LazyLock<Vec<Score>> =
    LazyLock::new(|| read_csv(include_str!("../../published/icml-table2.csv")));

static TARGETS: LazyLock<Vec<Target>> =
    LazyLock::new(|| read_csv(include_str!("../../published/icml-targets.csv")));

/// The black boxes of a sweep to which published figures apply, with at least one
/// published method each. `planned` says which tables and parameters were used.
pub fn compare(analysis: &SweepAnalysis, planned: &[Blackbox]) -> Vec<PublishedBlackbox> {
    let compared = analysis.blackboxes.iter().filter_map(|blackbox| {
        let planned = planned.iter().find(|known| known.name == blackbox.name);
        compare_blackbox(blackbox, planned, analysis.baseline)
    });
    compared
        .filter(|blackbox| !blackbox.methods.is_empty())
        .collect()
}

/// Whether a black box has the target tasks and iterations of the paper's one of that name.
fn applies(blackbox: &BlackboxAnalysis, papers_name: &str) -> bool {
    let is_here = |target: &&Target| target.blackbox == papers_name;
    let published: Vec<&Target> = TARGETS.iter().filter(is_here).collect();
    let theirs: BTreeSet<&str> = published.iter().map(|target| &*target.task).collect();
    let ours: BTreeSet<&str> = blackbox.tasks.iter().map(|task| &*task.name).collect();
    let as_long = |target: &&Target| target.iterations == blackbox.iterations;
    ours == theirs && published.iter().all(as_long)
}

fn compare_blackbox(
    blackbox: &BlackboxAnalysis,
    planned: Option<&Blackbox>,
    baseline: Baseline,
) -> Option<PublishedBlackbox> {
    // Streams and several objectives are other experiments.
    let is_stream = planned.is_some_and(|planned| planned.protocol == Protocol::Stream);
    if is_stream || !blackbox.measure.is_distance() {
        return None;
    }
    let of_table = planned.and_then(|planned| papers_name(planned.table));
    let papers_name = of_table.unwrap_or(&blackbox.name);
    if !applies(blackbox, papers_name) {
        return None;
    }
    let is_here = |score: &&Score| score.blackbox == papers_name;
    let scores: Vec<&Score> = SCORES.iter().filter(is_here).collect();
    let methods = blackbox.methods.iter().filter_map(|method| {
        let score = scores.iter().find(|score| score.method == method.method)?;
        let averages = method.averages.as_ref();
        Some(PublishedMethod {
            method: method.method.clone(),
            other_parameters: other_parameters(planned, &method.method),
            improvement: Figure {
                own: averages.map(|averages| averages.improvement),
                published: score.improvement,
            },
            average_rank: Figure {
                own: averages.map(|averages| averages.average_rank),
                published: score.average_rank,
            },
        })
    });
    let theirs: BTreeSet<&str> = scores.iter().map(|score| &*score.method).collect();
    let planned = blackbox.methods.iter().map(|method| &method.method);
    let present = planned.filter(|&name| !blackbox.absent_methods.contains(name));
    let ours: BTreeSet<&str> = present.map(String::as_str).collect();
    Some(PublishedBlackbox {
        blackbox: blackbox.name.clone(),
        departures: departures(of_table.is_some(), baseline),
        ranked_there: theirs.len(),
        ranked_here: ours.len(),
        same_methods: ours == theirs,
        methods: methods.collect(),
    })
}

#[cfg(test)]
mod tests;
