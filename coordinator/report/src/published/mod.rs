//! Published figures beside a sweep's own: Table 2 of the ICML 2020 paper.
//!
//! They apply to a black box that has the name, the target tasks and the
//! iterations of the paper's; of any other sweep there is nothing to say.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use loto_statistics::analysis::{BlackboxAnalysis, SweepAnalysis};

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
    /// Methods that both have, in the order of the sweep.
    pub methods: Vec<PublishedMethod>,
}

/// A method's figures beside the published ones.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedMethod {
    /// Id of the method.
    pub method: String,
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
    /// The sweep's minus the paper's.
    pub fn difference(self) -> Option<f64> {
        self.own.map(|own| own - self.published)
    }
}

impl PublishedBlackbox {
    /// A method's average rank here minus the published one, if both are among the same methods.
    pub fn rank_difference(&self, method: &PublishedMethod) -> Option<f64> {
        let difference = method.average_rank.difference();
        difference.filter(|_| self.same_methods)
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
    LazyLock::new(|| read(include_str!("../../published/icml-table2.csv")));

static TARGETS: LazyLock<Vec<Target>> =
    LazyLock::new(|| read(include_str!("../../published/icml-targets.csv")));

/// Reads a table that is compiled in; a test reads each.
fn read<Line: DeserializeOwned>(text: &str) -> Vec<Line> {
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.comment(Some(b'#')).from_reader(text.as_bytes());
    let lines: Result<_, _> = reader.deserialize().collect();
    lines.expect("the published tables are well formed")
}

/// The black boxes of a sweep to which published figures apply, with at least one
/// published method each.
pub fn compare(analysis: &SweepAnalysis) -> Vec<PublishedBlackbox> {
    let applicable = analysis.blackboxes.iter().filter(|entry| applies(entry));
    let mut compared: Vec<_> = applicable.map(compare_blackbox).collect();
    compared.retain(|blackbox| !blackbox.methods.is_empty());
    compared
}

/// Whether a black box is the paper's, by name, target tasks and iterations.
fn applies(blackbox: &BlackboxAnalysis) -> bool {
    let is_here = |target: &&Target| target.blackbox == blackbox.name;
    let published: Vec<&Target> = TARGETS.iter().filter(is_here).collect();
    let theirs: BTreeSet<&str> = published.iter().map(|target| &*target.task).collect();
    let ours: BTreeSet<&str> = blackbox.tasks.iter().map(|task| &*task.name).collect();
    let as_long = |target: &&Target| target.iterations == blackbox.iterations;
    ours == theirs && published.iter().all(as_long)
}

fn compare_blackbox(blackbox: &BlackboxAnalysis) -> PublishedBlackbox {
    let is_here = |score: &&Score| score.blackbox == blackbox.name;
    let scores: Vec<&Score> = SCORES.iter().filter(is_here).collect();
    let methods = blackbox.methods.iter().filter_map(|method| {
        let score = scores.iter().find(|score| score.method == method.method)?;
        let averages = method.averages.as_ref();
        Some(PublishedMethod {
            method: method.method.clone(),
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
    PublishedBlackbox {
        blackbox: blackbox.name.clone(),
        ranked_there: theirs.len(),
        ranked_here: ours.len(),
        same_methods: ours == theirs,
        methods: methods.collect(),
    }
}

#[cfg(test)]
mod tests;
