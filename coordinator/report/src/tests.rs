use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::sync::{Arc, LazyLock};

use loto_proto::identity::SweepId;
use loto_proto::scale::Scale;
use loto_proto::sweep::Blackbox;
use loto_proto::table_spec::{Direction, TableSpec};
use loto_statistics::analysis::{AnalysisOptions, SweepAnalysis, analyse};
use loto_statistics::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};

use super::*;
use crate::csv_text::text_cell;

/// A name as an attacker would choose it.
const EVIL: &str = "</svg><script>alert('1')</script>\"&\u{7}";

/// Two methods on three tasks; the second lacks a seed on the first task.
pub(crate) fn results() -> SweepResults {
    let objective: Arc<[f64]> = (1..=20).map(|row| f64::from(row) / 10.0).collect();
    let trace = |start: u32, step: u32| {
        let rows: Vec<u32> = (0..5).map(|t| (start + 7 * step * t) % 20).collect();
        SeedTrace {
            values: rows.iter().map(|&row| objective[row as usize]).collect(),
            seconds: rows.iter().map(|&row| 1e-3 * f64::from(row + 1)).collect(),
            rows,
            ..SeedTrace::default()
        }
    };
    let task = |name: &str, position: u32| {
        let seeds = |method: u32| -> BTreeMap<u32, SeedTrace> {
            let first = u32::from(position == 0 && method == 1);
            (first..4)
                .map(|seed| (seed, trace(3 + 5 * position + seed + method, 1 + method)))
                .collect()
        };
        TaskResults {
            name: name.into(),
            objective: Arc::clone(&objective),
            hypervolume: None,
            mean_cost: None,
            traces: vec![seeds(0), seeds(1)],
        }
    };
    SweepResults {
        name: format!("sweep {EVIL}"),
        seeds: 4,
        blackboxes: vec![BlackboxResults {
            name: format!("box, {EVIL}"),
            direction: Default::default(),
            iterations: 5,
            methods: vec!["rs".into(), format!("method {EVIL}")],
            tasks: vec![task(EVIL, 0), task("plain", 1), task("third", 2)],
            arrivals: None,
            unmarked: Default::default(),
        }],
    }
}

