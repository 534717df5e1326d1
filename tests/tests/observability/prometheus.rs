//! A real Prometheus understands what the processes tell.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use loto_coordinator::metrics::{AGGREGATOR_METRICS, COORDINATOR_METRICS};
use loto_tests::http::{free_port, get, get_until};
use loto_tests::programs::Process;
use loto_tests::samples::built_in_sweep;
use loto_tests::servers::{PrivateServers, Server};
use loto_tests::small_sweep::Folder;
use loto_transport::metrics::EVERYWHERE;
use loto_worker::metrics::METRICS;
use serde_json::Value;

use crate::{observed, project};

const ALERTS: &str = "deploy/observability/alerts.yaml";
const DASHBOARD: &str = "deploy/observability/dashboard.json";

fn promtool(arguments: &[&str], input: Option<&str>) -> (bool, String) {
    let mut tool = Command::new("promtool");
    tool.args(arguments)
        .current_dir(project("deploy/observability"));
    tool.stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut tool = tool
        .spawn()
        .expect("promtool is installed: deploy/local/install-packages --tests");
    let mut stdin = tool.stdin.take().unwrap();
    stdin
        .write_all(input.unwrap_or_default().as_bytes())
        .unwrap();
    drop(stdin);
    let output = tool.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

/// The queries of all panels of the dashboard, as Grafana would send them.
fn dashboard_queries() -> Vec<String> {
    let dashboard = fs::read_to_string(project(DASHBOARD)).unwrap();
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap());
    let queries = targets.map(|target| target["expr"].as_str().unwrap());
    queries
        .map(|query| query.replace("$__rate_interval", "20s"))
        .collect()
}

/// The names in a text that begin with `loto_`, without what histograms append.
fn names(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let ours = words.filter(|word| word.starts_with("loto_"));
    ours.map(|name| {
        let ends = ["_bucket", "_sum", "_count"];
        ends.iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(name)
    })
    .collect()
}

#[test]
fn the_rules_are_sound_and_fire_when_they_should() {
    for arguments in [
        ["check", "rules", "alerts.yaml"],
        ["test", "rules", "alerts_test.yaml"],
    ] {
        let (sound, said) = promtool(&arguments, None);
        assert!(sound, "{said}");
    }
}

#[test]
fn dashboard_and_rules_use_metrics_that_there_are() {
    let all: BTreeSet<&str> = [
        &EVERYWHERE[..],
        &METRICS,
        &COORDINATOR_METRICS,
        &AGGREGATOR_METRICS,
    ]
    .concat()
    .iter()
    .map(|metric| metric.name)
    .collect();
    for file in [ALERTS, DASHBOARD] {
        let text = fs::read_to_string(project(file)).unwrap();
        let used = names(&text);
        assert!(!used.is_empty());
        let unknown: Vec<_> = used.difference(&all).collect();
        assert!(unknown.is_empty(), "{file}: {unknown:?}");
    }
}

/// A Prometheus that asks these processes every second and knows the alert rules.
fn start_prometheus(folder: &Path, targets: &[&str]) -> (Process, String) {
    let address = format!("127.0.0.1:{}", free_port());
    let config = format!(
        "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\n\
         rule_files: [{:?}]\n\
         scrape_configs: [{{job_name: loto, static_configs: [{{targets: {targets:?}}}]}}]\n",
        project(ALERTS)
    );
    fs::write(folder.join("prometheus.yml"), config).unwrap();
    let mut command = Command::new("prometheus");
    command.arg(format!(
        "--config.file={}",
        folder.join("prometheus.yml").display()
    ));
    command.arg(format!(
        "--storage.tsdb.path={}",
        folder.join("data").display()
    ));
    command.arg(format!("--web.listen-address={address}"));
    command.stderr(File::create(folder.join("prometheus.log")).unwrap());
    (Process::start(command), address)
}

fn ask(prometheus: &str, path: &str) -> Value {
    let (status, body) = get(prometheus, path).unwrap();
    let answer: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (status, &answer["status"]),
        (200, &"success".into()),
        "{path}: {body}"
    );
    answer["data"].clone()
}

