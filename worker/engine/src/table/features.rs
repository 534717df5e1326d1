//! Features of tasks: columns with numbers that describe a task, the same in all of its rows.

use csv::ByteRecord;
use loto_proto::excerpt::excerpt;
use loto_proto::suggestion::suggest;
use loto_proto::table_spec::Features;

use super::error::{FieldError, TableProblem};
use super::fields::number;
use super::lookup_table::Task;

/// What the names of the columns begin with that `features = "all"` stands for.
const PREFIX: &str = "dataset_";

/// A column with a feature.
pub(super) struct FeatureColumn {
    position: usize,
    name: String,
}

/// Finds the columns of features, in their order in the table.
pub(super) fn find(
    names: &[String],
    declared: &Features,
) -> Result<Vec<FeatureColumn>, TableProblem> {
    let is_declared = |name: &String| match declared {
        Features::All => name.starts_with(PREFIX),
        Features::Columns(columns) => columns.contains(name),
    };
    match declared {
        Features::All if !names.iter().any(is_declared) => {
            return Err(TableProblem::NoFeatures { prefix: PREFIX });
        }
        Features::All => {}
        Features::Columns(columns) => {
            if let Some(unknown) = columns.iter().find(|wanted| !names.contains(wanted)) {
                let described = names.iter().filter(|name| name.starts_with(PREFIX));
                let described: Vec<&str> = described.map(String::as_str).collect();
                return Err(TableProblem::UnknownFeature {
                    column: excerpt(unknown),
                    suggestion: match described.as_slice() {
                        [] => format!("the table has no {PREFIX}* column"),
                        described => suggest(unknown, described),
                    },
                });
            }
        }
    }
    let found = names
        .iter()
        .enumerate()
        .filter(|(_, name)| is_declared(name));
    let columns = found.map(|(position, name)| FeatureColumn {
        position,
        name: name.clone(),
    });
    Ok(columns.collect())
}

/// Reads the features of a row into those of its task, which are empty before its first row.
pub(super) fn read(
    record: &ByteRecord,
    columns: &[FeatureColumn],
    features: &mut Vec<f64>,
    line: u64,
) -> Result<(), TableProblem> {
    let is_first = features.is_empty();
    for (index, column) in columns.iter().enumerate() {
        let of_column = |error: FieldError| error.at(line, &column.name);
        let value = number(&record[column.position]).map_err(of_column)?;
        if is_first {
            features.push(value);
        } else if features[index] != value {
            let expected = features[index];
            let found = value;
            return Err(of_column(FieldError::ChangedFeature { found, expected }));
        }
    }
    Ok(())
}

/// Scales each feature to [0, 1] over all tasks; one that is the same for all of them becomes 0.
pub(super) fn scale(tasks: &mut [Task]) {
    let count = tasks.first().map_or(0, |task| task.features.len());
    for index in 0..count {
        let values = tasks.iter().map(|task| task.features[index]);
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let greatest = values.fold(f64::NEG_INFINITY, f64::max);
        for task in &mut *tasks {
            let value = &mut task.features[index];
            *value = match greatest > least {
                true => (*value - least) / (greatest - least),
                false => 0.0,
            };
        }
    }
}