pub(crate) fn with_report(check: impl FnOnce(&Report<'_>)) {
    let results = results();
    let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    check(&Report {
        results: &results,
        analysis: &analysis,
        sweep: Some(SweepId([0xab; 16])),
        planned: &[],
        about: &about(),
        notes: &[format!("note {EVIL}")],
    });
}

pub(crate) fn text(report: &Report<'_>, format: Format) -> String {
    let mut output = Vec::new();
    report.write(format, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// Nothing is known of the traces.
static NOTHING: LazyLock<About> = LazyLock::new(About::default);

/// All is known, with names as an attacker would choose them.
pub(crate) fn about() -> About {
    let results = results();
    let blackbox = Blackbox {
        name: results.blackboxes[0].name.clone(),
        table: "4c4de9790b6b38cec373d6e108706675".parse().unwrap(),
        table_file: None,
        targets: Vec::new(),
        iterations: 5,
        protocol: Default::default(),
        cost: None,
        methods: Vec::new(),
    };
    let spec = TableSpec {
        objective: format!("metric_{EVIL}"),
        direction: Direction::Maximise,
        scales: [(format!("hp_{EVIL}"), Scale::Log)].into(),
        ..TableSpec::default()
    };
    let columns = [format!("hp_{EVIL}"), "hp_plain".into()];
    let table_name = Some(format!("table {EVIL}"));
    let method = AboutMethod {
        name: format!("method {EVIL}"),
        id: Some("gp".into()),
        version: Some(7),
        recorded_in: None,
        program: None,
        parameters: [("noise".to_owned(), "0.25".to_owned())].into(),
        defaults: [("hyperprior".to_owned(), "gamma".to_owned())].into(),
        source: Some(format!("source {EVIL}")),
        blackboxes: vec![blackbox.name.clone()],
        proposals: Some(AboutProposals {
            evaluations: 3000,
            moved: 1200,
            versions: vec![format!("python {EVIL}")],
        }),
    };
    About {
        loto: "0.0.7".into(),
        sweep: Some("abab".into()),
        blackboxes: vec![AboutBlackbox::new(
            &blackbox,
            &spec,
            columns,
            (3, 60),
            table_name,
        )],
        methods: vec![method],
        made: Made {
            at: "2026-01-31T12:00:00Z".into(),
            command: format!("loto run {EVIL}"),
        },
    }
}

/// Checks that every element of the markup is closed, in order. `<` occurs in tags alone, since text is escaped.
pub(crate) fn check_well_formed(markup: &str) {
    const EMPTY: [&str; 4] = ["meta", "!DOCTYPE", "br", "link"];
    let mut open: Vec<&str> = Vec::new();
    for tag in markup.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("a tag is closed");
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        if let Some(closed) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "{tag}");
        } else if !tag.ends_with('/') && !EMPTY.contains(&name) {
            open.push(name);
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

/// The report of an analysis, of no sweep and without notes.
pub(crate) fn report_of<'a>(results: &'a SweepResults, analysis: &'a SweepAnalysis) -> Report<'a> {
    Report {
        results,
        analysis,
        sweep: None,
        planned: &[],
        about: &NOTHING,
        notes: &[],
    }
}

#[test]
fn the_page_is_well_formed_safe_and_needs_no_network() {
    with_report(|report| {
        let page = text(report, Format::Html);
        check_well_formed(&page);
        assert!(!page.contains("<script"), "a name became markup");
        assert!(!page.contains('\u{7}'));
        let addresses = page.matches("http").count();
        let namespaces = page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count();
        assert_eq!(addresses, namespaces, "the page refers to other files");
        assert!(page.contains("abababababababababababababababab"));
        assert!(page.contains("23 of 24 finished"));
        assert!(page.contains("(3 of 4 seeds)"));
        // Of the one black box: ADTM, four smaller charts, improvements, curves by task and ranks, each once.
        assert_eq!(page.matches("<svg").count(), 8);
        assert!(!page.contains("<h2>Summary</h2>"));
        for bad in ["NaN", "inf\"", "infinity"] {
            assert!(!page.contains(bad), "{bad}");
        }
    });
}

#[test]
fn text_tells_scores_and_what_is_missing() {
    with_report(|report| {
        let text = text(report, Format::Text);
        assert!(text.contains("23 of 24 traces finished"), "{text}");
        assert!(text.contains("missing:\n  method"), "{text}");
        // Two methods on three tasks: the smallest possible p is 2^-2.
        let left_out = "Friedman's test is left out: with 2 methods on 3 tasks its smallest possible p is 0.250";
        assert!(text.contains(left_out), "{text}");
        assert!(
            !text.contains("chi-square") && !text.contains("no significant"),
            "{text}"
        );
        assert!(!text.contains('\u{7}'), "{text:?}");
        let row = text.lines().find(|line| line.starts_with("  rs ")).unwrap();
        assert_eq!(row.split_whitespace().last(), Some("12"), "{row}");
    });
}

#[test]
fn a_method_of_one_black_box_only_has_blanks_elsewhere_and_is_left_out_of_the_whole() {
    let mut results = results();
    let mut second = results.blackboxes[0].clone();
    second.name = "second".into();
    second.methods.push("only here".into());
    for task in &mut second.tasks {
        let traces = task.traces[0].clone();
        task.traces.push(traces);
    }
    results.blackboxes.push(second);
    let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    // Ranks are those among the methods of each black box: here three, the first and the last tied.
    let ranks = analysis.blackboxes[1].methods.iter();
    let ranks = ranks.map(|method| method.averages.as_ref().unwrap().average_rank);
    assert!((ranks.sum::<f64>() - 6.0).abs() < 1e-12);
    let report = report_of(&results, &analysis);
    let text_report = text(&report, Format::Text);
    let left_out =
        "left out, because they are not finished or not planned on every black box: only here";
    assert!(text_report.contains(left_out), "{text_report}");
    let page = text(&report, Format::Html);
    check_well_formed(&page);
    let row = page.split("row\">only here</th>").nth(1).unwrap();
    assert!(row.starts_with("<td class=\"muted\">–</td>"), "{row}");
    assert!(page.contains("not planned everywhere: only here"));
}

#[test]
fn scores_read_back_bit_for_bit() {
    with_report(|report| {
        let text = text(report, Format::Csv);
        let mut lines = csv::Reader::from_reader(text.as_bytes());
        let methods = &report.analysis.blackboxes[0].methods;
        let rows: Vec<csv::StringRecord> = lines.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), methods.len());
        for (row, method) in rows.iter().zip(methods) {
            let averages = method.averages.as_ref().unwrap();
            let interval = averages.improvement_interval.unwrap();
            let expected = [
                averages.improvement,
                averages.average_rank,
                averages.final_adtm,
                3.0,
                method.finished_traces as f64,
                averages.improvement_standard_error.unwrap(),
                interval.lower,
                interval.upper,
                averages.median_improvement,
            ];
            let found = [2, 3, 4, 5, 6, 7, 8, 9, 10];
            let found = found.map(|column| row[column].parse::<f64>().unwrap());
            let names = [&report.analysis.blackboxes[0].name, &method.method];
            assert_eq!([&row[0], &row[1]], names.map(|name| text_cell(name)));
            assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits));
        }
    });
}

