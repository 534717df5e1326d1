//! Tests of what stands beside the scores: tasks that make most of a mean, differences to a method.

use loto_statistics::analysis::{AnalysisOptions, DominantTask, analyse};
use loto_statistics::random_search::Baseline;

use crate::format::Format;
use crate::tests::{report_of, results, text};

#[test]
fn a_mean_of_one_task_is_told_beside_the_table() {
    let results = results();
    let mut analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    let averages = analysis.blackboxes[0].methods[0].averages.as_mut().unwrap();
    averages.dominant_task = Some(DominantTask {
        task: "titanic".into(),
        improvement: -13.8,
        share: 0.62,
    });
    let report = report_of(&results, &analysis);
    let sentence = "rs: the task titanic (-13.80) makes 62% of the sum over the 3 tasks of box, ";
    let text_report = text(&report, Format::Text);
    assert!(text_report.contains(sentence), "{text_report}");
    assert!(text(&report, Format::Html).contains(sentence));
    let csv = text(&report, Format::Csv);
    assert!(csv.contains(",titanic,-13.8,0.62,"), "{csv}");
}

#[test]
fn differences_to_a_method_stand_beside_the_scores() {
    let results = results();
    let options = AnalysisOptions {
        against: Some("rs".into()),
        ..AnalysisOptions::default()
    };
    let analysis = analyse(&results, &options).unwrap();
    let report = report_of(&results, &analysis);
    let text_report = text(&report, Format::Text);
    let (_, differences) = text_report.split_once("minus rs, trace by trace:").unwrap();
    let row = differences.lines().nth(2).unwrap();
    // Three seeds of the first task have a trace of either method, four of the others.
    assert!(row.contains("  11  "), "{row}");
    let page = text(&report, Format::Html);
    assert!(page.contains("<th>minus rs</th>"));
    // Not all methods begin with random rows: zero-shot and sgpt for example do not.
    assert!(!page.contains("which begin with the same random rows"));
    let shared = "methods that begin with random rows begin with the same ones";
    assert!(page.contains(&format!("from traces of the same task and seed: {shared}")));
    let csv = text(&report, Format::Csv);
    assert!(csv.contains(",rs,11,"), "{csv}");
}

#[test]
fn a_sampled_baseline_needs_no_sweep() {
    // Traces that were recorded elsewhere, of which no sweep is known.
    let results = results();
    let options = AnalysisOptions {
        baseline: Baseline::Sampled,
        ..AnalysisOptions::default()
    };
    let analysis = analyse(&results, &options).unwrap();
    let report = report_of(&results, &analysis);
    assert!(report.sweep.is_none());
    let words = "sampled random search: the traces of the method rs";
    let shown = text(&report, Format::Text);
    assert!(
        shown.contains(&format!("improvement over the {words}\n")),
        "{shown}"
    );
    assert!(text(&report, Format::Html).contains(&format!("<dd>{words}</dd>")));
}
