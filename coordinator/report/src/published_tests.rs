//! Tests of where published figures are shown.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use loto_proto::sweep::Blackbox;
use loto_statistics::analysis::{AnalysisOptions, analyse};

use crate::format::Format;
use crate::report::Report;
use crate::tests::{check_well_formed, report_of, results, text, with_report};

#[test]
fn published_figures_are_shown_where_they_apply_and_nowhere_else() {
    with_report(|report| {
        assert!(!text(report, Format::Text).contains("published"));
        assert!(!text(report, Format::Html).contains("published"));
    });
    let mut results = results();
    let blackbox = &mut results.blackboxes[0];
    blackbox.name = "nas_bench102".into();
    blackbox.iterations = 70;
    blackbox.methods[1] = "gcp-prior".into();
    let objective: Arc<[f64]> = (1..=70).map(f64::from).collect();
    let names = ["cifar10", "cifar100", "ImageNet16-120"];
    for (task, name) in blackbox.tasks.iter_mut().zip(names) {
        task.name = name.into();
        task.objective = Arc::clone(&objective);
        for trace in task.traces.iter_mut().flat_map(BTreeMap::values_mut) {
            trace.values = objective.to_vec();
        }
    }
    let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    let planned = |fingerprint: &str| Blackbox {
        name: "nas_bench102".into(),
        table: fingerprint.parse().unwrap(),
        table_file: None,
        targets: names.map(String::from).to_vec(),
        iterations: 70,
        protocol: Default::default(),
        cost: None,
        methods: Vec::new(),
    };
    // The fingerprint of the public nas_bench102.csv.zip.
    let planned_paper = [planned("4c4de9790b6b38cec373d6e108706675")];
    let report = Report {
        planned: &planned_paper,
        ..report_of(&results, &analysis)
    };
    let cells = |text: &str| -> Vec<Vec<String>> {
        let rows = text.lines().map(|line| line.split_whitespace());
        rows.map(|row| row.map(String::from).collect()).collect()
    };
    // Each trace finds the optimum at once: improvement 1, all ranks 1.5.
    let text_report = text(&report, Format::Text);
    assert!(text_report.contains("ICML 2020, Table 2"), "{text_report}");
    let expected = ["gcp-prior", "1.00", "0.94", "+0.06", "1.50", "1.30", "-"];
    let rows = cells(&text_report);
    assert!(rows.iter().any(|row| *row == expected), "{text_report}");
    let page = text(&report, Format::Html);
    check_well_formed(&page);
    assert!(page.contains("<td>0.94</td><td>+0.06</td>"));
    let folder = tempfile::tempdir().unwrap();
    report.write_folder(folder.path()).unwrap();
    let csv = fs::read_to_string(folder.path().join("published.csv")).unwrap();
    assert!(
        csv.contains("\nnas_bench102,rs,1,0,1,1.5,12,,2,16,"),
        "{csv}"
    );

    // Another table of that name, tasks and iterations is not the paper's.
    let planned_other = [planned("00000000000000000000000000000000")];
    let report = Report {
        planned: &planned_other,
        ..report
    };
    let text_report = text(&report, Format::Text);
    assert!(
        text_report.contains("The paper used another table"),
        "{text_report}"
    );
    let expected = ["gcp-prior", "1.00", "0.94", "-", "1.50", "1.30", "-"];
    let rows = cells(&text_report);
    assert!(rows.iter().any(|row| *row == expected), "{text_report}");
    let page = text(&report, Format::Html);
    assert!(page.contains("The paper used another table"));
    assert!(!page.contains("+0.06"));
    report.write_folder(folder.path()).unwrap();
    let csv = fs::read_to_string(folder.path().join("published.csv")).unwrap();
    assert!(
        csv.contains("\nnas_bench102,rs,1,0,,1.5,12,,2,16,"),
        "{csv}"
    );
    assert!(csv.contains("The paper used another table"), "{csv}");
}
