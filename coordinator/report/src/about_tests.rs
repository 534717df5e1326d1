//! Tests of what a report says of its making.

use std::fs;

use loto_proto::table_spec::Direction;
use loto_statistics::analysis::{AnalysisOptions, analyse};
use loto_statistics::results::SweepResults;

use crate::about::AboutMethod;
use crate::format::Format;
use crate::report::Report;
use crate::tests::{about, report_of, results, text};

/// A sweep with plain names, of an objective that is maximised.
fn plain() -> SweepResults {
    let mut results = results();
    let blackbox = &mut results.blackboxes[0];
    blackbox.name = "forest".into();
    blackbox.direction = Direction::Maximise;
    blackbox.methods[1] = "own".into();
    results
}

#[test]
fn every_file_says_what_was_measured() {
    let results = plain();
    let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    let mut about = about();
    about.blackboxes[0].name = "forest".into();
    about.blackboxes[0].objective = "metric_accuracy".into();
    about.blackboxes[0].hyperparameters[0].column = "hp_rate".into();
    about.methods[0].name = "own".into();
    about.blackboxes[0].repeats = Some("draw");
    about.blackboxes[0].features = vec!["dataset_classes".into(), "dataset_rows".into()];
    about.blackboxes[0].source_rows = Some("thinned".into());
    about.methods.push(AboutMethod {
        name: "theirs".into(),
        recorded_in: Some("theirs.csv".into()),
        ..AboutMethod::default()
    });
    let report = Report {
        about: &about,
        ..report_of(&results, &analysis)
    };
    let page = text(&report, Format::Html);
    for told in [
        "metric_accuracy, maximised \u{2191}",
        "4c4de9790b6b38cec373d6e108706675",
        "hp_rate (log), hp_plain (linear)",
        "noise = 0.25; defaults: hyperprior = gamma",
        "<td>7</td>",
        "own: 1,200 of 3,000 proposals (40.0 %) were moved",
        "0.0.7",
        "not known: recorded in theirs.csv",
        "methods are shown one, which the seed draws",
        "Tasks are described by dataset_classes, dataset_rows.",
        "learn from the rows that thinned marks",
        "2026-01-31T12:00:00Z",
        "Best value of metric_accuracy after 5 evaluations per task of forest",
    ] {
        assert!(page.contains(told), "{told}");
    }
    let text_report = text(&report, Format::Text);
    let told = "external method own: 1,200 of 3,000 proposals";
    assert!(text_report.contains(told), "{text_report}");
    // What is measured of a program is the time until it answers.
    assert!(text_report.contains("its seconds are those that passed, not processor time"));
    assert!(page.contains("those of external methods as they passed on the clock"));
    let told = "forest: 3 tasks, 5 iterations, metric_accuracy, maximised";
    assert!(text_report.contains(told), "{text_report}");
    let statistics: serde_json::Value = serde_json::from_str(&text(&report, Format::Json)).unwrap();
    let known = &statistics["about"]["blackboxes"][0];
    assert_eq!(known["direction"], "maximise");
    assert_eq!(known["hyperparameters"][0]["scale"], "log");
    assert_eq!(statistics["about"]["methods"][0]["version"], 7);
    assert_eq!(
        statistics["about"]["methods"][0]["proposals"]["moved"],
        1200
    );
    assert!(statistics["about"]["methods"][1]["version"].is_null());
    assert_eq!(statistics["about"]["made"]["at"], "2026-01-31T12:00:00Z");
    let folder = tempfile::tempdir().unwrap();
    report.write_folder(folder.path()).unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let beside: serde_json::Value = serde_json::from_str(&read("about.json")).unwrap();
    assert_eq!(beside["blackboxes"], statistics["about"]["blackboxes"]);
    assert_eq!(beside["methods"], statistics["about"]["methods"]);
    assert_eq!(beside["seeds"], 4);
    let tables = read("tables.tex");
    assert!(tables.contains("metric\\_accuracy $\\uparrow$"), "{tables}");
    assert!(
        tables.contains("% forest: metric_accuracy, maximised, table 4c4de979"),
        "{tables}"
    );
}

