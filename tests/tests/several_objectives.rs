//! Two objectives and costs: the same traces whatever carries the jobs, and a report that knows both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use loto_tests::cluster::Cluster;
use loto_tests::http::{self, Events};
use loto_tests::programs;
use loto_tests::reports::{assert_same, outcomes};
use loto_tests::servers::{PrivateServers, Server};

const SEEDS: usize = 2;
const ITERATIONS: usize = 6;

/// A folder with a table of three tasks and the sweep file.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut table = String::from("hp_x,hp_y,metric_error,metric_size,metric_time,task\n");
    for task in 0..3_i32 {
        for row in 0..25 {
            let (x, y) = (row / 5, row % 5);
            let error = (x * 10 - 15 - task).pow(2) + (row * 37 + task * 11) % 23;
            let (size, time) = (40 - 8 * x + y, 1 + y);
            table += &format!("{x},{y},{error},{size},{time},t{task}\n");
        }
    }
    fs::write(folder.path().join("table.csv"), table).unwrap();
    let sweep = format!(
        "name = \"both\"\nmethods = [\"rs\", \"gp\", \"gcp-prior\"]\nseeds = {SEEDS}\niterations = {ITERATIONS}\n\
         [[blackbox]]\nname = \"B\"\ntable = \"table.csv\"\nobjectives = [\"metric_error\", \"metric_size\"]\n\
         cost = \"metric_time\"\n"
    );
    fs::write(folder.path().join("sweep.toml"), sweep).unwrap();
    folder
}

fn loto(arguments: &[&str], folder: &Path) -> Output {
    let mut command = programs::command("loto");
    command.args(arguments).current_dir(folder);
    command.output().unwrap()
}

fn text_of(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn run(folder: &Path) -> PathBuf {
    text_of(&loto(&["run", "sweep.toml", "--out", "out"], folder));
    folder.join("out")
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn traces_of_two_objectives_do_not_depend_on_what_carries_the_jobs() {
    let folder = folder();
    let embedded = outcomes(&run(folder.path()));
    assert_eq!(embedded.len(), 1 + 3 * 3 * SEEDS * ITERATIONS);
    assert!(
        embedded[0].ends_with(",best,value_2,cost"),
        "{}",
        embedded[0]
    );

    let servers = PrivateServers::start(&[Server::Broker, Server::Store]);
    let mut cluster = Cluster::new(&servers.broker_url(), &servers.store_url());
    cluster.start_worker();
    cluster.start_worker();
    let out = folder.path().join("cluster");
    cluster.run(&folder.path().join("sweep.toml"), "both", &out);
    assert_same(&outcomes(&out), &embedded);
    let (of_cluster, own) = (
        json(&out.join("statistics.json")),
        json(&folder.path().join("out/statistics.json")),
    );
    assert_eq!(of_cluster["blackboxes"], own["blackboxes"]);
}

#[test]
fn a_report_of_two_objectives_has_errors_fronts_and_curves_over_cost() {
    let folder = folder();
    let out = run(folder.path());
    let statistics = json(&out.join("statistics.json"));
    let blackbox = &statistics["blackboxes"][0];
    assert_eq!(blackbox["measure"], "hypervolume_error");
    let methods = blackbox["methods"].as_array().unwrap();
    let names: Vec<&str> = methods
        .iter()
        .map(|known| known["method"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["rs", "gp + MO", "gcp-prior + MO"]);
    for method in methods {
        let errors = method["averages"]["adtm"]["mean"].as_array().unwrap();
        let errors: Vec<f64> = errors.iter().map(|error| error.as_f64().unwrap()).collect();
        assert!(
            errors.is_sorted_by(|before, after| before >= after),
            "{errors:?}"
        );
        assert!(
            errors.iter().all(|error| (0.0..1.0).contains(error)),
            "{errors:?}"
        );
    }
    assert_eq!(
        blackbox["over_cost"]["costs"].as_array().unwrap().len(),
        100
    );
    let front = blackbox["tasks"][0]["front"]["points"].as_array().unwrap();
    let fronts = fs::read_to_string(out.join("fronts.csv")).unwrap();
    let of_table = fronts.lines().filter(|line| line.starts_with("B,t0,,"));
    assert_eq!(of_table.count(), front.len());
    for name in [
        "curves_over_cost.csv",
        "charts/front-B-1.svg",
        "charts/cost-B.svg",
    ] {
        assert!(out.join(name).exists(), "{name}");
    }
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("AHVE") && !page.contains("final ADTM"));
    assert!(page.contains("Which differences matter: hypervolume error after"));
    let chart = fs::read_to_string(out.join("charts/front-B-1.svg")).unwrap();
    for axis in ["metric_error", "metric_size"] {
        assert!(chart.contains(&format!(">{axis}<")), "{chart}");
    }

    // Its own traces, scored like those of another program, have the same errors.
    let score = [
        "score",
        "out/traces.csv.gz",
        "--sweep",
        "sweep.toml",
        "--out",
        "scored",
    ];
    text_of(&loto(&score, folder.path()));
    let scored = json(&folder.path().join("scored/statistics.json"));
    assert_eq!(
        scored["blackboxes"][0]["tasks"][0]["front"],
        blackbox["tasks"][0]["front"]
    );
    assert_eq!(
        scored["blackboxes"][0]["over_cost"]["costs"],
        blackbox["over_cost"]["costs"]
    );
    let text = text_of(&loto(
        &["report", "both", "--store", "out/sweep.loto"],
        folder.path(),
    ));
    assert!(
        text.contains("final AHVE") && text.contains("over cost"),
        "{text}"
    );
}

#[test]
fn the_live_page_names_methods_as_the_report_does() {
    let folder = folder();
    let store = run(folder.path()).join("sweep.loto");
    let status = ["status", "both", "--store", store.to_str().unwrap()];
    let status = text_of(&loto(&status, folder.path()));
    let id = status.split(' ').nth(1).unwrap();

    let mut serve = programs::command("loto");
    serve.arg("serve").arg("--store").arg(&store);
    serve.args(["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]);
    let (_service, address) = programs::start_and_read(serve, "showing sweeps on http://");
    // Results are computed for those who look.
    let _looking = Events::of(&address, &format!("/sweeps/{id}/events"), &[]).unwrap();
    let path = format!("/sweeps/{id}");
    let page = http::get_until(&address, &path, |_, page| page.contains("AHVE"));
    let (_, results) = page.split_once("Results: ").unwrap();
    for name in ["gp + MO", "gcp-prior + MO"] {
        assert!(results.contains(name), "{name} is not in {results}");
    }
}
