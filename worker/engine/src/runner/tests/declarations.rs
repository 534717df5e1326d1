//! What a sweep file declares about a table, seen in the rows that methods choose.
//!
//! The tables of a pair have different bytes, so that their random streams would differ, too; here both
//! go under one fingerprint, and rows may differ only where the mathematics does.

use loto_proto::scale::Scale;
use loto_proto::table_spec::{Direction, SourceTasks};

use super::*;
use crate::blas::pinned_test::is_pinned;

/// The rows that a method chooses on the task `two` of a table, under a fingerprint of the test.
fn trace_on(spec: &TableSpec, text: &str, method: &str, seed: u32, iterations: u32) -> Trace {
    let mut table = Table::read(text.as_bytes(), spec, "table").unwrap();
    table.fingerprint = Fingerprint([5; 16]);
    let runner = TraceRunner::new(Arc::new(MemoryBlobs::default()));
    let mut job = job(method, table.fingerprint, seed);
    job.series.iterations = iterations;
    runner
        .run_on(&table, &job, CpuWatch::start(), String::new())
        .unwrap()
}

/// Iterations where the two tables differ by rounding errors: later on, candidates that are equally good to the
/// last digits but two may be chosen in another order. With some kernels of OpenBLAS that happens earlier, so that such tests run
/// with the pinned ones.
const FIRST: u32 = 10;

/// Checks for every method, but those that are left out, that two tables lead to the same rows.
fn assert_same_rows(
    one: &(TableSpec, String),
    other: &(TableSpec, String),
    iterations: u32,
    left_out: &[&str],
) {
    let methods = methods::registry().iter();
    for method in methods.filter(|method| !left_out.contains(&method.id)) {
        if method.spaces == Spaces::Categorical && one.0.scales != other.0.scales {
            // Categorical columns have no scale.
            continue;
        }
        if method.spaces == Spaces::WithFeatures && one.0.sources != other.0.sources {
            // Features are scaled over all tasks of the table, whichever are sources.
            continue;
        }
        let is_alike =
            one.0.direction == other.0.direction && one.0.source_rows == other.0.source_rows;
        if method.spaces == Spaces::OfTwoObjectives && !is_alike {
            // Several objectives have no direction, and no source plays a part; the second one is that of the line.
            continue;
        }
        let trace = |(spec, text): &(TableSpec, String)| {
            let (spec, text) = suited((spec.clone(), text.clone()), method.spaces);
            trace_on(&spec, &text, method.id, 1, iterations)
        };
        let (first, second) = (trace(one), trace(other));
        assert_eq!(first.rows, second.rows, "{}", method.id);
    }
}

/// Each line of the table with another field in the place of the column `position`.
fn with_field(text: &str, position: usize, change: impl Fn(&str) -> String) -> String {
    let mut lines = text.lines();
    let mut changed = format!("{}\n", lines.next().unwrap());
    for line in lines {
        let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        fields[position] = change(&fields[position]);
        changed.push_str(&fields.join(","));
        changed.push('\n');
    }
    changed
}

#[test]
fn accuracies_that_are_maximised_lead_where_errors_do() {
    const TEST: &str =
        "runner::tests::declarations::accuracies_that_are_maximised_lead_where_errors_do";
    if !is_pinned(TEST) {
        return;
    }
    let (spec, text) = table();
    // Multiples of 2^-10, so that 1 - accuracy is the error to the last bit. Means of the two are rounded at
    // different magnitudes all the same, so that standardised values differ in their last digits.
    // The fit of the network of `ablr` makes enough of that to choose otherwise.
    let round = |field: &str| (field.parse::<f64>().unwrap() * 16.0).round() / 1024.0;
    let errors = with_field(&text, 2, |field| round(field).to_string());
    let accuracies = with_field(&text, 2, |field| (1.0 - round(field)).to_string());
    let maximised = TableSpec {
        direction: Direction::Maximise,
        ..spec.clone()
    };
    assert_same_rows(
        &(spec, errors),
        &(maximised.clone(), accuracies.clone()),
        FIRST,
        &["ablr"],
    );
    // What a trace keeps is what is minimised.
    let trace = trace_on(&maximised, &accuracies, "rs", 0, FIRST);
    let table = Table::read(accuracies.as_bytes(), &maximised, "table").unwrap();
    let best = table.task("two").unwrap().objective[trace.rows[0] as usize];
    assert_eq!(trace.values[0], best);
    assert!(trace.values.iter().any(|&value| value < 0.0));
}

#[test]
fn what_is_maximised_leads_where_its_negative_does_to_the_last_iteration() {
    let (spec, text) = table();
    let negatives = with_field(&text, 2, |field| {
        let error: f64 = field.parse().unwrap();
        (-error).to_string()
    });
    let maximised = TableSpec {
        direction: Direction::Maximise,
        ..spec.clone()
    };
    // Nothing is rounded, so no tie can be broken otherwise.
    assert_same_rows(&(spec, text), &(maximised, negatives), 30, &[]);
}

#[test]
fn exponentials_on_a_log_scale_lead_where_the_numbers_do() {
    const TEST: &str =
        "runner::tests::declarations::exponentials_on_a_log_scale_lead_where_the_numbers_do";
    if !is_pinned(TEST) {
        return;
    }
    let (spec, text) = table();
    // Powers of 4, whose logarithms are off by a rounding.
    let powers = with_field(&text, 0, |field| {
        let x: f64 = field.parse().unwrap();
        4_f64.powf(x * 9.0 - 5.0).to_string()
    });
    let log = TableSpec {
        scales: [("hp_x".to_owned(), Scale::Log)].into(),
        ..spec.clone()
    };
    assert_same_rows(&(spec, text), &(log, powers), FIRST, &[]);
}

#[test]
fn named_sources_are_all_that_methods_learn_from() {
    let (spec, text) = table();
    let lines = text.lines().filter(|line| !line.ends_with(",three"));
    let alone: String = lines.map(|line| format!("{line}\n")).collect();
    let named = TableSpec {
        sources: SourceTasks {
            named: ["one".to_owned()].into(),
            most: 0,
        },
        ..spec.clone()
    };
    assert_same_rows(&(spec.clone(), alone), &(named, text.clone()), FIRST, &[]);
    let all = trace_on(&spec, &text, "gcp-prior", 1, FIRST);
    let one = trace_on(
        &TableSpec {
            sources: SourceTasks {
                named: ["one".to_owned()].into(),
                most: 0,
            },
            ..spec
        },
        &text,
        "gcp-prior",
        1,
        FIRST,
    );
    assert_ne!(all.rows, one.rows, "the third task tells nothing");
}

#[test]
fn thinned_sources_are_sources_with_fewer_rows() {
    let (spec, text) = table();
    // Every third row of each task, and all rows of the target.
    let is_kept = |number: usize, line: &str| number % 3 == 1 || line.contains(",two");
    let mut marked = String::new();
    let mut thin = String::new();
    for (number, line) in text.lines().enumerate() {
        let kept = is_kept(number, line);
        let mark = match number {
            0 => "kept",
            _ => ["0", "1"][usize::from(number % 3 == 1)],
        };
        marked += &format!("{line},{mark}\n");
        if number == 0 || kept {
            thin += &format!("{line}\n");
        }
    }
    let marked_spec = TableSpec {
        source_rows: Some("kept".to_owned()),
        ..spec.clone()
    };
    // The axis of `hp_x` is that of all rows, whose ends the target has.
    assert_same_rows(&(spec, thin), &(marked_spec, marked), FIRST, &[]);
}
