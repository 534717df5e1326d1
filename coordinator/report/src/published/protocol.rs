//! Whether a sweep followed the protocol behind the published figures: table, baseline, parameters.

use std::str::FromStr;
use std::sync::LazyLock;

use loto_proto::identity::Fingerprint;
use loto_proto::job::MethodSpec;
use loto_proto::sweep::Blackbox;
use loto_statistics::random_search::Baseline;
use serde::Deserialize;

use super::read_csv::read_csv;

/// Parameters that are the paper's, whether or not they are the defaults.
const PAPERS_PARAMETERS: [(&str, &str); 2] = [("hyperprior", "none"), ("initial", "sources")];

/// A departure from the paper's protocol under which figures have no difference to the published ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Departure {
    /// The table is not the one of the paper, or it is not known which table was used.
    OtherTable,
    /// The baseline is not the random search of the paper, which draws without replacement.
    OtherBaseline,
}

impl Departure {
    /// What readers are told.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::OtherTable => {
                "The paper used another table, so there is no difference to its figures."
            }
            Self::OtherBaseline => {
                "The paper's random search draws without replacement, so there is no difference to its \
                 figures with this baseline."
            }
        }
    }
}

/// A line of `icml-tables.csv`.
#[derive(Debug, Deserialize)]
struct PapersTable {
    blackbox: String,
    fingerprint: String,
}

static TABLES: LazyLock<Vec<PapersTable>> =
    LazyLock::new(|| read_csv(include_str!("../../published/icml-tables.csv")));

/// The paper's name for the black box whose table has this fingerprint, if it is one of the paper's.
pub(super) fn papers_name(table: Fingerprint) -> Option<&'static str> {
    let of_table = |known: &&PapersTable| Fingerprint::from_str(&known.fingerprint) == Ok(table);
    TABLES
        .iter()
        .find(of_table)
        .map(|known| known.blackbox.as_str())
}

/// The departures that concern all methods of a black box.
pub(super) fn departures(is_papers_table: bool, baseline: Baseline) -> Vec<Departure> {
    let mut departures = Vec::new();
    if !is_papers_table {
        departures.push(Departure::OtherTable);
    }
    // The exact expectation is the mean of endlessly many random searches, hence the paper's up to chance.
    if baseline == Baseline::ExactWithReplacement {
        departures.push(Departure::OtherBaseline);
    }
    departures
}

/// The parameters of a method that are neither defaults nor the paper's, such as `bandwidth = 0.1`.
pub(super) fn other_parameters(planned: Option<&Blackbox>, method: &str) -> Vec<String> {
    let methods = planned.map_or(&[][..], |blackbox| &blackbox.methods);
    let own = |spec: &&MethodSpec| spec.label() == method;
    let parameters = methods.iter().filter(own).flat_map(|spec| &spec.parameters);
    let others = parameters.filter(|(name, value)| {
        let parameter = (name.as_str(), value.as_str());
        !PAPERS_PARAMETERS.contains(&parameter)
    });
    others
        .map(|(name, value)| format!("{name} = {value}"))
        .collect()
}
