//! Wrong input over a broker and a store: each a clear error, nothing half done.
//!
//! What one process alone can be given is in `command_line.rs`.

use std::fs;
use std::path::Path;
use std::process::Output;

use lapin::BasicProperties;
use lapin::options::{BasicGetOptions, BasicPublishOptions};
use loto_proto::limits::MAX_MESSAGE_BYTES;
use loto_proto::trace::Trace;
use loto_service::wire::aggregator_client::AggregatorClient;
use loto_service::wire::{GetCurvesRequest, GetProgressRequest};
use loto_tests::cluster::Cluster;
use loto_tests::programs;
use loto_tests::samples;
use loto_tests::servers;
use loto_tests::small_sweep::{Folder, TABLE};
use loto_transport::queue::{DEAD_LETTERS, JOBS};
use redis::AsyncCommands;
use tonic::Code;

/// Nothing listens there: the port is reserved.
const NO_BROKER: &str = "amqp://me:secret@127.0.0.1:1";
const NO_STORE: &str = "redis://me:secret@127.0.0.1:1";

/// Two jobs.
const SWEEP: &str = r#"
name = "hostile"
methods = ["rs"]
seeds = 1
iterations = 4

[[blackbox]]
name = "B"
table = "table.csv"
objective = "metric_error"
"#;

/// `loto submit` without `--wait`.
fn submit(sweep: &Path, broker: &str, store: &str) -> Output {
    let mut submit = programs::command("loto");
    submit.arg("submit").arg(sweep);
    submit.args(["--broker", broker, "--store", store]);
    submit.output().unwrap()
}

/// The error of a command that must be refused.
#[track_caller]
fn refusal(output: Output) -> String {
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(output.stdout, b"", "{error}");
    assert!(!error.contains("panicked"), "{error}");
    assert!(!error.contains("secret"), "{error}");
    error
}

