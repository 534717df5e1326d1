//! Checks a trace from the store against its task's table.

use std::ops::Range;

use loto_proto::job::Job;
use loto_proto::table_spec::Direction;
use loto_proto::trace::Trace;
use loto_proto::untrusted_text::escape;
use loto_transport::TransportError;

/// A finished trace that cannot be read, or does not fit its job and table.
#[derive(Debug, thiserror::Error)]
#[error(
    "the trace of job {} ({} on {}, seed {}) is corrupt: {problem}",
    job.id(),
    escape(job.series.method.label()),
    escape(&job.series.task),
    job.seed
)]
pub struct DamagedTrace {
    /// The job.
    pub job: Box<Job>,
    /// What is wrong with it.
    #[source]
    pub problem: TraceProblem,
}

/// What is wrong with a trace in the store.
#[derive(Debug, thiserror::Error)]
pub enum TraceProblem {
    /// It is shorter or longer than the plan says.
    #[error("it has {found} iterations, planned are {planned}")]
    Length {
        /// Iterations that it has.
        found: usize,
        /// Iterations that it should have.
        planned: u32,
    },

    /// It evaluates a row beyond the end of the table.
    #[error("iteration {iteration} evaluates row {row}, the task has {rows} rows")]
    UnknownRow {
        /// Where, counted from 1.
        iteration: usize,
        /// The row.
        row: u32,
        /// Number of rows of the task.
        rows: usize,
    },

    /// It has another objective value for a row than the table.
    #[error("iteration {iteration} has the value {value}, row {row} of the table has {expected}")]
    WrongValue {
        /// Where, counted from 1.
        iteration: usize,
        /// The row.
        row: u32,
        /// The value in the trace.
        value: f64,
        /// The value in the table.
        expected: f64,
    },

    /// It has the values of more or fewer objectives than the table.
    #[error("it has the values of {found} objectives, the table has {expected}")]
    Objectives {
        /// Objectives of the trace.
        found: usize,
        /// Objectives of the table.
        expected: usize,
    },

    /// It has another value of a further objective for a row than the table.
    #[error(
        "iteration {iteration} has the value {value} of objective {objective}, row {row} of the table has {expected}"
    )]
    WrongFurtherValue {
        /// Where, counted from 1.
        iteration: usize,
        /// Which objective, counted from 1.
        objective: usize,
        /// The row.
        row: u32,
        /// The value in the trace.
        value: f64,
        /// The value in the table.
        expected: f64,
    },

    /// It evaluates a row of a task more than once.
    #[error("it evaluates row {0} twice")]
    RepeatedRow(u32),

    /// Its bytes are no trace.
    #[error("{}", without_store(.0))]
    Unreadable(#[source] TransportError),
}

impl TraceProblem {
    /// The problem with values in the user's units. Traces hold values as they are minimised.
    pub(crate) fn in_users_units(self, direction: Direction) -> Self {
        match self {
            Self::WrongValue {
                iteration,
                row,
                value,
                expected,
            } => Self::WrongValue {
                iteration,
                row,
                value: direction.turn(value),
                expected: direction.turn(expected),
            },
            other => other,
        }
    }
}

/// The key of a damaged value without its store, which the user knows.
fn without_store(error: &TransportError) -> String {
    match error {
        TransportError::CorruptValue { key, reason, .. } => format!("{key}: {reason}"),
        other => other.to_string(),
    }
}

/// What a table says of a task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskValues<'a> {
    /// The values of the objective by row, of the first one if there are several.
    pub(crate) objective: &'a [f64],
    /// Those of the other objectives, a column each.
    pub(crate) further: &'a [Vec<f64>],
}

/// Says what is wrong with a trace, if anything: it must have `iterations` evaluations, the same number on each of its
/// tasks, of rows that the task has, each at most once, with the values that the table gives (`tasks`: of each task),
/// if the table is known.
pub(crate) fn check(
    trace: &Trace,
    iterations: u32,
    tasks: &[Option<TaskValues>],
) -> Result<(), TraceProblem> {
    if trace.rows.len() != iterations as usize {
        return Err(TraceProblem::Length {
            found: trace.rows.len(),
            planned: iterations,
        });
    }
    let on_each = trace.rows.len().checked_div(tasks.len()).unwrap_or(0);
    let starts = (0..).step_by(on_each.max(1));
    for (start, values) in starts.zip(tasks) {
        check_task(trace, start..start + on_each, *values)?;
    }
    Ok(())
}

/// Checks the evaluations on one task, which are those at the positions `range`.
fn check_task(
    trace: &Trace,
    range: Range<usize>,
    values: Option<TaskValues>,
) -> Result<(), TraceProblem> {
    if let Some(values) = values {
        check_values(trace, range.clone(), values.objective)?;
        check_further(trace, range.clone(), values.further)?;
    }
    let mut rows = trace.rows[range].to_vec();
    rows.sort_unstable();
    match rows.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(TraceProblem::RepeatedRow(pair[0])),
        None => Ok(()),
    }
}

