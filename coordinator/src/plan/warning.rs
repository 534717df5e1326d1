//! What a sweep file may say, but probably does not mean.

use std::fmt::{self, Display};

use loto_engine::table::Task;
use loto_engine::table::profile::{ColumnProfile, LogEvidence, Values};
use loto_proto::excerpt::{excerpt, list};
use loto_proto::sweep::Blackbox;
use loto_proto::sweep_file::BlackboxEntry;

use super::tables::PlannedTable;

/// Words in the names of objectives of which large values are good.
const GOOD_IF_LARGE: [&str; 19] = [
    "acc",
    "accuracy",
    "auc",
    "auroc",
    "auprc",
    "bleu",
    "f1",
    "iou",
    "kappa",
    "map",
    "mcc",
    "precision",
    "psnr",
    "r2",
    "recall",
    "return",
    "reward",
    "rouge",
    "score",
];

/// Words that turn the meaning of those.
const TURNED: [&str; 9] = [
    "1", "error", "inverse", "loss", "minus", "neg", "negated", "negative", "regret",
];

/// Most columns that a warning lists.
const MOST_COLUMNS: usize = 10;

/// One thing that is allowed, but probably not meant. Displayed, it is one line that says what to
/// write.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanWarning {
    /// The black box that it is about.
    pub blackbox: String,
    /// What is probably not meant.
    pub kind: WarningKind,
}

/// A kind of warning.
#[derive(Debug, Clone, PartialEq)]
pub enum WarningKind {
    /// Linear columns look as if they were meant to be searched by their logarithms.
    LogScale {
        /// The columns with what is seen in them.
        columns: Vec<(String, LogEvidence)>,
    },
    /// An objective that is minimised has the name of one that is maximised.
    Direction {
        /// The column.
        objective: String,
    },
    /// One of several objectives, all of which are minimised, has the name of one that is maximised.
    DirectionOfObjectives {
        /// The column.
        objective: String,
    },
    /// All rows of target or source tasks have the same objective value.
    ConstantTasks {
        /// The tasks.
        tasks: Vec<String>,
        /// The column.
        objective: String,
    },
    /// Rows have no value of categorical hyperparameters.
    EmptyLevels {
        /// Their columns.
        columns: Vec<String>,
    },
    /// Hyperparameters have the same value in all rows.
    ConstantColumns {
        /// Their columns.
        columns: Vec<String>,
    },
}

/// The line of a sweep file that gives columns a log scale.
fn suggested_scales<'a>(columns: impl Iterator<Item = &'a String>) -> String {
    let entry = |column: &String| match column.chars().all(is_bare) {
        true => format!("{column} = \"log\""),
        false => format!("{column:?} = \"log\""),
    };
    let mut columns = columns;
    let mut entries: Vec<String> = columns.by_ref().take(MOST_COLUMNS).map(entry).collect();
    if columns.next().is_some() {
        entries.push("...".to_owned());
    }
    format!("scales = {{ {} }}", entries.join(", "))
}

/// True for the characters of TOML keys that need no quotation marks.
fn is_bare(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

impl Display for PlanWarning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "black box `{}`: ", self.blackbox)?;
        let names = |names: &[String]| list(names.iter().map(String::as_str));
        match &self.kind {
            WarningKind::LogScale { columns } => {
                let shown = columns.iter().take(MOST_COLUMNS);
                let mut described: Vec<String> = shown
                    .map(|(column, evidence)| {
                        let evidence = describe(*evidence);
                        format!("{} ({evidence})", excerpt(column))
                    })
                    .collect();
                match columns.len().saturating_sub(MOST_COLUMNS) {
                    0 => {}
                    more => described.push(format!("{more} more")),
                }
                write!(
                    formatter,
                    "{} searched on a linear scale: write {} below its [[blackbox]], or \"linear\" \
                     for what is meant to be",
                    match described.as_slice() {
                        [one] => format!("{one} is"),
                        several => format!("{} are", several.join(", ")),
                    },
                    suggested_scales(columns.iter().map(|(column, _)| column)),
                )
            }
            WarningKind::Direction { objective } => write!(
                formatter,
                "{} is minimised: write direction = \"maximise\" below its [[blackbox]] if large \
                 values are good, direction = \"minimise\" if not",
                excerpt(objective)
            ),
            WarningKind::DirectionOfObjectives { objective } => write!(
                formatter,
                "{} is minimised, as all of several objectives are: if large values are good, give the table a column \
                 of their negatives and list that one",
                excerpt(objective)
            ),
            WarningKind::ConstantTasks { tasks, objective } => write!(
                formatter,
                "{objective} is the same in all rows of {}: all methods are equal there; leave such \
                 tasks out of the table",
                names(tasks)
            ),
            WarningKind::EmptyLevels { columns } => write!(
                formatter,
                "{} no value in some rows, which counts as a level of its own: write a name for it if that is meant, \
                 fill in the value or leave the rows out if not",
                match columns.as_slice() {
                    [one] => format!("{} has", excerpt(one)),
                    several => format!("{} have", names(several)),
                }
            ),
            WarningKind::ConstantColumns { columns } => write!(
                formatter,
                "{} the same in all rows: a hyperparameter that never changes tells nothing; leave it \
                 out of the table",
                match columns.as_slice() {
                    [one] => format!("{} is", excerpt(one)),
                    several => format!("{} are", names(several)),
                }
            ),
        }
    }
}

