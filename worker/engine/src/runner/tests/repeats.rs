//! Repeated measurements, one of which is shown.

use loto_proto::table_spec::Repeats;

use super::*;

/// The table with two further measurements of each configuration, far enough from the first to matter.
fn repeated(spaces: Spaces, repeats: Repeats) -> Table {
    let (spec, text) = super::table();
    let mut lines = text.lines();
    let mut repeated = format!("{},seed\n", lines.next().unwrap());
    for (number, line) in lines.enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let error: f64 = fields[2].parse().unwrap();
        for seed in 0..3 {
            let measured = error + ((number * 7 + seed * 5) % 11) as f64 / 4.0;
            repeated.push_str(&format!(
                "{},{},{measured},{},{seed}\n",
                fields[0], fields[1], fields[3]
            ));
        }
    }
    let (spec, repeated) = suited((TableSpec { repeats, ..spec }, repeated), spaces);
    let mut table = Table::read(repeated.as_bytes(), &spec, "table").unwrap();
    table.fingerprint = Fingerprint([5; 16]);
    table
}

fn trace_on(table: &Table, method: &str, seed: u32) -> Trace {
    let runner = TraceRunner::new(Arc::new(MemoryBlobs::default()));
    let job = job(method, table.fingerprint, seed);
    let watch = CpuWatch::start();
    runner.run_on(table, &job, watch, String::new()).unwrap()
}

#[test]
fn methods_are_shown_the_measurements_that_the_seed_draws_and_traces_keep_the_means() {
    for method in methods::registry() {
        let table = repeated(method.spaces, Repeats::Draw);
        let mean = repeated(method.spaces, Repeats::Mean);
        let trace = trace_on(&table, method.id, 1);

        // What the seed draws, as the objective of a table without repeats.
        let mut drawn = repeated(method.spaces, Repeats::Mean);
        let task = drawn.tasks.iter_mut().find(|task| task.name == "two");
        let mut random =
            crate::random::RandomStream::new(MEASUREMENTS, table.fingerprint, "two", 1);
        let measurements = table.task("two").unwrap().measurements.as_ref().unwrap();
        let task = task.unwrap();
        let mut columns = measurements.draw(&mut random);
        task.objective = columns.remove(0);
        task.further_objectives = columns;
        assert_eq!(
            trace.rows,
            trace_on(&drawn, method.id, 1).rows,
            "{}",
            method.id
        );

        let means = &mean.task("two").unwrap().objective;
        let kept: Vec<f64> = trace.rows.iter().map(|&row| means[row as usize]).collect();
        assert_eq!(trace.values, kept, "{}", method.id);
    }
}

#[test]
fn another_seed_draws_other_measurements() {
    let table = repeated(Spaces::All, Repeats::Draw);
    let measurements = table.task("two").unwrap().measurements.as_ref().unwrap();
    let drawn = |seed| {
        let mut random =
            crate::random::RandomStream::new(MEASUREMENTS, table.fingerprint, "two", seed);
        measurements.draw(&mut random)
    };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
    // The method sees them: without repeats, it goes elsewhere.
    let mean = repeated(Spaces::All, Repeats::Mean);
    assert_ne!(
        trace_on(&table, "gcp", 1).rows,
        trace_on(&mean, "gcp", 1).rows
    );
    assert!(mean.tasks.iter().all(|task| task.measurements.is_none()));
}
