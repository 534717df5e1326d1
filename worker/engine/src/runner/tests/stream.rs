//! Streams of tasks, held to jobs on single tasks of tables that hold what a method knows by then.

use loto_proto::protocol::ALL_TASKS;

use super::*;
use crate::methods::stand_in::{OnStream, for_stream};
use crate::task_stream::arrivals;

/// Evaluations on each of the three tasks.
const PER_TASK: usize = 6;

const SEED: u32 = 1;

/// Methods that train networks for seconds and, but for the last, share their room with one that is checked.
const SLOW: [&str; 6] = ["ts", "cts-ho", "gp-prior", "gcp-prior-ho", "ablr", "fmlp"];

/// A table as a method takes it, with its declarations.
fn table_for(method: &str, protocol: Protocol) -> (TableSpec, String) {
    let spaces = methods::find(method).unwrap().spaces;
    let (spec, text) = suited(super::table(), spaces);
    (TableSpec { protocol, ..spec }, text)
}

fn stream_job(method: MethodSpec, table: Fingerprint) -> Job {
    let series = Series {
        method,
        table,
        task: ALL_TASKS.into(),
        iterations: 3 * PER_TASK as u32,
    };
    Job { series, seed: SEED }
}

fn run_on(table: &Table, job: &Job) -> Result<Trace, EngineError> {
    let runner = TraceRunner::new(Arc::new(MemoryBlobs::default()));
    runner.run_on(table, job, CpuWatch::start(), String::new())
}

/// The rows of a method on one task of a table, with the random numbers and the scaled features of the stream.
fn rows_on_task(text: &str, method: &MethodSpec, task: &str, stream: &Table) -> Vec<u32> {
    let (spec, _) = table_for(&method.id, Protocol::LeaveOneOut);
    let mut table = Table::read(text.as_bytes(), &spec, "table").unwrap();
    table.fingerprint = stream.fingerprint;
    for task in &mut table.tasks {
        task.features = stream.task(&task.name).unwrap().features.clone();
    }
    let mut job = job(&method.id, stream.fingerprint, SEED);
    job.series.method = method.clone();
    job.series.task = task.to_owned();
    job.series.iterations = PER_TASK as u32;
    run_on(&table, &job).unwrap().rows
}

#[test]
fn each_task_has_the_methods_own_evaluations_of_earlier_ones_as_its_sources() {
    let mut checked = 0;
    let is_fast = |method: &&methods::Method| !SLOW.contains(&method.id);
    for method in methods::registry().iter().filter(is_fast) {
        let named = job(method.id, Fingerprint([0; 16]), SEED).series.method;
        let Ok(on_stream) = for_stream(named.clone()) else {
            continue;
        };
        let (spec, text) = table_for(method.id, Protocol::Stream);
        let header = text.lines().next().unwrap();
        let column = header.split(',').position(|name| name == "task").unwrap();
        let lines_of = |task: &str| -> Vec<&str> {
            let is_of_task = |line: &&str| line.split(',').nth(column) == Some(task);
            text.lines().filter(is_of_task).collect()
        };
        let table = Table::read(text.as_bytes(), &spec, "table").unwrap();
        let stand_in = OnStream::of(&on_stream).unwrap().stand_in;
        let trace = run_on(&table, &stream_job(on_stream, table.fingerprint)).unwrap();
        let mut known = header.to_owned();
        let order = arrivals(table.fingerprint, 3, SEED);
        for (place, (&position, rows)) in order.iter().zip(trace.rows.chunks(PER_TASK)).enumerate()
        {
            let task = &table.tasks[position].name;
            let lines = lines_of(task);
            let with_target = format!("{known}\n{}\n", lines.join("\n"));
            let method = if place == 0 { &stand_in } else { &named };
            let expected = rows_on_task(&with_target, method, task, &table);
            assert_eq!(rows, expected, "{} on {task}", named.id);
            for &row in rows {
                known = format!("{known}\n{}", lines[row as usize]);
            }
        }
        assert_eq!(trace.microseconds.len(), 3 * PER_TASK);
        let value = |(place, &row): (usize, &u32)| {
            table.tasks[order[place / PER_TASK]].objective[row as usize]
        };
        let values: Vec<f64> = trace.rows.iter().enumerate().map(value).collect();
        assert_eq!(trace.values, values);
        checked += 1;
    }
    assert!(checked >= 30, "{checked}");
}

