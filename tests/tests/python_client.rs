//! The client in Python, generated from the .proto files, against a served sweep.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use loto_proto::store;
use loto_tests::programs;
use loto_tests::python;

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

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

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
    std::fs::create_dir(&generated).unwrap();
    let mut run = programs::command("loto");
    run.arg("run").arg(&sweep).arg("--out").arg(&out);
    run.arg("--data")
        .arg(repository().join("coordinator/sweeps"));
    succeeded(&run.output().unwrap());
    let store_file = out.join("sweep.loto");
    let store = store::open(store_file.to_str().unwrap()).await.unwrap();
    let sweep_id = store.sweeps().await.unwrap()[0].to_string();

    let in_python = || {
        let mut command = Command::new(&python);
        let path = [generated.clone(), repository().join("deploy/python")];
        command.env("PYTHONPATH", std::env::join_paths(path).unwrap());
        // Leave no compiled files in the repository.
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    };
    // The command of deploy/python/loto_client.py, into another folder.
    let mut generate = in_python();
    generate.args(["-m", "grpc_tools.protoc", "-I", "proto"]);
    for option in ["--python_out", "--grpc_python_out"] {
        generate.arg(option).arg(&generated);
    }
    generate.args(["loto/v1/job.proto", "loto/v1/aggregator.proto"]);
    succeeded(&generate.current_dir(repository()).output().unwrap());

    let (mut service, address) = programs::serve(store_file.to_str().unwrap());
    let mut query = in_python();
    query.arg(repository().join("tests/python/query_served_sweep.py"));
    query.args([&address, &sweep_id]).arg(&out);
    let agreement = succeeded(&query.output().unwrap());
    assert!(
        agreement.contains("the service agrees with the report"),
        "{agreement}"
    );

    let mut summary = in_python();
    summary.arg(repository().join("deploy/python/loto_client.py"));
    let summary = succeeded(&summary.args([&address, &sweep_id]).output().unwrap());
    assert!(
        summary.contains("python-client: 36 of 36 traces done"),
        "{summary}"
    );

    service.terminate();
    assert!(service.wait(Duration::from_secs(20)).success());
}
