//! Several objectives, and costs.

use loto_proto::table_spec::{Repeats, TableSpec};

use super::Table;

const TABLE: &str = "\
hp_lr,metric_error,metric_latency,metric_time,seed,task,kept
0.1,0.5,10,1,0,one,1
0.2,1,20,2,0,one,0
0.1,0.25,40,4,1,one,1
0.4,2,30,8,0,one,1
0.1,7,70,16,0,two,1
0.2,3,50,32,0,two,1
";

fn spec(further: &[&str], repeats: Repeats) -> TableSpec {
    TableSpec {
        objective: "metric_error".into(),
        further_objectives: further.iter().map(|&name| name.to_owned()).collect(),
        repeats,
        ..TableSpec::default()
    }
}

fn problem(text: &str, further: &[&str]) -> String {
    let table = Table::read(text.as_bytes(), &spec(further, Repeats::Mean), "t.csv");
    table.unwrap_err().to_string()
}

#[test]
fn further_objectives_are_read_averaged_and_thinned_as_the_first_one() {
    let further = ["metric_latency", "metric_time"];
    let spec = TableSpec {
        source_rows: Some("kept".into()),
        ..spec(&further, Repeats::Mean)
    };
    let table = Table::read(TABLE.as_bytes(), &spec, "t.csv").unwrap();
    let names = ["metric_error", "metric_latency", "metric_time"];
    assert_eq!(table.objectives, names);
    let one = &table.tasks[0];
    assert_eq!(one.objective, [0.375, 1.0, 2.0]);
    assert_eq!(
        one.further_objectives,
        [[25.0, 20.0, 30.0], [2.5, 2.0, 8.0]]
    );
    assert_eq!(one.objectives()[2], [2.5, 2.0, 8.0]);
    assert_eq!(
        table.source(0).further_objectives,
        [[25.0, 30.0], [2.5, 8.0]]
    );
    let evaluated = one.evaluated(&[2, 0], vec![2.0, 0.375], vec![vec![30.0, 25.0]]);
    assert_eq!(
        evaluated.objectives(),
        [&[2.0, 0.375][..], &[30.0, 25.0][..]]
    );
}

#[test]
fn what_is_drawn_of_a_configuration_was_measured_together() {
    let spec = spec(&["metric_latency"], Repeats::Draw);
    let table = Table::read(TABLE.as_bytes(), &spec, "t.csv").unwrap();
    let measurements = table.tasks[0].measurements.as_ref().unwrap();
    let mut drawn = Vec::new();
    for seed in 0..20 {
        let name = crate::random::StreamName::new("test", "measurements of two objectives");
        let mut random = crate::random::RandomStream::new(name, table.fingerprint, "one", seed);
        let columns = measurements.draw(&mut random);
        drawn.push((columns[0][0], columns[1][0]));
    }
    assert!(drawn.contains(&(0.5, 10.0)) && drawn.contains(&(0.25, 40.0)));
    assert!(
        drawn
            .iter()
            .all(|pair| [(0.5, 10.0), (0.25, 40.0)].contains(pair))
    );
}

#[test]
fn mistakes_in_further_objectives_are_told_with_line_and_column() {
    let error = problem(TABLE, &["metric_latancy"]);
    assert!(
        error.contains("t.csv: line 1: the objective `metric_latancy`")
            && error.contains("did you mean `metric_latency`?"),
        "{error}"
    );
    for value in ["nan", "", "1e101", "fast"] {
        let text = TABLE.replace("3,50,", &format!("3,{value},"));
        let error = problem(&text, &["metric_latency"]);
        assert!(
            error.contains("line 7") && error.contains("metric_latency"),
            "{error}"
        );
    }
    let error = problem(
        &TABLE.replace("metric_time", "metric_latency"),
        &["metric_latency"],
    );
    assert!(error.contains("metric_latency"), "{error}");
}

#[test]
fn costs_are_those_of_the_rows() {
    let spec = spec(&["metric_latency"], Repeats::Draw);
    let costs = |text: &str, column| {
        let costs = Table::read_costs(text.as_bytes(), &spec, column, "t.csv");
        costs.map_err(|error| error.to_string())
    };
    let expected = [vec![2.5, 2.0, 8.0], vec![16.0, 32.0]];
    assert_eq!(costs(TABLE, "metric_time").unwrap(), expected);
    // A column may be an objective and the cost.
    let expected = [vec![25.0, 20.0, 30.0], vec![70.0, 50.0]];
    assert_eq!(costs(TABLE, "metric_latency").unwrap(), expected);
    let error = costs(TABLE, "metric_tim").unwrap_err();
    assert!(
        error.contains("line 1: the cost `metric_tim`") && error.contains("`metric_time`?"),
        "{error}"
    );
    for cost in ["0", "-1"] {
        let text = TABLE.replace("50,32", &format!("50,{cost}"));
        let error = costs(&text, "metric_time").unwrap_err();
        assert!(
            error.contains("line 7") && error.contains("metric_time") && error.contains("above 0"),
            "{error}"
        );
    }
}
