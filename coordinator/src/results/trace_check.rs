//! Checks a trace from the store against its task's table.

use loto_proto::trace::Trace;

/// Says what is wrong with a trace, if anything: it must have `iterations`
/// evaluations, of rows that the task has, each at most once, with the values
/// that the table gives (`objective`, by row).
pub(super) fn check(trace: &Trace, iterations: u32, objective: &[f64]) -> Result<(), String> {
    if trace.rows.len() != iterations as usize {
        let found = trace.rows.len();
        return Err(format!(
            "it has {found} iterations, planned are {iterations}"
        ));
    }
    for (index, (&row, &value)) in trace.rows.iter().zip(&trace.values).enumerate() {
        let iteration = index + 1;
        match objective.get(row as usize) {
            None => {
                return Err(format!(
                    "iteration {iteration} evaluates row {row}, the task has {} rows",
                    objective.len()
                ));
            }
            Some(&expected) if expected != value => {
                return Err(format!(
                    "iteration {iteration} has the value {value}, row {row} of the table has {expected}"
                ));
            }
            Some(_) => {}
        }
    }
    let mut rows = trace.rows.clone();
    rows.sort_unstable();
    match rows.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("it evaluates row {} twice", pair[0])),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECTIVE: [f64; 4] = [0.5, 0.25, 0.75, 0.25];

    fn checked(rows: &[u32], values: &[f64]) -> Result<(), String> {
        let trace = Trace {
            rows: rows.to_vec(),
            values: values.to_vec(),
            microseconds: vec![0; rows.len()],
            preparation_microseconds: 0,
            linear_algebra: String::new(),
        };
        check(&trace, 3, &OBJECTIVE)
    }

    #[test]
    fn a_trace_of_the_table_passes() {
        assert_eq!(checked(&[3, 0, 1], &[0.25, 0.5, 0.25]), Ok(()));
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
            let problem = checked(rows, values).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
