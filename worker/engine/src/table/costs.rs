//! What the evaluations of a table cost. No method sees it, so it is no part of the table.

use loto_proto::table_spec::{Direction, Features, Repeats, TableSpec};

use super::csv_reader;
use super::error::{TableError, TableProblem};
use super::fields::cost;
use super::file::{of_table, with_csv};
use super::lookup_table::Table;

impl Table {
    /// Reads what each evaluation costs from a `column` of the file: per task, in the order of the table's tasks, the cost
    /// of each row. All are above 0; where measurements are repeated, a cost is their mean.
    ///
    /// # Errors
    /// [`TableError`], which calls the table `name`: as [`Self::read`], and for a cost that is not above 0.
    pub fn read_costs(
        file: &[u8],
        spec: &TableSpec,
        column: &str,
        name: &str,
    ) -> Result<Vec<Vec<f64>>, TableError> {
        // The rows are those of the table: they follow from the configurations alone.
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
        let contents = with_csv(file, |csv| csv_reader::read(csv, &spec, cost));
        let contents = contents.map_err(|problem| match problem {
            TableProblem::UnknownObjective {
                objective: column,
                suggestion,
            } => TableProblem::UnknownCost { column, suggestion },
            problem => problem,
        });
        let contents = contents.map_err(|problem| of_table(name, problem))?;
        let tasks = contents.tasks.into_iter();
        Ok(tasks.map(|task| task.objective).collect())
    }
}
