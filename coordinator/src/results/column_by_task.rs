//! Reads a further column of a table: a second objective, or what evaluations cost.

use loto_engine::table::Table;
use loto_engine::table::error::TableError;
use loto_proto::table_spec::{Direction, Features, Repeats, TableSpec};

/// The values of a column of a table by task and row, the means where measurements are repeated; messages call the table `name`.
///
/// # Errors
/// [`TableError`] if the file is no such table, or has no such column of finite numbers.
pub(crate) fn column_by_task(
    file: &[u8],
    spec: &TableSpec,
    column: &str,
    name: &str,
) -> Result<Vec<Vec<f64>>, TableError> {
    // Which rows there are follows from the configurations alone.
    let spec = TableSpec {
        objective: column.to_owned(),
        further_objectives: Vec::new(),
        direction: Direction::Minimise,
        features: Features::default(),
        source_rows: None,
        repeats: match spec.repeats {
            Repeats::Refused => Repeats::Refused,
            Repeats::Mean | Repeats::Draw => Repeats::Mean,
        },
        ..spec.clone()
    };
    let table = Table::read(file, &spec, name)?;
    Ok(table.tasks.into_iter().map(|task| task.objective).collect())
}
