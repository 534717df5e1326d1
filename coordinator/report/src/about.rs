//! What a report says of its making: data, methods, versions, time.

use std::collections::BTreeMap;

use loto_proto::protocol::Protocol;
use loto_proto::sweep::Blackbox;
use loto_proto::table_spec::{Direction, Features, Repeats, TableSpec};
use serde::Serialize;

use crate::numbers;

/// What a report says of its making; `about` in `statistics.json`, and `about.json` beside the CSV files.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct About {
    /// The version of loto that wrote the report.
    pub loto: String,
    /// Id of the sweep; absent for traces that were recorded elsewhere.
    pub sweep: Option<String>,
    /// The black boxes with their tables, as far as the tables are known.
    pub blackboxes: Vec<AboutBlackbox>,
    /// The methods, each once per set of parameters.
    pub methods: Vec<AboutMethod>,
    /// All that differs between two reports of the same traces.
    pub made: Made,
}

/// A black box and its table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AboutBlackbox {
    /// Its name.
    pub name: String,
    /// The fingerprint of its table: a hash of the file and of what is declared about it.
    pub table: String,
    /// Name of the table's file, or what the table itself calls the black box, if either is known.
    pub table_name: Option<String>,
    /// The column that is optimised.
    pub objective: String,
    /// The columns that are optimised together with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further_objectives: Vec<String>,
    /// The column of what an evaluation costs, if one is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// Whether it is minimised or maximised.
    pub direction: Direction,
    /// Number of tasks in the table.
    pub table_tasks: usize,
    /// Number of rows in the table.
    pub table_rows: usize,
    /// The tasks that methods learn from; if there are none, every task but the target.
    pub sources: Vec<String>,
    /// At most so many of them, drawn for each target and seed; 0 if there is no limit.
    pub most_sources: u32,
    /// What counts where a configuration was measured several times: `mean`, or `draw` where methods are shown one
    /// measurement, drawn by the seed, and scored by the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<&'static str>,
    /// `stream` if the tasks arrive one after the other, and methods learn from their own evaluations on earlier ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<&'static str>,
    /// The columns whose numbers describe the tasks, or `all` of those that the table has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// The column that says which rows methods learn from where a task is a source; all rows if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_rows: Option<String>,
    /// The hyperparameters, in the order of their columns.
    pub hyperparameters: Vec<AboutHyperparameter>,
}

/// A hyperparameter and how its values become coordinates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AboutHyperparameter {
    /// Name of the column.
    pub column: String,
    /// Its scale: linear, log, ordinal, categorical or boolean.
    pub scale: &'static str,
    /// The levels of an ordinal scale, if they are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<String>,
}

/// A method as it was run. Of one whose traces another program recorded, nothing but the name is known.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AboutMethod {
    /// What the report calls it.
    pub name: String,
    /// Its id; absent if its traces were recorded elsewhere.
    pub id: Option<String>,
    /// The version of its code; absent if its traces were recorded elsewhere.
    pub version: Option<u32>,
    /// The file with its traces, if they were recorded elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_in: Option<String>,
    /// Hash of the program, if the method is an external one.
    pub program: Option<String>,
    /// Parameters that differ from the defaults.
    pub parameters: BTreeMap<String, String>,
    /// Parameters that are at their defaults, as far as they are known.
    pub defaults: BTreeMap<String, String>,
    /// Where it is published, if that is known.
    pub source: Option<String>,
    /// The black boxes on which it was run so.
    pub blackboxes: Vec<String>,
    /// What became of its proposals, if it is an external one and traces are finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposals: Option<AboutProposals>,
}

/// What became of the proposals of an external method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AboutProposals {
    /// Number of evaluations in its finished traces.
    pub evaluations: u64,
    /// How many of them are of the nearest row to what it proposed, which the table lacks or was evaluated already.
    pub moved: u64,
    /// What its program said that it ran on; more than one if workers differ.
    pub versions: Vec<String>,
}

/// All that differs between two reports of the same traces.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Made {
    /// When the report was written, in UTC: `2026-01-31T12:00:00Z`.
    pub at: String,
    /// The command that wrote it.
    pub command: String,
}

