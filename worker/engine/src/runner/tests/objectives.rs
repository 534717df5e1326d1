//! Several objectives: methods for one are run on the average of the transformed ones.

use super::*;

/// The table with a further objective, which `second` makes of the first one and the row's number.
fn of_two_objectives(spaces: Spaces, second: impl Fn(f64, usize) -> f64) -> Table {
    let (spec, text) = suited(super::table(), spaces);
    let mut lines = text.lines();
    let mut wider = format!("{},metric_second\n", lines.next().unwrap());
    for (number, line) in lines.enumerate() {
        let error: f64 = line.split(',').nth(2).unwrap().parse().unwrap();
        wider.push_str(&format!("{line},{}\n", second(error, number)));
    }
    let spec = TableSpec {
        further_objectives: vec!["metric_second".into()],
        ..spec
    };
    let mut table = Table::read(wider.as_bytes(), &spec, "table").unwrap();
    table.fingerprint = Fingerprint([5; 16]);
    table
}

fn trace_on(table: &Table, method: &str) -> Trace {
    let runner = TraceRunner::new(Arc::new(MemoryBlobs::default()));
    let mut job = job(method, table.fingerprint, 1);
    job.series.iterations = 15;
    let watch = CpuWatch::start();
    runner.run_on(table, &job, watch, String::new()).unwrap()
}

#[test]
fn the_same_objective_twice_is_that_objective() {
    for method in methods::registry() {
        // These compare values as they are, if there is one objective, and the Gaussian quantiles of several.
        if ["bohb", "rea", "reinforce"].contains(&method.id)
            || method.spaces == Spaces::OfTwoObjectives
        {
            continue;
        }
        let twice = of_two_objectives(method.spaces, |error, _| error);
        let mut once = of_two_objectives(method.spaces, |error, _| error);
        once.tasks
            .iter_mut()
            .for_each(|task| task.further_objectives.clear());
        let (found, expected) = (trace_on(&twice, method.id), trace_on(&once, method.id));
        assert_eq!(found.rows, expected.rows, "{}", method.id);
        assert_eq!(found.further_values, found.values, "{}", method.id);
        assert_eq!(expected.further_values, [0.0; 0]);
    }
}

#[test]
fn every_method_heeds_both_objectives_and_the_trace_has_them() {
    let mut deaf = Vec::new();
    for method in methods::registry() {
        let second = |_: f64, number: usize| (number * 31 % 59) as f64;
        let table = of_two_objectives(method.spaces, second);
        let trace = trace_on(&table, method.id);
        let task = table.task("two").unwrap();
        let values = trace.rows.iter().map(|&row| row as usize);
        let further: Vec<f64> = values.map(|row| task.further_objectives[0][row]).collect();
        assert_eq!(trace.further_values, further, "{}", method.id);
        let copy = of_two_objectives(method.spaces, |error, _| error);
        let blind = trace_on(&copy, method.id);
        if trace.rows == blind.rows {
            deaf.push(method.id);
        }
    }
    // Besides random search those that learn little from so few evaluations.
    assert!(deaf.contains(&"rs") && deaf.len() <= 5, "{deaf:?}");
}
