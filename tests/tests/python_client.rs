//! The client in Python, generated from the .proto files, against a served sweep.

use std::io::{BufRead, BufReader};
use std::process::{Output, Stdio};
use std::time::Duration;

use loto_proto::job::Job;
use loto_tests::programs::{self, Process};
use loto_tests::python;
use loto_tests::synthetic_sweep::{Shape, SyntheticSweep};
use loto_transport::store;

const SWEEP: &str = r#"
name = "python-client"
methods = ["rs", "gp", "gcp"]
seeds = 3
iterations = 12

[[blackbox]]
name = "SVM"
table = "svm-sklearn.csv.zip"
objective = "metric_error"
targets = ["breast-cancer-mean", "diabetes-median", "digits-3-vs-8", "wine-alcohol"]
"#;

fn succeeded(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}\n{error}");
    out
}

#[tokio::test]
async fn the_client_in_python_agrees_with_the_report() {
    let Some(python) = python::interpreter_or_skip("the_client_in_python_agrees_with_the_report")
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (sweep, out, generated) = (
        folder.path().join("sweep.toml"),
        folder.path().join("out"),
        folder.path().join("generated"),
    );
    std::fs::write(&sweep, SWEEP).unwrap();
    let mut run = programs::command("loto");
    run.arg("run").arg(&sweep).arg("--out").arg(&out);
    run.arg("--data")
        .arg(python::repository().join("coordinator/sweeps"));
    succeeded(&run.output().unwrap());
    let store_file = out.join("sweep.loto");
    let store = store::open(store_file.to_str().unwrap()).await.unwrap();
    let sweep_id = store.sweeps().await.unwrap()[0].to_string();

    let in_python = || python::with_client(&python, &generated);
    python::generate_client(&python, &generated);

    let (mut service, address) = programs::serve(store_file.to_str().unwrap());
    let mut query = in_python();
    query.arg(python::repository().join("tests/python/query_served_sweep.py"));
    query.args([&address, &sweep_id]).arg(&out);
    let agreement = succeeded(&query.output().unwrap());
    assert!(
        agreement.contains("the service agrees with the report"),
        "{agreement}"
    );

    let mut summary = in_python();
    summary.args(["-m", "loto.client"]);
    let summary = succeeded(&summary.args([&address, &sweep_id]).output().unwrap());
    assert!(
        summary.contains("python-client: 36 of 36 traces done"),
        "{summary}"
    );

    service.terminate();
    assert!(service.wait(Duration::from_secs(20)).success());
}

#[tokio::test]
async fn watching_in_python_outlasts_a_restart_of_the_service() {
    let test = "watching_in_python_outlasts_a_restart_of_the_service";
    let Some(python) = python::interpreter_or_skip(test) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let generated = folder.path().join("generated");
    python::generate_client(&python, &generated);
    let file = folder.path().join("sweep.loto");
    let url = file.to_str().unwrap();
    let shape = Shape::parse("2x2x1x5").unwrap();
    let sweep = SyntheticSweep::new(shape, 0);
    let store = store::open(url).await.unwrap();
    sweep.submit(store.as_ref()).await.unwrap();
    let jobs: Vec<Job> = sweep.jobs(0..1).collect();
    let put = async |jobs: &[Job]| {
        for job in jobs {
            store.put_trace(job, &sweep.trace(job)).await.unwrap();
        }
    };

    let (mut service, address) = programs::serve(url);
    let mut watch = python::with_client(&python, &generated);
    watch.arg(python::repository().join("tests/python/watch_served_sweep.py"));
    watch.args([&address, &sweep.sweep.id().to_string()]);
    let mut watch = Process::start({
        watch.stdout(Stdio::piped());
        watch
    });
    let mut lines = BufReader::new(watch.child().stdout.take().unwrap()).lines();
    let mut next = || lines.next().expect("a line").unwrap();
    assert_eq!(next(), "0 of 4");
    put(&jobs[..1]).await;
    assert_eq!(next(), "1 of 4");
    service.kill();
    let (_service, again) = programs::serve_at(url, &address);
    assert_eq!(again, address);
    // What was told before the break is not told again.
    put(&jobs[1..3]).await;
    let mut told = vec![next()];
    while told.last().unwrap() != "3 of 4" {
        told.push(next());
    }
    assert!(!told.contains(&"1 of 4".to_string()), "{told:?}");
    put(&jobs[3..]).await;
    assert_eq!(next(), "4 of 4");
    assert_eq!(next(), "complete");
    assert!(watch.wait(Duration::from_secs(20)).success());
}