fn check_values(trace: &Trace, range: Range<usize>, objective: &[f64]) -> Result<(), TraceProblem> {
    for index in range {
        let (iteration, row, value) = (index + 1, trace.rows[index], trace.values[index]);
        match objective.get(row as usize) {
            None => {
                return Err(TraceProblem::UnknownRow {
                    iteration,
                    row,
                    rows: objective.len(),
                });
            }
            Some(&expected) if expected != value => {
                return Err(TraceProblem::WrongValue {
                    iteration,
                    row,
                    value,
                    expected,
                });
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Checks the values of the objectives beside the first, once it is known that the task has the rows.
fn check_further(
    trace: &Trace,
    range: Range<usize>,
    further: &[Vec<f64>],
) -> Result<(), TraceProblem> {
    let (found, expected) = (trace.objectives(), 1 + further.len());
    if found != expected {
        return Err(TraceProblem::Objectives { found, expected });
    }
    for index in range {
        let row = trace.rows[index];
        let values = trace.objectives_of(index).skip(1).zip(further);
        for (objective, (value, column)) in (2..).zip(values) {
            let expected = column[row as usize];
            if expected != value {
                return Err(TraceProblem::WrongFurtherValue {
                    iteration: index + 1,
                    objective,
                    row,
                    value,
                    expected,
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECTIVE: [f64; 4] = [0.5, 0.25, 0.75, 0.25];

    fn checked(rows: &[u32], values: &[f64]) -> Result<(), TraceProblem> {
        let trace = Trace {
            rows: rows.to_vec(),
            values: values.to_vec(),
            further_values: Vec::new(),
            microseconds: vec![0; rows.len()],
            preparation_microseconds: 0,
            linear_algebra: String::new(),
            program: Default::default(),
        };
        check(&trace, 3, &[Some(of_one_objective(&OBJECTIVE))])
    }

    fn of_one_objective(objective: &[f64]) -> TaskValues<'_> {
        TaskValues {
            objective,
            further: &[],
        }
    }

    #[test]
    fn the_values_of_further_objectives_are_those_of_the_table() {
        let further = [vec![1.0, 2.0, 3.0, 4.0], vec![10.0, 20.0, 30.0, 40.0]];
        let checked = |further_values: &[f64]| {
            let trace = Trace {
                rows: vec![3, 0],
                values: vec![0.25, 0.5],
                further_values: further_values.to_vec(),
                microseconds: vec![0; 2],
                preparation_microseconds: 0,
                linear_algebra: String::new(),
                program: Default::default(),
            };
            let values = TaskValues {
                objective: &OBJECTIVE,
                further: &further,
            };
            let problem = check(&trace, 2, &[Some(values)]);
            problem.map_err(|problem| problem.to_string())
        };
        checked(&[4.0, 40.0, 1.0, 10.0]).unwrap();
        let problem = checked(&[4.0, 40.0, 1.0, 20.0]).unwrap_err();
        assert!(
            problem
                .contains("iteration 2 has the value 20 of objective 3, row 0 of the table has 10"),
            "{problem}"
        );
        let problem = checked(&[4.0, 1.0]).unwrap_err();
        assert!(
            problem.contains("of 2 objectives, the table has 3"),
            "{problem}"
        );
        let problem = checked(&[]).unwrap_err();
        assert!(
            problem.contains("of 1 objectives, the table has 3"),
            "{problem}"
        );
    }

    #[test]
    fn each_task_of_a_stream_has_its_own_rows() {
        const OTHER: [f64; 2] = [7.0, 8.0];
        let checked = |rows: [u32; 4], values: [f64; 4], tasks: &[Option<TaskValues>]| {
            let trace = Trace {
                rows: rows.to_vec(),
                values: values.to_vec(),
                further_values: Vec::new(),
                microseconds: vec![0; 4],
                preparation_microseconds: 0,
                linear_algebra: String::new(),
                program: Default::default(),
            };
            check(&trace, 4, tasks).map_err(|problem| problem.to_string())
        };
        let known = [
            Some(of_one_objective(&OTHER)),
            Some(of_one_objective(&OBJECTIVE)),
        ];
        let values = [8.0, 7.0, 0.25, 0.5];
        checked([1, 0, 1, 0], values, &known).unwrap();
        // Of a table that is not there nothing but the length is known.
        checked([9, 9, 9, 9], values, &[]).unwrap();
        let problem = checked([1, 0, 1, 1], [8.0, 7.0, 0.25, 0.25], &known).unwrap_err();
        assert!(problem.contains("row 1 twice"), "{problem}");
        let problem = checked([1, 2, 1, 0], values, &known).unwrap_err();
        assert!(
            problem.contains("iteration 2 evaluates row 2, the task has 2 rows"),
            "{problem}"
        );
        let problem = checked([1, 0, 0, 1], values, &known).unwrap_err();
        assert!(
            problem.contains("iteration 3 has the value 0.25"),
            "{problem}"
        );
    }

    #[test]
    fn a_trace_of_the_table_passes() {
        checked(&[3, 0, 1], &[0.25, 0.5, 0.25]).unwrap();
    }

    #[test]
    fn values_of_what_is_maximised_are_told_as_the_user_has_them() {
        let problem = checked(&[3, 0, 1], &[0.25, 0.5, 0.5]).unwrap_err();
        let told = problem.in_users_units(Direction::Maximise).to_string();
        assert!(
            told.contains("has the value -0.5, row 1 of the table has -0.25"),
            "{told}"
        );
    }

    #[test]
    fn each_damage_is_named() {
        let cases: [(&[u32], &[f64], &str); 4] = [
            (&[3, 0], &[0.25, 0.5], "2 iterations, planned are 3"),
            (&[3, 4, 1], &[0.25, 0.5, 0.25], "row 4, the task has 4 rows"),
            (
                &[3, 0, 1],
                &[0.25, 0.5, 0.5],
                "iteration 3 has the value 0.5",
            ),
            (&[3, 0, 3], &[0.25, 0.5, 0.25], "row 3 twice"),
        ];
        for (rows, values, expected) in cases {
            let problem = checked(rows, values).unwrap_err().to_string();
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