#[test]
fn methods_begin_every_task_with_the_same_random_row_and_orders_differ_by_seed() {
    let (spec, text) = table_for("rs", Protocol::Stream);
    let table = Table::read(text.as_bytes(), &spec, "table").unwrap();
    let first_rows = |method: &str| -> Vec<u32> {
        let spec = for_stream(job(method, table.fingerprint, SEED).series.method).unwrap();
        let trace = run_on(&table, &stream_job(spec, table.fingerprint)).unwrap();
        trace.rows.chunks(PER_TASK).map(|rows| rows[0]).collect()
    };
    assert_eq!(first_rows("rs"), first_rows("i-gp"));
    assert_eq!(first_rows("rs"), first_rows("gcp"));
    let orders: BTreeSet<_> = (0..50)
        .map(|seed| arrivals(table.fingerprint, 3, seed))
        .collect();
    assert_eq!(orders.len(), 6);
}

#[test]
fn of_repeated_measurements_later_tasks_know_those_that_were_shown() {
    use loto_proto::table_spec::Repeats;

    let (_, text) = super::table();
    let mut repeated = format!("{},seed\n", text.lines().next().unwrap());
    for (number, line) in text.lines().skip(1).enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let error: f64 = fields[2].parse().unwrap();
        for seed in 0..2 {
            let measured = error + ((number * 7 + seed * 5) % 11) as f64;
            repeated += &format!(
                "{},{},{measured},{},{seed}\n",
                fields[0], fields[1], fields[3]
            );
        }
    }
    let spec = TableSpec {
        repeats: Repeats::Draw,
        ..table_for("ws-gp", Protocol::Stream).0
    };
    let table = Table::read(repeated.as_bytes(), &spec, "table").unwrap();
    // The same table if what is drawn was all that there is.
    let mut drawn = Table::read(repeated.as_bytes(), &spec, "table").unwrap();
    for task in &mut drawn.tasks {
        let measurements = task.measurements.take().unwrap();
        let stream = (MEASUREMENTS, table.fingerprint, &task.name, SEED);
        let mut random = crate::random::RandomStream::new(stream.0, stream.1, stream.2, stream.3);
        task.objective = measurements.draw(&mut random).remove(0);
    }
    let method = for_stream(job("ws-gp", table.fingerprint, SEED).series.method).unwrap();
    let job = stream_job(method, table.fingerprint);
    let [shown, kept] = [&drawn, &table].map(|table| run_on(table, &job).unwrap());
    assert_eq!(shown.rows, kept.rows);
    assert_ne!(shown.values, kept.values);
}

#[test]
fn jobs_that_are_not_for_the_whole_stream_say_why() {
    let (spec, text) = table_for("rs", Protocol::Stream);
    let table = Table::read(text.as_bytes(), &spec, "table").unwrap();
    let plain = stream_job(
        job("rs", table.fingerprint, 0).series.method,
        table.fingerprint,
    );
    let message = |change: fn(&mut Job)| {
        let mut changed = plain.clone();
        change(&mut changed);
        run_on(&table, &changed).unwrap_err().to_string()
    };
    assert!(message(|job| job.series.task = "two".into()).contains("not task `two` alone"));
    assert!(message(|job| job.series.iterations = 10).contains("10 iterations do not spread"));
    assert!(message(|job| job.series.iterations = 363).contains("has 120 rows"));
    let program = |job: &mut Job| {
        job.series.method.program = Some(loto_proto::identity::ProgramId([1; 16]));
    };
    assert!(message(program).contains("programs do not run on streams"));
    assert!(message(|job| job.series.method.version = 99).contains("version 99"));
    let mut alone = table.without_tasks();
    alone.protocol = Protocol::LeaveOneOut;
    assert!(
        run_on(&alone, &plain)
            .unwrap_err()
            .to_string()
            .contains("no task `*`")
    );
}
