//! First evaluations that are given.

use loto_proto::initial_rows::InitialRows;

use super::*;

/// The trace of a method on the task `two`, whose first rows are given, under a fingerprint of the test.
fn trace_from(
    runner: &TraceRunner,
    given: &[u32],
    method: &str,
    seed: u32,
) -> Result<Trace, EngineError> {
    let spaces = methods::find(method)?.spaces;
    let (spec, text) = suited(table(), spaces);
    let mut table = Table::read(text.as_bytes(), &spec, "table")?;
    table.fingerprint = Fingerprint([5 + spaces as u8; 16]);
    let mut initial = InitialRows::default();
    for &row in given {
        initial.add("two", 1, row);
    }
    table.initial = initial;
    let mut job = job(method, table.fingerprint, seed);
    job.series.iterations = 12;
    runner.run_on(&table, &job, CpuWatch::start(), String::new())
}

#[test]
fn every_method_begins_with_the_rows_that_are_given() {
    let runner = TraceRunner::new(Arc::new(MemoryBlobs::default()));
    for method in methods::registry() {
        for given in [&[17][..], &[9, 8, 7, 6, 5, 4, 3, 2]] {
            let trace = trace_from(&runner, given, method.id, 1).unwrap();
            assert_eq!(trace.rows[..given.len()], *given, "{}", method.id);
            let distinct: BTreeSet<u32> = trace.rows.iter().copied().collect();
            assert_eq!(distinct.len(), 12, "{}: {:?}", method.id, trace.rows);
        }
    }
}

#[test]
fn given_rows_take_the_place_of_those_that_a_method_begins_with() {
    let runner = TraceRunner::new(Arc::new(MemoryBlobs::default()));
    // Methods that draw nothing while they begin go on as if they had chosen the rows themselves.
    for method in [
        "rs",
        "gp",
        "gcp",
        "gp-prior",
        "gcp-prior",
        "autogp",
        "ws-gp",
        "ablr",
        "sgpt",
        "sgpt-copula",
    ] {
        let own = trace_from(&runner, &[], method, 1).unwrap();
        let given = trace_from(&runner, &own.rows[..5], method, 1).unwrap();
        assert_eq!(
            (given.rows, given.values),
            (own.rows, own.values),
            "{method}"
        );
    }
    // They are given for one seed only.
    let other = trace_from(&runner, &[17, 18], "gp", 2).unwrap();
    assert_eq!(other.rows, trace_from(&runner, &[], "gp", 2).unwrap().rows);
}

#[test]
fn the_blob_of_a_table_has_them_and_a_row_that_is_not_there_is_named() {
    let (mut spec, text) = table();
    for row in [11, 120] {
        spec.initial.add("two", 1, row);
    }
    let (runner, _, fingerprint) = runner_of(&spec, &text);
    let error = runner.run(&job("rs", fingerprint, 1)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("row 120 is to be evaluated first"),
        "{error}"
    );
    let trace = runner.run(&job("rs", fingerprint, 0)).unwrap();
    assert!(!trace.rows.is_empty());
}