#[test]
fn every_column_is_explained_beside_the_files() {
    let results = results();
    let mut analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    analysis.blackboxes[0].tasks[0].prior_rmse = Some(1.0);
    let report = report_of(&results, &analysis);
    let folder = tempfile::tempdir().unwrap();
    report.write_folder(folder.path()).unwrap();
    let about = fs::read(folder.path().join("about.json")).unwrap();
    let about: serde_json::Value = serde_json::from_slice(&about).unwrap();
    let mut files = 0;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.ends_with(".csv") {
            continue;
        }
        files += 1;
        let header = csv::Reader::from_path(&path)
            .unwrap()
            .headers()
            .unwrap()
            .clone();
        let explained = about["files"][&name]["columns"].as_object().unwrap();
        for column in &header {
            let meaning = explained.get(column).and_then(|meaning| meaning.as_str());
            assert!(
                meaning.is_some_and(|meaning| meaning.len() > 10),
                "{name}: {column}"
            );
        }
        assert_eq!(header.len(), explained.len(), "{name}");
    }
    assert_eq!(files, 4);
}

#[test]
fn tables_for_papers_hold_hostile_names_and_all_methods() {
    let results = results();
    let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    let about = about();
    let report = Report {
        about: &about,
        ..report_of(&results, &analysis)
    };
    let folder = tempfile::tempdir().unwrap();
    report.write_folder(folder.path()).unwrap();
    let tables = fs::read_to_string(folder.path().join("tables.tex")).unwrap();
    // Scores, differences, data and methods; every environment that begins ends.
    assert_eq!(tables.matches(r"\begin{table}").count(), 4, "{tables}");
    assert_eq!(
        tables.matches(r"\begin{").count(),
        tables.matches(r"\end{").count()
    );
    assert_eq!(tables.matches(r"\toprule").count(), 4);
    let uncommented = tables.lines().filter(|line| !line.starts_with('%'));
    for line in uncommented {
        let bare = line
            .replace(r"\&", "")
            .replace(r"\%", "")
            .replace(r"\$", "");
        assert!(!bare.contains('%'), "{line}");
        assert_eq!(bare.matches('$').count() % 2, 0, "{line}");
    }
    assert!(
        tables.contains(r"\textless{}script\textgreater{}"),
        "{tables}"
    );
    let row = tables
        .lines()
        .find(|line| line.trim_start().starts_with("rs &"))
        .unwrap();
    assert_eq!(row.matches(" & ").count(), 8, "{row}");
    let tables_of = |blackboxes: usize| {
        let mut results = results.clone();
        let second = results.blackboxes[0].clone();
        results.blackboxes.resize(blackboxes, second);
        for (number, blackbox) in results.blackboxes.iter_mut().enumerate() {
            blackbox.name = format!("box {number}");
        }
        let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
        let report = report_of(&results, &analysis);
        crate::latex::tables(&report)
    };
    assert!(!tables_of(1).contains("tab:summary"));
    // Four side by side fit on a page; each name stands over two columns.
    let six = tables_of(6);
    let summary = |label: &str, follows: &str| {
        let (_, summary) = six.split_once(&format!("\\label{{{label}}}")).unwrap();
        summary.split_once(follows).unwrap().0.to_owned()
    };
    let first = summary("tab:summary", "tab:summary-2");
    let second = summary("tab:summary-2", "tab:scores");
    assert!(!six.contains("tab:summary-3"));
    for (table, names) in [(first, 0..4), (second, 4..6)] {
        let groups: String = names
            .clone()
            .map(|number| format!(" & \\multicolumn{{2}}{{c}}{{box {number}}}"))
            .collect();
        let columns = 2 * names.len();
        for expected in [
            format!("begin{{tabular}}{{@{{}}l{}@{{}}}}", "r".repeat(columns)),
            groups,
            format!(r"\cmidrule(lr){{{columns}-{}}}", columns + 1),
            format!("Method{}", " & Rank & Mean".repeat(names.len())),
        ] {
            assert!(table.contains(&expected), "{expected}: {table}");
        }
    }
}