#[test]
fn the_folder_has_every_file_and_the_same_bytes_each_time() {
    with_report(|report| {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("not/there/yet");
        report.write_folder(&out).unwrap();
        let names = [
            "traces.csv.gz",
            "scores.csv",
            "scores_by_task.csv",
            "statistics.json",
            "report.html",
            "curves.csv",
            "curves_by_task.csv",
            "about.json",
            "tables.tex",
        ];
        let read = |name: &str| fs::read(out.join(name)).unwrap();
        let before = names.map(read);
        report.write_folder(&out).unwrap();
        assert!(
            before == names.map(read),
            "the same report was written in different bytes"
        );
        assert_eq!(fs::read_dir(&out).unwrap().count(), names.len() + 1);
        let mut charts: Vec<_> = fs::read_dir(out.join("charts"))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        charts.sort_by_key(fs::DirEntry::file_name);
        // Eight of the black box and the overview, as SVG and as PDF.
        assert_eq!(charts.len(), 18);
        for chart in charts {
            let bytes = fs::read(chart.path()).unwrap();
            if chart
                .path()
                .extension()
                .is_some_and(|ending| ending == "pdf")
            {
                assert!(bytes.starts_with(b"%PDF-1.4\n") && bytes.ends_with(b"%%EOF\n"));
                continue;
            }
            let picture = fs::read_to_string(chart.path()).unwrap();
            check_well_formed(&picture);
            assert!(!picture.contains("<script"));
        }
        let json: serde_json::Value = serde_json::from_slice(&before[3]).unwrap();
        assert_eq!(json["finished_traces"], 23);
    });
}

#[test]
fn tasks_are_ordered_by_the_error_of_the_prior_where_it_is_known() {
    let results = results();
    let mut analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    let files = |analysis: &SweepAnalysis| {
        let report = report_of(&results, analysis);
        let mut csv = Vec::new();
        scores_csv::write_scores_by_task(analysis, &mut csv).unwrap();
        (text(&report, Format::Html), String::from_utf8(csv).unwrap())
    };
    let (page, csv) = files(&analysis);
    assert!(!page.contains(">prior RMSE</th>"));
    assert!(csv.starts_with("blackbox,task,method,improvement,rank,final_dtm,seeds,"));
    assert!(!csv.contains("prior_rmse"));
    for (task, error) in [(0, 1.25), (1, 0.875)] {
        let task = &mut analysis.blackboxes[0].tasks[task];
        task.prior_rmse = Some(error);
        task.linear_prior_rmse = Some(error + 1.0);
    }
    let (page, csv) = files(&analysis);
    check_well_formed(&page);
    assert!(page.contains(">prior RMSE</th>"));
    let table = page.split(">prior RMSE</th>").nth(1).unwrap();
    let place = |text: &str| table.find(text).unwrap();
    let plain = ">plain</th><td>0.88</td><td>1.88</td><td class=\"muted\">–</td>";
    assert!(place(plain) < place("<td>1.25</td>"));
    assert!(place("<td>1.25</td>") < place(">third</th><td class=\"muted\">–</td>"));
    assert!(page.contains("plain (0.88)"), "the chart names the error");
    let header = csv.lines().next().unwrap();
    assert!(header.ends_with(",best_in_table,prior_rmse"), "{header}");
    let lines = csv
        .lines()
        .filter(|line| line.split(',').next_back() == Some("0.875"));
    assert_eq!(lines.count(), 2);
}

#[test]
fn traces_are_complete_and_exact() {
    let results = results();
    let mut bytes = Vec::new();
    traces_csv::write(&results, &mut bytes).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice())
        .read_to_string(&mut text)
        .unwrap();
    let mut lines = csv::Reader::from_reader(text.as_bytes());
    let header = "blackbox,task,method,seed,iteration,row,value,best,seconds";
    assert_eq!(
        lines
            .headers()
            .unwrap()
            .iter()
            .collect::<Vec<_>>()
            .join(","),
        header
    );
    let rows: Vec<csv::StringRecord> = lines.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 23 * 5);
    let is_wanted =
        |row: &&csv::StringRecord| &row[1] == "plain" && &row[2] == "rs" && &row[3] == "2";
    let trace = &results.blackboxes[0].tasks[1].traces[0][&2];
    let mut best = f64::INFINITY;
    for (index, row) in rows.iter().filter(is_wanted).enumerate() {
        best = best.min(trace.values[index]);
        assert_eq!(row[4], (index + 1).to_string());
        assert_eq!(row[5], trace.rows[index].to_string());
        let numbers = [6, 7, 8].map(|column| row[column].parse::<f64>().unwrap());
        assert_eq!(numbers, [trace.values[index], best, trace.seconds[index]]);
    }
}

#[test]
fn a_report_without_any_trace_says_so() {
    let mut results = results();
    for task in &mut results.blackboxes[0].tasks {
        task.traces.iter_mut().for_each(BTreeMap::clear);
    }
    let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    let report = report_of(&results, &analysis);
    let page = text(&report, Format::Html);
    check_well_formed(&page);
    assert!(page.contains("0 of 24 finished"));
    // Both methods lack the same, which is said once.
    assert_eq!(page.matches("each 0 of 12 traces finished").count(), 1);
    assert!(page.contains("There is no curve to draw yet."));
    assert!(text(&report, Format::Text).contains("no comparison of the methods"));
    let folder = tempfile::tempdir().unwrap();
    report.write_folder(folder.path()).unwrap();
}
