//! What a user meets whose store was damaged, emptied or forged.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_tests::cluster::Cluster;
use loto_tests::programs;
use loto_tests::reports::{assert_same, outcomes};
use loto_tests::servers;
use loto_tests::small_sweep::{Folder, job, table_blob};
use loto_transport::store;
use redis::AsyncCommands;
use rusqlite::Connection;

/// Random search on both tasks of the small table.
const SWEEP: &str = r#"
name = "damaged"
methods = ["rs"]
seeds = 4
iterations = 6

[[blackbox]]
name = "B"
table = "table.csv"
objective = "metric_error"
"#;

const PATIENCE: Duration = Duration::from_secs(120);

fn loto<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Output {
    programs::run("loto", arguments)
}

/// What a command printed, which has to end with that status.
#[track_caller]
fn told(output: &Output, status: i32) -> (String, String) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{text}{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    (text, errors)
}

#[track_caller]
fn assert_told(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

fn run(folder: &Folder) -> Output {
    let (sweep, out) = (folder.sweep(), folder.path("out"));
    loto(["run", path(&sweep), "--out", path(&out)])
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The job of random search on task one with that seed, whose trace has the table's values.
fn first_job(seed: u32) -> Job {
    job(table_blob().0, seed)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forged_traces_are_found_by_verify_and_damaged_ones_are_computed_again() {
    let folder = Folder::with_sweep(SWEEP);
    told(&run(&folder), 0);
    let report = folder.path("out");
    let whole = outcomes(&report);
    let file = folder.path("out").join("sweep.loto");
    let file = path(&file);
    let sample = [
        "verify",
        "damaged",
        "--store",
        file,
        "--fraction",
        "1",
        "--jobs",
        "1",
    ];
    let (text, _) = told(&loto(sample), 0);
    assert_told(&text, &["computed 8 of 8 finished traces again, 0 are not"]);

    // A lie that its own checksum confirms: the best rows first.
    let store = store::open(file).await.unwrap();
    let honest = first_job(1);
    let series = honest.series.id();
    let mut lie: Trace = store.trace(series, 1).await.unwrap().unwrap();
    let mut best: Vec<_> = lie.values.iter().copied().zip(lie.rows.clone()).collect();
    best.sort_by(|left, right| left.0.total_cmp(&right.0));
    (lie.values, lie.rows) = best.into_iter().unzip();
    store.discard_trace(series, 1).await.unwrap();
    store.put_trace(&honest, &lie).await.unwrap();
    drop(store);
    told(&loto(["report", "damaged", "--store", file]), 0);
    let (text, errors) = told(&loto(sample), 1);
    let id = honest.id().to_string();
    assert_told(
        &text,
        &[&id, "rs on one, seed 1", "iteration 1 differs", "1 are not"],
    );
    assert_told(&errors, &["not confirmed: 1"]);

    // A trace in the place of another seed's, and one that is cut.
    let damage = Connection::open(file).unwrap();
    let swap = "UPDATE traces SET trace = (SELECT trace FROM traces WHERE series = ?1 AND seed = 0)
                WHERE series = ?1 AND seed = 1";
    assert_eq!(damage.execute(swap, [series.0]).unwrap(), 1);
    let cut = "UPDATE traces SET trace = x'00ff' WHERE series = ?1 AND seed = 2";
    assert_eq!(damage.execute(cut, [series.0]).unwrap(), 1);
    drop(damage);
    for command in ["status", "report"] {
        let (text, errors) = told(&loto([command, "damaged", "--store", file]), 2);
        let seeds = [
            "rs on one, seed 1",
            "rs on one, seed 2",
            "in the place of another",
        ];
        assert_told(&text, &seeds);
        assert_told(&errors, &["damaged traces in the store: 2"]);
        let sound = match command {
            "status" => "6 of 8 done",
            _ => "6 of 8 traces finished",
        };
        assert_told(&text, &[sound]);
    }
    let (_, errors) = told(&run(&folder), 0);
    assert_told(&errors, &["seed 1) is corrupt", "it is computed again"]);
    assert_same(&outcomes(&report), &whole);
    told(&loto(sample), 0);
    let (text, _) = told(&loto(["status", "damaged", "--store", file]), 0);
    assert_told(&text, &["8 of 8 done"]);
}

#[test]
fn a_damaged_fit_is_named_and_never_used() {
    let folder = Folder::with_sweep(&SWEEP.replace("[\"rs\"]", "[\"rs\", \"gcp-prior\"]"));
    let sweep = fs::read_to_string(folder.sweep()).unwrap();
    folder.write("sweep.toml", sweep.replace("seeds = 4", "seeds = 1"));
    told(&run(&folder), 0);
    let whole = outcomes(&folder.path("out"));
    let store = Connection::open(folder.path("out").join("sweep.loto")).unwrap();
    let fits = "SELECT name, bytes FROM blobs WHERE name LIKE 'prior:%'";
    let mut select = store.prepare(fits).unwrap();
    let fits = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let fits: Vec<(String, Vec<u8>)> = fits.unwrap().map(Result::unwrap).collect();
    assert!(!fits.is_empty());
    let replace = "UPDATE blobs SET bytes = ?2 WHERE name = ?1";
    for (name, bytes) in &fits {
        // The last bit of a number.
        let mut flipped = bytes.clone();
        flipped[400] ^= 1;
        store.execute(replace, (name, flipped)).unwrap();
    }
    // All traces are computed again, those of random search without a fit.
    store.execute("DELETE FROM traces", []).unwrap();
    let (_, errors) = told(&run(&folder), 1);
    let named = |(name, _): &(String, Vec<u8>)| errors.contains(name);
    assert!(fits.iter().any(named), "{errors}");
    assert_told(
        &errors,
        &["in the store is corrupt", "delete it to have it made again"],
    );
    let found = outcomes(&folder.path("out"));
    assert!(found.len() < whole.len());
    assert!(found.iter().all(|outcome| whole.contains(outcome)));
    store
        .execute("DELETE FROM blobs WHERE name LIKE 'prior:%'", [])
        .unwrap();
    told(&run(&folder), 0);
    assert_same(&outcomes(&folder.path("out")), &whole);
}

#[test]
fn a_run_replaces_a_damaged_table_and_keeps_the_traces() {
    let folder = Folder::with_sweep(SWEEP);
    told(&run(&folder), 0);
    let whole = outcomes(&folder.path("out"));
    let file = folder.path("out").join("sweep.loto");
    let store = Connection::open(&file).unwrap();
    let traces = || -> Vec<(u32, Vec<u8>)> {
        let mut select = store
            .prepare("SELECT position, trace FROM traces WHERE seed > 0 ORDER BY position")
            .unwrap();
        let rows = select.query_map([], |row| row.try_into()).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let kept = traces();
    let name = table_blob().0.blob_name();
    for damaged in ["x'0a0a'", "'text'", "zeroblob(100000000)", "x''"] {
        let damage = format!("UPDATE blobs SET bytes = {damaged} WHERE name = '{name}'");
        assert_eq!(store.execute(&damage, []).unwrap(), 1);
        let report = loto(["report", "damaged", "--store", path(&file)]);
        assert_eq!(report.status.code(), Some(2), "{report:?}");
        store
            .execute("DELETE FROM traces WHERE seed = 0", [])
            .unwrap();
        let (_, errors) = told(&run(&folder), 0);
        assert_told(&errors, &[&name, "it is replaced"]);
        assert_same(&outcomes(&folder.path("out")), &whole);
        assert_eq!(traces(), kept);
    }
}

#[test]
fn a_damaged_index_is_no_report_with_fewer_traces() {
    let folder = Folder::with_sweep(SWEEP);
    told(&run(&folder), 0);
    let file = folder.path("out").join("sweep.loto");
    let connection = Connection::open(&file).unwrap();
    let root = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_traces_1'";
    let root: u32 = connection.query_row(root, [], |row| row.get(0)).unwrap();
    let begin = (root as usize - 1) * 4096;
    drop(connection);
    let mut bytes = fs::read(&file).unwrap();
    // One bit of a series in the index: the trace is there, but nobody finds it.
    let series = first_job(0).series.id().0;
    let page = &mut bytes[begin..begin + 4096];
    let entry = page.windows(16).position(|bytes| bytes == series).unwrap();
    page[entry + 15] ^= 1;
    fs::write(&file, bytes).unwrap();
    for command in ["status", "report", "verify"] {
        let output = loto([command, "damaged", "--store", path(&file)]);
        let (text, errors) = told(&output, 2);
        assert_told(&errors, &["the file itself", "sqlite_autoindex_traces_1"]);
        assert_eq!(text, "");
    }
}

/// A sweep over the servers, and the options for commands about it.
struct Installation {
    _turn: servers::BrokerTurn,
    cluster: Cluster,
    store: String,
    servers: [String; 4],
}

impl Installation {
    async fn new() -> Self {
        let turn = servers::broker_turn().await;
        let store = servers::empty_store().await;
        let mut cluster = Cluster::new(&turn.url, &store);
        cluster.start_worker();
        let servers = ["--broker", &turn.url, "--store", &store].map(str::to_owned);
        Self {
            cluster,
            store,
            servers,
            _turn: turn,
        }
    }

    fn loto(&self, command: &[&str]) -> Output {
        let servers = self.servers.iter().map(String::as_str);
        tokio::task::block_in_place(|| loto(command.iter().copied().chain(servers)))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_in_lists_is_named_and_the_rest_goes_on() {
    let there = Installation::new().await;
    let folder = Folder::with_sweep(SWEEP);
    tokio::task::block_in_place(|| {
        there
            .cluster
            .run(&folder.sweep(), "damaged", &folder.path("out"));
    });
    let whole = outcomes(&folder.path("out"));
    let mut redis = servers::connect_redis(&there.store).await;
    let traces = format!("loto:traces:{}", first_job(0).series.id());
    let _: () = redis.hset(&traces, "three", "x").await.unwrap();
    let _: () = redis
        .hset("loto:workers", "ghost:1", "no number")
        .await
        .unwrap();

    // Neither takes anything from the answer.
    let status = ["status", "damaged", "--store", &there.store];
    let (text, errors) = told(&loto(status), 0);
    assert_told(&text, &["8 of 8 done"]);
    assert_told(&errors, &[&traces, "`three` is no seed", "passed over"]);

    // A conflict or a sweep may be missing now.
    let _: () = redis.rpush("loto:sweeps", "no id").await.unwrap();
    let (text, errors) = told(&loto(["status", "--store", &there.store]), 2);
    assert_told(&text, &["damaged"]);
    assert_told(&errors, &["loto:sweeps", "no id", "may not be all"]);
    told(&loto(status), 0);
    let _: () = redis.hset("loto:conflicts", "no job", "x").await.unwrap();
    let (text, errors) = told(&loto(status), 2);
    assert_told(&text, &["8 of 8 done"]);
    assert_told(&errors, &["loto:conflicts", "no job"]);
    tokio::task::block_in_place(|| {
        there
            .cluster
            .run(&folder.sweep(), "damaged", &folder.path("once more"));
    });
    assert_same(&outcomes(&folder.path("once more")), &whole);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_trace_ends_waiting_and_retry_has_it_computed_again() {
    let there = Installation::new().await;
    let folder = Folder::with_sweep(SWEEP);
    tokio::task::block_in_place(|| {
        there
            .cluster
            .run(&folder.sweep(), "damaged", &folder.path("out"));
    });
    let mut redis = servers::connect_redis(&there.store).await;
    let traces = format!("loto:traces:{}", first_job(0).series.id());
    let other: Vec<u8> = redis.hget(&traces, 3).await.unwrap();
    let _: () = redis.hset(&traces, 1, other).await.unwrap();
    let watch = ["watch", "damaged", "--store", &there.store];
    let (_, errors) = told(&tokio::task::block_in_place(|| loto(watch)), 2);
    assert_told(
        &errors,
        &["damaged traces in the store: 1", "rs on one, seed 1"],
    );
    let (text, _) = told(&there.loto(&["retry", "damaged"]), 0);
    assert_told(&text, &["queued 1 jobs again"]);
    told(&tokio::task::block_in_place(|| loto(watch)), 0);
    told(&loto(["report", "damaged", "--store", &there.store]), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_is_emptied_in_mid_sweep_has_everything_again_in_the_end() {
    let mut there = Installation::new().await;
    let folder = Folder::with_sweep(SWEEP);
    let undisturbed = Folder::with_sweep(SWEEP);
    told(&run(&undisturbed), 0);
    // Nobody works yet, so that the sweep is not done before the store is empty.
    there.cluster.stop_worker(0);
    let mut submitted = there.cluster.submit(&folder.sweep());
    let mut redis = servers::connect_redis(&there.store).await;
    loop {
        let listed: usize = redis.llen("loto:sweeps").await.unwrap();
        let published: Vec<String> = redis.keys("loto:sweep-state:*").await.unwrap();
        if listed > 0 && !published.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let _: () = redis::cmd("FLUSHDB").query_async(&mut redis).await.unwrap();
    while redis.llen::<_, usize>("loto:sweeps").await.unwrap() == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    there.cluster.start_worker();
    let status = tokio::task::block_in_place(|| submitted.wait(PATIENCE));
    assert!(status.success(), "{status}");
    let status = ["status", "damaged", "--store", &there.store];
    let (text, _) = told(&loto(status), 0);
    assert_told(&text, &["8 of 8 done"]);
    tokio::task::block_in_place(|| there.cluster.report("damaged", &folder.path("out")));
    let expected = outcomes(&undisturbed.path("out"));
    assert_same(&outcomes(&folder.path("out")), &expected);
}