#[track_caller]
fn assert_told(error: &str, expected: &[&str]) {
    for part in expected {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
}

#[test]
fn wrong_tables_are_refused_with_file_line_and_column_before_anything_is_sent() {
    let one_task: String = TABLE.split_inclusive('\n').take(7).collect();
    let replaced = |find: &str, replacement: &str| TABLE.replacen(find, replacement, 1);
    let cases = [
        (replaced(",task", ",tasks"), "line 1: the column `task`"),
        (
            replaced("metric_error", "metric_loss"),
            "line 1: the objective `metric_error` is not a column; known are metric_loss",
        ),
        (
            replaced("0.75", "high"),
            "line 4, column `metric_error`: `high` is not a finite number",
        ),
        (
            replaced("2,1,0.75", "2,yes,0.75"),
            "line 4, column `hp_b`: `yes` is not a finite number",
        ),
        (
            replaced("0.75", "NaN"),
            "line 4, column `metric_error`: `NaN` is not a finite number",
        ),
        (
            replaced("0.75", "inf"),
            "line 4, column `metric_error`: `inf`",
        ),
        (
            replaced("1,0,0.25", "0,0,0.25"),
            "line 3: task `one` has this configuration already",
        ),
        (
            replaced("1,0,0.25,one", "1,0,0.25"),
            "line 3: it has 3 fields, the header has 4",
        ),
        (one_task, "only one task"),
    ];
    for (table, expected) in cases {
        let folder = Folder::with_sweep(SWEEP);
        folder.write("table.csv", table);
        // The servers are not there, but the table is wrong first.
        let error = refusal(submit(&folder.sweep(), NO_BROKER, NO_STORE));
        assert_told(&error, &["table.csv", expected]);
    }
}

#[test]
fn wrong_archives_and_sweep_files_are_refused_before_anything_is_sent() {
    let folder = Folder::with_sweep(SWEEP);
    let archive = fs::read(loto_tests::samples::built_in_table()).unwrap();
    folder.write("table.csv", &archive[..archive.len() / 2]);
    let error = refusal(submit(&folder.sweep(), NO_BROKER, NO_STORE));
    let cut = "table.csv: the zip archive is damaged or cut short";
    assert_told(&error, &[cut]);

    folder.write("table.csv", TABLE);
    let cases: [(&str, &str, &[&str]); 3] = [
        (
            "\"rs\"",
            "\"sr\"",
            &["unknown method `sr`", "gcp-prior", "sweep.toml"],
        ),
        (
            "metric_error",
            "metric_loss",
            &["`metric_loss` is not a column", "table.csv"],
        ),
        ("seeds = 1", "seeds = \"one\"", &["sweep.toml", "line 4"]),
    ];
    for (find, replacement, expected) in cases {
        folder.write("sweep.toml", SWEEP.replacen(find, replacement, 1));
        let error = refusal(submit(&folder.sweep(), NO_BROKER, NO_STORE));
        assert_told(&error, expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_are_not_there_are_named() {
    let turn = servers::broker_turn().await;
    let store = servers::empty_store().await;
    let folder = Folder::with_sweep(SWEEP);
    let sweep = folder.sweep();

    let error = refusal(submit(&sweep, &turn.url, NO_STORE));
    assert_told(&error, &["store redis://me@127.0.0.1:1", "refused"]);
    let error = refusal(submit(&sweep, NO_BROKER, &store));
    assert_told(&error, &["broker amqp://me@127.0.0.1:1", "refused"]);
    let mut redis = servers::connect_redis(&store).await;
    let keys: Vec<String> = redis.keys("*").await.unwrap();
    assert!(keys.is_empty(), "it left {keys:?} behind");

    let readers: [&[&str]; 4] = [
        &["serve", "--listen", "127.0.0.1:0"],
        &["report", "hostile"],
        &["status"],
        &["watch", "hostile"],
    ];
    for arguments in readers {
        let mut reader = programs::command("loto");
        let output = reader.args(arguments).args(["--store", NO_STORE]).output();
        let error = refusal(output.unwrap());
        assert_told(&error, &["store redis://me@127.0.0.1:1", "refused"]);
    }
    let workers = [
        (NO_BROKER, store.as_str(), "broker amqp://me@127.0.0.1:1"),
        (&turn.url, NO_STORE, "store redis://me@127.0.0.1:1"),
    ];
    for (broker, store, expected) in workers {
        let arguments = ["--broker", broker, "--store", store];
        let error = refusal(programs::run("loto-worker", arguments));
        assert_told(&error, &[expected, "refused"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_changed_after_submission_is_refused() {
    let turn = servers::broker_turn().await;
    let store = servers::empty_store().await;
    let folder = Folder::with_sweep(SWEEP);
    let first = submit(&folder.sweep(), &turn.url, &store);
    assert!(first.status.success(), "{first:?}");

    folder.write("table.csv", TABLE.replacen("0.75", "0.70", 1));
    let error = refusal(submit(&folder.sweep(), &turn.url, &store));
    assert_told(&error, &["table.csv, has changed", "sweep `hostile`"]);

    folder.write("table.csv", TABLE);
    let again = submit(&folder.sweep(), &turn.url, &store);
    assert_eq!(again.stdout, first.stdout, "{again:?}");
}

/// A job with a field that no version of the protocol has, too large for a message.
fn large_job() -> Vec<u8> {
    let mut message = samples::job("one", 0).encode();
    let length = MAX_MESSAGE_BYTES as u32;
    // Field 15, bytes; the length as a varint of three bytes.
    message.push(15 << 3 | 2);
    message.extend([
        length as u8 | 128,
        (length >> 7) as u8 | 128,
        (length >> 14) as u8,
    ]);
    message.resize(message.len() + MAX_MESSAGE_BYTES, 0);
    message
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_goes_to_the_dead_letters_and_real_jobs_are_done() {
    let turn = servers::broker_turn().await;
    let store = servers::empty_store().await;
    let (_connection, channel) = servers::connect_broker(&turn.url).await;
    // A job that is sound but for its size, and bytes without any sense.
    let large = [large_job(), vec![0; 8 << 20]];
    let garbage: [&[u8]; 5] = [b"", b"\xff\xfe", b"{\"job\": 1}", &large[0], &large[1]];
    for bytes in garbage {
        let options = BasicPublishOptions::default();
        let properties = BasicProperties::default();
        let sent = channel
            .basic_publish("".into(), JOBS.into(), options, bytes, properties)
            .await;
        sent.unwrap().await.unwrap();
    }

    let mut cluster = Cluster::new(&turn.url, &store);
    cluster.start_worker();
    let folder = Folder::with_sweep(SWEEP);
    tokio::task::block_in_place(|| {
        cluster.run(&folder.sweep(), "hostile", &folder.path("out"));
        let log = cluster.stop_worker(0);
        assert_told(
            &log,
            &["2 traces stored", "5 messages refused", "allowed are 65536"],
        );
    });

    let mut letters = Vec::new();
    let options = BasicGetOptions { no_ack: true };
    while let Some(letter) = channel
        .basic_get(DEAD_LETTERS.into(), options)
        .await
        .unwrap()
    {
        letters.push(letter.delivery.data);
    }
    letters.sort_unstable();
    let mut expected = garbage.map(<[u8]>::to_vec);
    expected.sort_unstable();
    assert_eq!(letters, expected);
}

/// A sweep that was run over the servers, and its id.
fn finished_sweep(folder: &Folder, broker: &str, store: &str) -> (Cluster, String) {
    let mut cluster = Cluster::new(broker, store);
    cluster.start_worker();
    cluster.run(&folder.sweep(), "hostile", &folder.path("out"));
    let again = submit(&folder.sweep(), broker, store);
    let id = String::from_utf8(again.stdout).unwrap().trim().to_owned();
    (cluster, id)
}

/// `loto report` of the sweep.
fn report(store: &str) -> Output {
    programs::run("loto", ["report", "hostile", "--store", store])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_corrupt_trace_is_named_by_its_key() {
    let turn = servers::broker_turn().await;
    let store = servers::empty_store().await;
    let folder = Folder::with_sweep(SWEEP);
    let (cluster, id) = tokio::task::block_in_place(|| finished_sweep(&folder, &turn.url, &store));
    let mut redis = servers::connect_redis(&store).await;
    let keys: Vec<String> = redis.keys("loto:traces:*").await.unwrap();
    let whole: Vec<u8> = redis.hget(&keys[0], 0).await.unwrap();

    let cut = &whole[..whole.len() / 2];
    let mut last = None;
    for garbage in [b"garbage".as_slice(), cut, b""] {
        let _: () = redis.hset(&keys[0], 0, garbage).await.unwrap();
        // It collects what is there as soon as it starts.
        let (serve, address) = programs::serve(&store);
        let mut client = AggregatorClient::connect(format!("http://{address}"))
            .await
            .unwrap();
        // The job is named and the rest is told.
        for (command, sound) in [
            ("report", "1 of 2 traces finished"),
            ("status", "1 of 2 done"),
        ] {
            let output = programs::run("loto", [command, "hostile", "--store", &store]);
            assert_eq!(output.status.code(), Some(2), "{output:?}");
            let text = String::from_utf8(output.stdout).unwrap();
            let named = ["rs on ", "seed 0", &keys[0], "corrupt"];
            assert_told(&text, &named);
            assert_told(&text, &[sound]);
            let error = String::from_utf8(output.stderr).unwrap();
            assert_told(&error, &["damaged traces in the store: 1", "loto resume"]);
        }
        let request = GetCurvesRequest {
            sweep_id: id.clone(),
            ..GetCurvesRequest::default()
        };
        let status = client.get_curves(request).await.unwrap_err();
        assert_eq!(status.code(), Code::DataLoss, "{status}");
        assert_told(status.message(), &["seed 0", &keys[0]]);
        // The service lives on and answers what it can.
        let request = GetProgressRequest {
            sweep_id: id.clone(),
        };
        client.get_progress(request).await.unwrap();
        last = Some((serve, client));
    }

    // What the error says to do helps.
    let servers = ["--broker", &turn.url, "--store", &store];
    let resume = ["resume", "hostile", "--wait"].into_iter().chain(servers);
    let resumed = tokio::task::block_in_place(|| programs::run("loto", resume));
    assert!(resumed.status.success(), "{resumed:?}");
    let again: Vec<u8> = redis.hget(&keys[0], 0).await.unwrap();
    let (again, whole) = (
        Trace::decode(&again).unwrap(),
        Trace::decode(&whole).unwrap(),
    );
    assert_eq!(again.first_difference(&whole), None);
    tokio::task::block_in_place(|| cluster.report("hostile", &folder.path("out")));
    let request = GetCurvesRequest {
        sweep_id: id,
        ..GetCurvesRequest::default()
    };
    let (_serve, mut client) = last.expect("it was damaged");
    client.get_curves(request).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_corrupt_table_is_named_and_can_be_mended() {
    let turn = servers::broker_turn().await;
    let store = servers::empty_store().await;
    let folder = Folder::with_sweep(SWEEP);
    let first = submit(&folder.sweep(), &turn.url, &store);
    assert!(first.status.success(), "{first:?}");
    let id = String::from_utf8(first.stdout).unwrap().trim().to_owned();
    let mut redis = servers::connect_redis(&store).await;
    let tables: Vec<String> = redis.keys("loto:blob:table:*").await.unwrap();
    let [table] = tables.as_slice() else {
        panic!("{tables:?}");
    };
    let name = table.strip_prefix("loto:blob:").unwrap();
    let mut bytes: Vec<u8> = redis.get(table).await.unwrap();
    // Still a table, but with another value in it.
    let position = bytes.windows(4).position(|four| four == b"0.75").unwrap();
    bytes[position + 2] = b'6';

    for garbage in [b"garbage".as_slice(), &bytes] {
        let _: () = redis.set(table, garbage).await.unwrap();
        let error = refusal(report(&store));
        assert_told(&error, &[name, "`loto submit` or `loto run`"]);
        let (_serve, address) = programs::serve(&store);
        let mut client = AggregatorClient::connect(format!("http://{address}"))
            .await
            .unwrap();
        let request = GetCurvesRequest {
            sweep_id: id.clone(),
            ..GetCurvesRequest::default()
        };
        let status = client.get_curves(request).await.unwrap_err();
        assert_eq!(status.code(), Code::DataLoss, "{status}");
        assert_told(status.message(), &[name]);
    }

    // The worker gives its jobs up and says why, and lives on.
    let mut cluster = Cluster::new(&turn.url, &store);
    cluster.start_worker();
    tokio::task::block_in_place(|| {
        let servers = ["--broker", &turn.url, "--store", &store];
        let resume = ["resume", "hostile", "--wait"].into_iter().chain(servers);
        let resumed = programs::run("loto", resume);
        assert_eq!(resumed.status.code(), Some(1), "{resumed:?}");
        let status = programs::run("loto", ["status", "hostile", "--store", &store]);
        let status = String::from_utf8(status.stdout).unwrap();
        assert_told(&status, &[name, "`loto submit` or `loto run`"]);
        // What the error says to do helps.
        cluster.run(&folder.sweep(), "hostile", &folder.path("out"));
        let log = cluster.stop_worker(0);
        assert_told(&log, &["2 traces stored"]);
    });
}
