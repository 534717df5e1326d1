//! Tests of what is said of differences that matter.

use std::collections::BTreeMap;

use loto_statistics::analysis::{AnalysisOptions, analyse};
use loto_statistics::results::{BlackboxResults, Measure, SeedTrace, SweepResults, TaskResults};

use crate::format::Format;
use crate::tests::{check_well_formed, report_of, text};

/// On each of twelve tasks `b` ends a little below `a`, and `c` far above both.
fn results() -> SweepResults {
    ending_at(&["a", "b", "c"], |task| vec![50 + task, 49, 500 + task])
}

/// Twelve tasks on which the methods end at these values, a little higher with every seed.
fn ending_at(methods: &[&str], last: impl Fn(u32) -> Vec<u32>) -> SweepResults {
    let objective: Vec<f64> = (0..=1000).map(f64::from).collect();
    let task = |task: u32| {
        let of = |last: u32| {
            let seed = |seed: u32| {
                let values = vec![900.0, f64::from(last + seed)];
                let trace = SeedTrace {
                    values,
                    ..SeedTrace::default()
                };
                (seed, trace)
            };
            (0..3).map(seed).collect::<BTreeMap<_, _>>()
        };
        TaskResults {
            name: format!("task {task}"),
            objective: objective.clone().into(),
            hypervolume: None,
            mean_cost: None,
            traces: last(task).into_iter().map(of).collect(),
        }
    };
    SweepResults {
        name: "small".into(),
        seeds: 3,
        blackboxes: vec![BlackboxResults {
            name: "box".into(),
            direction: Default::default(),
            arrivals: None,
            unmarked: Default::default(),
            iterations: 2,
            methods: methods.iter().map(|&method| method.to_owned()).collect(),
            tasks: (0..12).map(task).collect(),
        }],
    }
}

#[test]
fn significant_differences_that_are_too_small_are_named() {
    let results = results();
    let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    let report = report_of(&results, &analysis);
    let said = "Significantly different in the end, and too small to matter: a and b (p 0.00";
    let shown = text(&report, Format::Text);
    assert!(shown.contains(said), "{shown}");
    assert!(
        shown.contains("of 3 pairs: 2 with a difference that matters and 1 practically"),
        "{shown}"
    );
    assert!(!shown.contains("hierarchical"), "{shown}");
    let page = text(&report, Format::Html);
    check_well_formed(&page);
    assert!(page.contains(said));
    assert!(page.contains("Which differences matter: distance to the minimum"));
    assert!(
        page.contains("<td class=\"significant\">0.00/1.00/0.00</td>"),
        "{page}"
    );
    let mut of_two_objectives = analysis.clone();
    of_two_objectives.blackboxes[0].measure = Measure::HypervolumeError;
    let shown = text(&report_of(&results, &of_two_objectives), Format::Text);
    assert!(
        shown.contains("with a rope of 0.01 of the hypervolume error (Bayesian"),
        "{shown}"
    );
    let json = text(&report, Format::Json);
    assert!(json.contains("\"practical_differences\":{\"unit\":\"distance\",\"rope\":0.01,"));

    let none = AnalysisOptions {
        rope: None,
        ..AnalysisOptions::default()
    };
    let analysis = analyse(&results, &none).unwrap();
    let page = text(&report_of(&results, &analysis), Format::Html);
    assert!(!page.contains("Which differences matter: "));
}

#[test]
fn both_tables_of_pairs_have_the_same_form() {
    let results = results();
    let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    let page = text(&report_of(&results, &analysis), Format::Html);
    let tables = page.split("<table class=\"matrix\">").skip(1);
    let tables: Vec<&str> = tables
        .map(|rest| rest.split("</table>").next().unwrap())
        .collect();
    let [wins, probabilities] = tables[..] else {
        panic!("{page}");
    };
    let head = |table: &str| table.split("</thead>").next().unwrap().to_owned();
    assert_eq!(head(wins), head(probabilities));
    // Twelve differences of one sign: all pairs are significant, below the diagonal of both tables.
    for (table, above) in [
        (wins, "<td class=\"muted\">0/0/12</td>"),
        (probabilities, "0.00/1.00/0.00"),
    ] {
        let rows: Vec<&str> = table.split("<tr>").skip(2).collect();
        assert_eq!(rows.len(), 3);
        assert!(rows[0].contains(above), "{}", rows[0]);
        for (index, row) in rows.iter().enumerate() {
            let cells: Vec<&str> = row.split("<td").skip(1).collect();
            assert!(cells[index].contains('·'), "{row}");
            for below in &cells[..index] {
                assert!(
                    below.starts_with(" class=\"significant\">0.00") && !below.contains("0/"),
                    "{row}"
                );
            }
        }
    }
}

#[test]
fn of_many_small_differences_some_are_named_and_the_others_counted() {
    // Eight methods have 28 pairs, of which all differ everywhere, by at most 7 thousandths of the range.
    let methods = ["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7"];
    let results = ending_at(&methods, |task| (40 + task..48 + task).collect());
    let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    let report = report_of(&results, &analysis);
    for format in [Format::Text, Format::Html] {
        let shown = text(&report, format);
        assert!(
            shown.contains("too small to matter: m0 and m1 (p 0.0"),
            "{shown}"
        );
        let (_, rest) = shown
            .split_once("in the end, and too small to matter: ")
            .unwrap();
        let (named, _) = rest
            .split_once("; and 8 more; the table of the page has all.")
            .unwrap();
        assert_eq!(named.split("; ").count(), 20, "{named}");
    }
}

#[test]
fn the_hierarchical_test_is_shown_where_it_was_asked_for() {
    let results = results();
    let options = AnalysisOptions {
        hierarchical: true,
        ..AnalysisOptions::default()
    };
    let analysis = analyse(&results, &options).unwrap();
    let report = report_of(&results, &analysis);
    let shown = text(&report, Format::Text);
    let row = shown
        .lines()
        .find(|line| line.trim_start().starts_with("c ") && line.contains('/'));
    let cells: Vec<&str> = row.unwrap().split_whitespace().collect();
    assert_eq!(cells.len(), 3, "{shown}");
    assert!(cells[2].starts_with("1.00/0.00/"), "{shown}");
    let page = text(&report, Format::Html);
    check_well_formed(&page);
    assert!(page.contains("Hierarchical test on box, distance to the minimum, rope 0.01"));
    assert!(page.contains(">after 2</th>"));
}

#[test]
fn the_hierarchical_test_says_over_how_many_tasks_it_is_if_not_over_all() {
    let mut results = results();
    for task in &mut results.blackboxes[0].tasks[..5] {
        task.traces[2].retain(|seed, _| *seed == 0);
    }
    let options = AnalysisOptions {
        against: Some("a".into()),
        hierarchical: true,
        ..AnalysisOptions::default()
    };
    let analysis = analyse(&results, &options).unwrap();
    let report = report_of(&results, &analysis);
    for format in [Format::Text, Format::Html] {
        let shown = text(&report, format);
        let said = "c is compared over 7 of 12 tasks: on the others it has fewer than two seeds in common with a.";
        assert!(shown.contains(said), "{shown}");
        assert!(!shown.contains("b is compared over"), "{shown}");
    }
}