impl AboutBlackbox {
    /// A black box of a sweep with its table: as it was declared, and what it holds.
    pub fn new(
        blackbox: &Blackbox,
        spec: &TableSpec,
        columns: impl IntoIterator<Item = String>,
        (table_tasks, table_rows): (usize, usize),
        table_name: Option<String>,
    ) -> Self {
        let hyperparameter = |column: String| {
            let scale = spec.scale(&column);
            AboutHyperparameter {
                column,
                scale: scale.word(),
                levels: scale.levels().to_vec(),
            }
        };
        Self {
            name: blackbox.name.clone(),
            table: blackbox.table.to_string(),
            table_name,
            objective: spec.objective.clone(),
            further_objectives: spec.further_objectives.clone(),
            cost: blackbox.cost.clone(),
            direction: spec.direction,
            table_tasks,
            table_rows,
            sources: spec.sources.named.iter().cloned().collect(),
            most_sources: spec.sources.most,
            repeats: match spec.repeats {
                Repeats::Refused => None,
                Repeats::Mean => Some("mean"),
                Repeats::Draw => Some("draw"),
            },
            protocol: (spec.protocol == Protocol::Stream).then_some("stream"),
            features: match &spec.features {
                Features::All => vec!["all".to_owned()],
                Features::Columns(columns) => columns.iter().cloned().collect(),
            },
            source_rows: spec.source_rows.clone(),
            hyperparameters: columns.into_iter().map(hyperparameter).collect(),
        }
    }

    /// The objective with its direction, for readers.
    pub(crate) fn objective_in_words(&self) -> String {
        format!(
            "{}, {}",
            self.objectives(),
            direction_in_words(self.direction)
        )
    }

    /// The columns of all objectives.
    pub(crate) fn objectives(&self) -> String {
        let further = self.further_objectives.iter();
        let all = std::iter::once(&self.objective).chain(further);
        all.map(String::as_str).collect::<Vec<_>>().join(" and ")
    }
}

/// A direction, for readers.
pub(crate) fn direction_in_words(direction: Direction) -> &'static str {
    match direction {
        Direction::Minimise => "minimised",
        Direction::Maximise => "maximised",
    }
}

/// The sign that says which values are good.
pub(crate) fn direction_arrow(direction: Direction) -> &'static str {
    match direction {
        Direction::Minimise => "\u{2193}",
        Direction::Maximise => "\u{2191}",
    }
}

impl AboutMethod {
    /// The parameters that were set, and those at their defaults, for readers.
    pub(crate) fn parameters_in_words(&self) -> String {
        let listed = |parameters: &BTreeMap<String, String>| {
            let one = |(name, value)| format!("{name} = {value}");
            parameters.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        if let Some(file) = &self.recorded_in {
            return format!("not known: recorded in {file}");
        }
        match (self.parameters.is_empty(), self.defaults.is_empty()) {
            (true, true) if self.program.is_some() => "those of the program".into(),
            (true, true) => "none".into(),
            (true, false) => format!("defaults: {}", listed(&self.defaults)),
            (false, true) => listed(&self.parameters),
            (false, false) => format!(
                "{}; defaults: {}",
                listed(&self.parameters),
                listed(&self.defaults)
            ),
        }
    }
}

impl About {
    /// What became of the proposals of external methods, a sentence for each.
    pub(crate) fn proposals_in_words(&self) -> impl Iterator<Item = String> {
        self.methods.iter().filter_map(|method| {
            let proposals = method.proposals.as_ref()?;
            let (moved, evaluations) = (proposals.moved, proposals.evaluations);
            let percent = 100.0 * moved as f64 / evaluations.max(1) as f64;
            let ran_on = match proposals.versions.as_slice() {
                [] => "it did not say what it ran on".to_owned(),
                versions => format!("it ran on {}", versions.join("; and on ")),
            };
            Some(format!(
                "{}: {} of {} proposals ({percent:.1} %) were moved to the nearest row that was not evaluated; {ran_on}; \
                 its seconds are those that passed, not processor time.",
                method.name,
                numbers::grouped(moved),
                numbers::grouped(evaluations),
            ))
        })
    }

    /// What is known of a black box and its table.
    pub(crate) fn blackbox(&self, name: &str) -> Option<&AboutBlackbox> {
        self.blackboxes.iter().find(|known| known.name == name)
    }
}
