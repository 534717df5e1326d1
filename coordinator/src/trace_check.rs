//! Checks a trace from the store against its task's table.

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

    /// It evaluates a row more than once.
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

/// Says what is wrong with a trace, if anything: it must have `iterations`
/// evaluations, of rows that the task has, each at most once, with the values
/// that the table gives (`objective`, by row), if the table is known.
pub(crate) fn check(
    trace: &Trace,
    iterations: u32,
    objective: Option<&[f64]>,
) -> Result<(), TraceProblem> {
    if trace.rows.len() != iterations as usize {
        return Err(TraceProblem::Length {
            found: trace.rows.len(),
            planned: iterations,
        });
    }
    if let Some(objective) = objective {
        check_values(trace, objective)?;
    }
    let mut rows = trace.rows.clone();
    rows.sort_unstable();
    match rows.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(TraceProblem::RepeatedRow(pair[0])),
        None => Ok(()),
    }
}

fn check_values(trace: &Trace, objective: &[f64]) -> Result<(), TraceProblem> {
    for (iteration, (&row, &value)) in (1..).zip(trace.rows.iter().zip(&trace.values)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECTIVE: [f64; 4] = [0.5, 0.25, 0.75, 0.25];

    fn checked(rows: &[u32], values: &[f64]) -> Result<(), TraceProblem> {
        let trace = Trace {
            rows: rows.to_vec(),
            values: values.to_vec(),
            microseconds: vec![0; rows.len()],
            preparation_microseconds: 0,
            linear_algebra: String::new(),
            program: Default::default(),
        };
        check(&trace, 3, Some(&OBJECTIVE))
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
