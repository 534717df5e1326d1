//! The report, the comparison of two methods and the trace of a job, as pages give them.

use std::collections::BTreeSet;

use loto_proto::job::Job;
use loto_report::numbers;
use loto_tests::synthetic_sweep::{Shape, SyntheticSweep};
use loto_tests::{http, programs, servers};
use loto_transport::store;

use super::browser::{cells, serve};

/// Distances to the minimum of a method on `task-1` at every evaluation, as the report has them.
fn distances(curves: &str, method: &str) -> Vec<f64> {
    let mut lines = csv::Reader::from_reader(curves.as_bytes());
    let headers = lines.headers().unwrap().clone();
    let column = |name: &str| headers.iter().position(|known| known == name).unwrap();
    let (task, own, dtm) = (column("task"), column("method"), column("dtm"));
    let lines = lines.records().map(Result::unwrap);
    let of_method = lines.filter(|line| &line[task] == "task-1" && &line[own] == method);
    of_method.map(|line| line[dtm].parse().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_a_comparison_and_a_trace_are_what_the_command_line_gives() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let sweep = SyntheticSweep::new(Shape::parse("3x4x5x6").unwrap(), 0);
    sweep.submit(store.as_ref()).await.unwrap();
    let jobs: Vec<Job> = sweep.jobs(0..5).collect();
    for job in &jobs {
        store.put_trace(job, &sweep.trace(job)).await.unwrap();
    }
    let id = sweep.sweep.id().to_string();
    let (_service, address) = serve(&url, "127.0.0.1:0", &[]);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    let arguments = [
        "report",
        &id,
        "--store",
        &url,
        "--out",
        out.to_str().unwrap(),
    ];
    let made = programs::run("loto", arguments);
    assert!(made.status.success(), "{made:?}");
    let ask = |path: &str| {
        let path = format!("/sweeps/{id}{path}");
        tokio::task::block_in_place(|| http::ask(&address, "GET", &path, &[], "").unwrap())
    };

    let report = ask("/report.html");
    assert_eq!(report.status, 200, "{report:?}");
    let head = report.head.to_lowercase();
    assert!(head.contains("attachment; filename=\"report-"), "{head}");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert_eq!(cells(&report.body), cells(&page));
    assert!(
        !report.body.contains("redis://"),
        "it tells how the server was started"
    );

    let compared = ask("/compare?blackbox=synthetic&task=task-1&one=rs&other=m2");
    assert_eq!(compared.status, 200, "{compared:?}");
    assert!(compared.body.contains("<svg"));
    let curves = std::fs::read_to_string(out.join("curves_by_task.csv")).unwrap();
    let shown = cells(&compared.body);
    let pairs = distances(&curves, "rs")
        .into_iter()
        .zip(distances(&curves, "m2"));
    let pairs: Vec<[String; 2]> = pairs
        .map(|(one, other)| [one, other].map(numbers::value))
        .collect();
    assert_eq!(pairs.len(), 6);
    assert_eq!(shown[..2], pairs[5], "the means at the end");
    let (_, means) = compared
        .body
        .split_once("Means at every evaluation")
        .unwrap();
    let means = cells(means);
    assert_eq!(means, pairs.concat());

    // The trace of one job: every row and value.
    let job = jobs
        .iter()
        .find(|job| job.series.task == "task-1" && job.seed == 3)
        .unwrap();
    let trace = sweep.trace(job);
    let path = format!("/series/{}/seeds/3", job.series.id());
    let shown = ask(&path);
    assert_eq!(shown.status, 200, "{shown:?}");
    assert!(shown.body.contains("<svg") && shown.body.contains("✓ done"));
    let shown = cells(&shown.body);
    let rows: Vec<&str> = shown.chunks(5).map(|line| line[0].as_str()).collect();
    let rows: Vec<u32> = rows.iter().map(|row| row.parse().unwrap()).collect();
    assert_eq!(rows, trace.rows);
    let values: Vec<String> = shown.chunks(5).map(|line| line[1].clone()).collect();
    let stored: Vec<String> = trace
        .values
        .iter()
        .map(|value| numbers::value(*value))
        .collect();
    assert_eq!(values, stored);
    let nearest: BTreeSet<&str> = shown.chunks(5).map(|line| line[2].as_str()).collect();
    let least = trace.values.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(nearest.contains(numbers::value(least).as_str()));
}