fn encoded(query: &str) -> String {
    query.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_query_of_the_dashboard_finds_something_while_a_sweep_runs() {
    let servers = PrivateServers::start(&[Server::Broker, Server::Store]);
    let (broker, store) = (servers.broker_url(), servers.store_url());
    let targets = ["diabetes-median", "wine-alcohol"];
    let sweep = built_in_sweep("watched", &["gp", "gcp-prior"], &targets, 2000, 100);
    let sweep = Folder::with_sweep(&sweep);
    let file = sweep.sweep();
    let start = |binary: &str, arguments: &[&str]| {
        let (mut command, address) = observed(binary);
        // Seed 1 fails until it is given up.
        command
            .env("LOTO_TEST_MISBEHAVE", "1=fail")
            .env("LOTO_BROKER", &broker);
        command
            .env("LOTO_STORE", &store)
            .stdout(Stdio::null())
            .args(arguments);
        (Process::start(command), address)
    };
    let (_worker, worker) = start("faulty-worker", &["--max-attempts", "2"]);
    let (_submit, submit) = start("loto", &["submit", file.to_str().unwrap(), "--wait"]);
    let grpc = format!("127.0.0.1:{}", free_port());
    let (_serve, serve) = start("loto", &["serve", "--listen", &grpc]);
    let targets = [worker.as_str(), &submit, &serve];
    let (_prometheus, prometheus) = start_prometheus(sweep.folder(), &targets);

    // A client that asks now and then.
    let asking = tokio::spawn(async move {
        loop {
            if let Err(error) = ask_aggregator(&grpc).await {
                eprintln!("the client: {error}");
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    });
    // Something to retry and to reconnect to.
    get_until(&worker, "/metrics", |_, text| {
        // Deliveries have every outcome from the start.
        let mut jobs = text
            .lines()
            .filter(|line| line.starts_with("loto_worker_jobs_total{"));
        jobs.any(|line| line.contains("outcome=\"stored\""))
    });
    servers.kill(Server::Store);
    get_until(&worker, "/metrics", |_, text| {
        text.contains("loto_retries_total{")
    });
    tokio::task::block_in_place(|| servers.restart(Server::Store));

    let begin = Instant::now();
    loop {
        let found = |query: &String| {
            let answer = ask(
                &prometheus,
                &format!("/api/v1/query?query={}", encoded(query)),
            );
            !answer["result"].as_array().unwrap().is_empty()
        };
        let empty: Vec<_> = dashboard_queries()
            .into_iter()
            .filter(|query| !found(query))
            .collect();
        if empty.is_empty() {
            break;
        }
        assert!(
            begin.elapsed() < Duration::from_secs(90),
            "nothing found: {empty:#?}"
        );
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let rules = ask(&prometheus, "/api/v1/rules");
    let rules = rules["groups"][0]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 10);
    for rule in rules {
        assert_eq!(rule["health"], "ok", "{rule}");
    }
    for (address, described) in [
        (&worker, &METRICS[..]),
        (&submit, &COORDINATOR_METRICS),
        (&serve, &AGGREGATOR_METRICS),
    ] {
        let (_, text) = get(address, "/metrics").unwrap();
        let (sound, said) = promtool(&["check", "metrics"], Some(&text));
        assert!(sound, "{address}: {said}");
        for metric in described {
            let help = format!("# HELP {} {}", metric.name, metric.help);
            assert!(text.contains(&help), "{help} is missing in {text}");
        }
    }
    asking.abort();
}

async fn ask_aggregator(address: &str) -> anyhow::Result<()> {
    use loto_service::wire;
    use loto_service::wire::aggregator_client::AggregatorClient;
    let mut client = AggregatorClient::connect(format!("http://{address}")).await?;
    let sweeps = client
        .list_sweeps(wire::ListSweepsRequest::default())
        .await?;
    for sweep in sweeps.into_inner().sweeps {
        let request = wire::GetCurvesRequest {
            sweep_id: sweep.sweep_id,
            ..Default::default()
        };
        client.get_curves(request).await?;
    }
    Ok(())
}