fn describe(evidence: LogEvidence) -> String {
    match evidence {
        LogEvidence::Grid { factor } => {
            format!("its values grow by the factor {}", rounded(factor))
        }
        LogEvidence::LowEnd { ratio } => format!(
            "its greatest value is {} times the least, and half of its values are in the lowest \
             fifth of the range",
            rounded(ratio)
        ),
    }
}

/// A number above 1, short: at most two decimals, and none from 100 on.
fn rounded(number: f64) -> String {
    match number {
        number if number >= 1e6 => format!("{number:.0e}"),
        number if number >= 100.0 => format!("{number:.0}"),
        number => {
            let text = format!("{number:.2}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

/// What is probably not meant about a black box.
pub(super) fn of_blackbox(
    entry: &BlackboxEntry,
    blackbox: &Blackbox,
    planned: &PlannedTable,
) -> Vec<PlanWarning> {
    let logarithmic = |column: &ColumnProfile| match column.log {
        Some(evidence) if !entry.declares_scale(&column.name) => {
            Some((column.name.clone(), evidence))
        }
        _ => None,
    };
    let columns: Vec<_> = planned.columns.iter().filter_map(logarithmic).collect();
    let mut kinds = Vec::new();
    if !columns.is_empty() {
        kinds.push(WarningKind::LogScale { columns });
    }
    let objectives = entry.objectives().iter();
    let is_suspect = |name: &&String| entry.direction.is_none() && is_good_if_large(name);
    kinds.extend(objectives.filter(is_suspect).cloned().map(|objective| {
        match entry.objectives().len() {
            1 => WarningKind::Direction { objective },
            _ => WarningKind::DirectionOfObjectives { objective },
        }
    }));
    let is_used = |task: &&Task| {
        blackbox.targets.contains(&task.name) || planned.spec.sources.admits(&task.name)
    };
    let tasks = planned.table.tasks.iter().filter(is_used);
    let is_flat = |task: &&Task| task.objectives().into_iter().all(is_constant);
    let constant = tasks.filter(is_flat);
    let tasks: Vec<String> = constant.map(|task| task.name.clone()).collect();
    if !tasks.is_empty() {
        let objective = entry.primary_objective().to_owned();
        kinds.push(WarningKind::ConstantTasks { tasks, objective });
    }
    let has_empty_level = |column: &&ColumnProfile| match &column.values {
        Values::Levels(levels) => levels.iter().any(String::is_empty),
        Values::Numbers { .. } => false,
    };
    let columns = planned.columns.iter().filter(has_empty_level);
    let columns: Vec<String> = columns.map(|column| column.name.clone()).collect();
    if !columns.is_empty() {
        kinds.push(WarningKind::EmptyLevels { columns });
    }
    let is_constant_column = |column: &&ColumnProfile| match &column.values {
        // Levels that are declared need not all occur.
        Values::Levels(levels) => levels.len() == 1,
        Values::Numbers { count, .. } => *count == 1,
    };
    let columns = planned.columns.iter().filter(is_constant_column);
    let columns: Vec<String> = columns.map(|column| column.name.clone()).collect();
    if !columns.is_empty() {
        kinds.push(WarningKind::ConstantColumns { columns });
    }
    let warning = |kind| PlanWarning {
        blackbox: entry.name.clone(),
        kind,
    };
    kinds.into_iter().map(warning).collect()
}

/// Whether a task with several rows has one objective value.
fn is_constant(objective: &[f64]) -> bool {
    objective.len() > 1 && objective.windows(2).all(|pair| pair[0] == pair[1])
}

/// Whether the name of an objective says that large values are good.
fn is_good_if_large(objective: &str) -> bool {
    let name = objective.to_lowercase();
    let words: Vec<&str> = name
        .split(|letter: char| !letter.is_alphanumeric())
        .collect();
    let is_there = |known: &[&str]| words.iter().any(|word| known.contains(word));
    is_there(&GOOD_IF_LARGE) && !is_there(&TURNED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_whether_large_values_are_good() {
        for name in [
            "metric_accuracy",
            "val_acc",
            "metric_AUC",
            "F1",
            "test-score",
            "metric_r2",
        ] {
            assert!(is_good_if_large(name), "{name}");
        }
        for name in [
            "metric_error",
            "metric_CRPS",
            "one_minus_accuracy",
            "1-auc",
            "accuracy_loss",
            "neg_score",
            "metric_account",
            "metric_runtime",
        ] {
            assert!(!is_good_if_large(name), "{name}");
        }
    }

    #[test]
    fn the_line_to_write_is_toml() {
        let columns = ["hp_lr".to_owned(), "hp_a \"b\".c".to_owned()];
        let line = suggested_scales(columns.iter());
        assert_eq!(
            line,
            r#"scales = { hp_lr = "log", "hp_a \"b\".c" = "log" }"#
        );
    }

    #[test]
    fn of_many_columns_the_first_are_listed() {
        let column = |number| (format!("hp_{number:03}"), LogEvidence::Grid { factor: 2.0 });
        let warning = PlanWarning {
            blackbox: "B".into(),
            kind: WarningKind::LogScale {
                columns: (0..500).map(column).collect(),
            },
        };
        let told = warning.to_string();
        assert!(told.len() < 1200, "{told}");
        assert!(
            told.contains("hp_009 (its values grow by the factor 2), 490 more are"),
            "{told}"
        );
        assert!(told.contains("hp_009 = \"log\", ... }"), "{told}");
    }

    #[test]
    fn factors_are_short() {
        let numbers = [2.0, 3.162_277, 1000.4, 128_000.0, 2.5e8].map(rounded);
        assert_eq!(numbers, ["2", "3.16", "1000", "128000", "2e8"]);
    }
}
