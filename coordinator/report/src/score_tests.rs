//! Tests of what stands beside the scores: tasks that dominate a mean, differences to a method.

use loto_statistics::analysis::{AnalysisOptions, DominantTask, analyse};
use loto_statistics::random_search::Baseline;

use crate::format::Format;
use crate::latex;
use crate::tests::{check_well_formed, report_of, results, text};

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
    let sentence = "rs: the task titanic (-13.80) makes 62% of the sum of the improvements' sizes over the 3 tasks of box, ";
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
    assert!(page.contains(">minus rs</th>"));
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

#[test]
fn with_one_seed_nothing_is_said_of_intervals_over_the_seeds() {
    let mut results = results();
    results.seeds = 1;
    for task in &mut results.blackboxes[0].tasks {
        for traces in &mut task.traces {
            let one = traces.remove(&3).unwrap();
            *traces = [(0, one)].into();
        }
    }
    let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    let report = report_of(&results, &analysis);
    let whole_page = text(&report, Format::Html);
    check_well_formed(&whole_page);
    let (page, _) = whole_page.split_once("What the numbers mean").unwrap();
    let shown = text(&report, Format::Text);
    let latex = latex::tables(&report);
    for claim in [
        "bootstrap band",
        "with intervals over the seeds",
        "95% intervals over the seeds",
        "interval over the seeds",
        "Bold: the interval",
    ] {
        assert!(!page.contains(claim), "{claim}: {page}");
        assert!(!shown.contains(claim), "{claim}: {shown}");
    }
    // At the top, of curves and tasks, of how it was made, and of scores and differences, whose captions are also their names.
    assert_eq!(page.matches("one seed: no intervals").count(), 8, "{page}");
    let (_, scores) = page.split_once("<figcaption>Scores on ").unwrap();
    let (scores, _) = scores.split_once("</table>").unwrap();
    assert!(!scores.contains("95% interval"), "{scores}");
    assert!(shown.contains("over the tasks; one seed: no intervals; * marks"));
    assert!(!shown.contains("95% interval"), "{shown}");
    assert!(!latex.contains("over the seeds") && !latex.contains("over seeds"));
    assert!(!latex.contains("& interval"), "{latex}");
    // Each row has as many cells as the line of headings: what follows stands below its own.
    let row = shown
        .lines()
        .find(|line| line.starts_with("  rs "))
        .unwrap();
    assert_eq!(row.split_whitespace().count(), 8, "{row}");
}
