//! A client that was generated before black boxes had two objectives asks a service of today. What it knows is as it was;
//! what is new it passes over.

use std::fs;
use std::path::Path;

use loto_tests::programs;
use tonic::transport::Channel;

use former::aggregator_client::AggregatorClient;

/// Generated from `former_protocol`.
#[allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    reason = "it is generated"
)]
mod former {
    tonic::include_proto!("loto.v1");
}

const METHODS: [&str; 3] = ["rs", "gp", "gcp"];
const TASKS: usize = 3;
const SEEDS: usize = 2;
const ITERATIONS: usize = 6;
const ROWS: u32 = 25;

const TRACES: usize = METHODS.len() * TASKS * SEEDS;

/// The error of a row: another order on every task.
fn error(task: usize, row: u32) -> f64 {
    f64::from((row * 7 + task as u32 * 5) % ROWS)
}

/// A folder with a table of three tasks and a sweep with these objectives, which has been run.
fn run(objectives: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut table = String::from("hp_x,hp_y,metric_error,metric_size,metric_time,task\n");
    for task in 0..TASKS {
        for row in 0..ROWS {
            let (x, y, size) = (row / 5, row % 5, 40 - row);
            let error = error(task, row);
            table += &format!("{x},{y},{error},{size},{},t{task}\n", 1 + y);
        }
    }
    fs::write(folder.path().join("table.csv"), table).unwrap();
    let sweep = format!(
        "name = \"asked\"\nmethods = {METHODS:?}\nseeds = {SEEDS}\niterations = {ITERATIONS}\n\
         [[blackbox]]\nname = \"B\"\ntable = \"table.csv\"\n{objectives}\n"
    );
    fs::write(folder.path().join("sweep.toml"), sweep).unwrap();
    let mut run = programs::command("loto");
    run.args(["run", "sweep.toml", "--out", "out"]);
    let output = run.current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    folder
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_objective_is_as_it_was() {
    let folder = run("objective = \"metric_error\"");
    everything_is_answered(folder.path()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_objectives_and_a_cost_are_passed_over() {
    let folder = run("objectives = [\"metric_error\", \"metric_size\"]\ncost = \"metric_time\"");
    everything_is_answered(folder.path()).await;
}

/// Asks every question of the former service.
async fn everything_is_answered(folder: &Path) {
    let store = folder.join("out/sweep.loto");
    let (_service, address) = programs::serve(store.to_str().unwrap());
    let client = AggregatorClient::connect(format!("http://{address}")).await;
    let mut client = client.unwrap();

    let list = client
        .list_sweeps(former::ListSweepsRequest::default())
        .await;
    let list = list.unwrap().into_inner();
    let [sweep] = &list.sweeps[..] else {
        panic!("{list:?}")
    };
    assert_eq!((sweep.jobs, sweep.problem.as_str()), (TRACES as u64, ""));
    let plan = sweep.plan.as_ref().unwrap();
    assert_eq!((plan.name.as_str(), plan.blackboxes.len()), ("asked", 1));
    let sweep_id = sweep.sweep_id.clone();

    let request = former::WatchProgressRequest {
        sweep_id: sweep_id.clone(),
        resume_token: String::new(),
    };
    let watch = client.watch_progress(request).await.unwrap();
    let progress = watch.into_inner().message().await.unwrap().unwrap();
    assert_eq!(
        (progress.planned, progress.done),
        (TRACES as u64, TRACES as u64)
    );
    assert!(progress.complete, "{progress:?}");

    curves(&mut client, &sweep_id).await;
    scores(&mut client, &sweep_id).await;
    traces(&mut client, &sweep_id).await;
}

async fn curves(client: &mut AggregatorClient<Channel>, sweep_id: &str) {
    let request = former::GetCurvesRequest {
        sweep_id: sweep_id.into(),
        ..Default::default()
    };
    let curves = client.get_curves(request).await.unwrap().into_inner();
    let blackbox = &curves.blackboxes[0];
    assert_eq!(blackbox.adtm.len(), METHODS.len());
    for curve in &blackbox.adtm {
        assert_eq!(curve.mean.len(), ITERATIONS, "{curve:?}");
        let falls = curve.mean.is_sorted_by(|before, after| before >= after);
        assert!(
            falls && curve.mean.iter().all(|error| (0.0..=1.0).contains(error)),
            "{curve:?}"
        );
    }
    assert_eq!(blackbox.tasks.len(), TASKS);
    for task in &blackbox.tasks {
        assert_eq!(
            (task.minimum, task.maximum),
            (0.0, f64::from(ROWS - 1)),
            "{task:?}"
        );
    }
}

async fn scores(client: &mut AggregatorClient<Channel>, sweep_id: &str) {
    let request = former::GetImprovementRequest {
        sweep_id: sweep_id.into(),
        ..Default::default()
    };
    let improvement = client.get_improvement(request).await.unwrap().into_inner();
    let completeness = improvement.completeness.unwrap();
    assert_eq!(completeness.finished, TRACES as u64);
    let methods = &improvement.blackboxes[0].methods;
    assert_eq!(methods.len(), METHODS.len());
    for method in methods {
        assert_eq!(method.finished_traces, (TASKS * SEEDS) as u64, "{method:?}");
        assert!(
            method.improvement.is_some_and(|value| value <= 1.0),
            "{method:?}"
        );
    }
    let request = former::CompareMethodsRequest {
        sweep_id: sweep_id.into(),
        ..Default::default()
    };
    let comparison = client.compare_methods(request).await.unwrap().into_inner();
    let together = comparison.together.unwrap();
    assert_eq!(together.impossible, "");
    assert_eq!(together.average_ranks.len(), METHODS.len());
    assert_eq!(together.data_sets.len(), TASKS);
}

async fn traces(client: &mut AggregatorClient<Channel>, sweep_id: &str) {
    let request = former::StreamTracesRequest {
        sweep_id: sweep_id.into(),
        methods: METHODS.map(String::from).to_vec(),
        ..Default::default()
    };
    let traces = client.stream_traces(request).await.unwrap();
    let mut traces = traces.into_inner();
    let mut count = 0;
    while let Some(finished) = traces.message().await.unwrap() {
        count += 1;
        let task: usize = finished.task.strip_prefix('t').unwrap().parse().unwrap();
        let trace = finished.trace.unwrap();
        assert_eq!(trace.rows.len(), ITERATIONS);
        let errors: Vec<f64> = trace.rows.iter().map(|&row| error(task, row)).collect();
        assert_eq!(trace.values, errors, "seed {} on t{task}", finished.seed);
    }
    assert_eq!(count, TRACES);
}
