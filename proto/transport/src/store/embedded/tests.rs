//! What only a store in a file can get wrong; the rest is shared by all stores and tested in `tests/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::store::EmbeddedStore;
use crate::error::TransportError;
use crate::store::attempts::Attempts;
use crate::store::blobs::Blobs;
use crate::store::health::Health;
use crate::store::open_existing;
use crate::store::traces::{Stored, Traces};
use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::identity::Fingerprint;
use loto_proto::job::{Job, MethodSpec, Series};
use loto_proto::limits::MAX_BLOB_BYTES;
use loto_proto::trace::Trace;

fn job(seed: u32) -> Job {
    Job {
        series: Series {
            method: MethodSpec {
                name: None,
                id: "rs".into(),
                version: 1,
                parameters: BTreeMap::new(),
                program: None,
            },
            table: Fingerprint([3; 16]),
            task: "one".into(),
            iterations: 2,
        },
        seed,
    }
}

fn trace(seed: u32) -> Trace {
    Trace {
        rows: vec![seed, seed + 1],
        values: vec![0.5, 0.25],
        further_values: Vec::new(),
        microseconds: vec![1, 2],
        preparation_microseconds: 0,
        linear_algebra: "none".into(),
        program: Default::default(),
    }
}

fn file(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

async fn refusal(path: &Path) -> String {
    EmbeddedStore::open(path)
        .await
        .err()
        .expect("it must be refused")
        .to_string()
}

#[tokio::test]
async fn a_store_is_found_again_after_closing() {
    let (_folder, path) = file("a.loto");
    let store = EmbeddedStore::open(&path).await.unwrap();
    store.put_trace(&job(4), &trace(4)).await.unwrap();
    drop(store);
    let store = EmbeddedStore::open(&path).await.unwrap();
    assert_eq!(
        store.trace(job(4).series.id(), 4).await.unwrap(),
        Some(trace(4))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_openers_of_a_new_file_share_it() {
    let (_folder, path) = file("shared.loto");
    let writer = |path: PathBuf, seeds: std::ops::Range<u32>| async move {
        let store = EmbeddedStore::open(&path).await.unwrap();
        for seed in seeds {
            assert_eq!(
                store.put_trace(&job(seed), &trace(seed)).await.unwrap(),
                Stored::New
            );
        }
        store
    };
    let first = tokio::spawn(writer(path.clone(), 0..50));
    let second = tokio::spawn(writer(path, 50..100));
    let (first, second) = (first.await.unwrap(), second.await.unwrap());
    for store in [first, second] {
        let seeds = store.seeds_done(&[job(0).series.id()]).await.unwrap();
        assert_eq!(seeds, [(0..100).collect::<Vec<_>>()]);
    }
}

#[tokio::test]
async fn files_of_another_kind_are_refused_and_left_alone() {
    let (_folder, path) = file("notes.loto");
    std::fs::write(
        &path,
        "dear diary, this is not a database but a long enough text\n".repeat(99),
    )
    .unwrap();
    let before = std::fs::read(&path).unwrap();
    let message = refusal(&path).await;
    assert!(
        message.contains("notes.loto") && message.contains("no loto store"),
        "{message}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);

    let (_folder, path) = file("other.sqlite");
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("CREATE TABLE bookmarks (url TEXT)")
        .unwrap();
    let message = refusal(&path).await;
    assert!(message.contains("another program"), "{message}");
    let tables: u32 = other
        .query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))
        .unwrap();
    assert_eq!(tables, 1);

    let (_folder, path) = file("newer.loto");
    drop(EmbeddedStore::open(&path).await.unwrap());
    Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let message = refusal(&path).await;
    assert!(message.contains("schema 99"), "{message}");

    let (folder, _) = file("");
    let message = refusal(&folder.path().join("no/such/folder.loto")).await;
    assert!(message.contains("folder.loto"), "{message}");
}

#[tokio::test]
async fn a_folder_and_a_pipe_are_no_stores() {
    let (folder, pipe) = file("pipe.loto");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
    let directory = folder.path().join("folder.loto");
    std::fs::create_dir(&directory).unwrap();
    for path in [&pipe, &directory] {
        let url = format!("sqlite:{}", path.display());
        let messages = [
            refusal(path).await,
            EmbeddedStore::open_read_only(path)
                .await
                .err()
                .unwrap()
                .to_string(),
            open_existing(url.as_str()).await.err().unwrap().to_string(),
        ];
        let expected = format!(
            "store {} is not valid: it is not a regular file",
            path.display()
        );
        assert_eq!(messages, [&*expected; 3]);
    }
    let absent = format!("sqlite:{}", folder.path().join("absent.loto").display());
    let message = open_existing(absent.as_str())
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(
        message.contains("no such file") && !message.contains("sqlite:"),
        "{message}"
    );
}

#[tokio::test]
async fn what_no_store_has_is_refused_before_it_is_run() {
    let endless = "ALTER TABLE sweeps RENAME TO t2;
        CREATE VIEW sweeps AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i AS position, randomblob(16) AS id, t2.sweep AS sweep FROM n, t2;
        ALTER TABLE t2 RENAME TO blobs_of_mine";
    let trigger = "CREATE TRIGGER shift AFTER INSERT ON traces BEGIN
        UPDATE traces SET seed = seed + 100; END";
    let index = "CREATE INDEX costly ON traces (hex(trace))";
    let column = "ALTER TABLE attempts ADD COLUMN more DEFAULT 1";
    let cases = [
        (endless, "table `blobs_of_mine`"),
        (trigger, "trigger `shift`"),
        (index, "index `costly`"),
        (column, "table `attempts`"),
        ("CREATE VIEW more AS SELECT 1", "view `more`"),
        ("DROP TABLE stopped", "no table `stopped`"),
    ];
    for (change, object) in cases {
        let (_folder, path) = file("changed.loto");
        drop(EmbeddedStore::open(&path).await.unwrap());
        Connection::open(&path)
            .unwrap()
            .execute_batch(change)
            .unwrap();
        let read = EmbeddedStore::open_read_only(&path).await.err();
        for message in [refusal(&path).await, read.unwrap().to_string()] {
            assert!(
                message.contains("changed.loto") && message.contains(object),
                "{message}"
            );
        }
    }
}

#[tokio::test]
async fn views_and_triggers_made_while_a_store_is_open_are_not_run() {
    let (_folder, path) = file("open.loto");
    let store = EmbeddedStore::open(&path).await.unwrap();
    let other = Connection::open(&path).unwrap();
    let trigger = "CREATE TRIGGER shift AFTER INSERT ON traces BEGIN
        UPDATE traces SET seed = seed + 100; END";
    other.execute_batch(trigger).unwrap();
    store.put_trace(&job(4), &trace(4)).await.unwrap();
    let seeds = store.seeds_done(&[job(4).series.id()]).await.unwrap();
    assert_eq!(seeds, [[4]]);
    let view = "ALTER TABLE traces RENAME TO t2; CREATE VIEW traces AS SELECT * FROM t2";
    other.execute_batch(view).unwrap();
    assert!(store.seeds_done(&[job(4).series.id()]).await.is_err());
}

#[tokio::test]
async fn a_file_of_the_first_version_is_extended() {
    let (_folder, path) = file("first.loto");
    drop(EmbeddedStore::open(&path).await.unwrap());
    let first = "DROP TABLE conflicts; DROP TABLE stopped; DROP TABLE sweep_states;
        DROP TABLE workers; DROP INDEX attempts_copy; PRAGMA user_version = 1";
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(first).unwrap();
    let view = "CREATE VIEW workers AS SELECT 1";
    connection.execute_batch(view).unwrap();
    let message = refusal(&path).await;
    assert!(message.contains("view `workers`"), "{message}");
    connection.execute_batch("DROP VIEW workers").unwrap();
    for _ in 0..2 {
        let store = EmbeddedStore::open(&path).await.unwrap();
        assert_eq!(store.conflicts().await.unwrap(), []);
    }
}

#[tokio::test]
async fn damaged_values_are_named() {
    let (_folder, path) = file("damaged.loto");
    let store = EmbeddedStore::open(&path).await.unwrap();
    store.put_trace(&job(7), &trace(7)).await.unwrap();
    let series = job(7).series.id();
    let damage = Connection::open(&path).unwrap();
    damage
        .execute("UPDATE traces SET trace = x'00ff'", [])
        .unwrap();
    for error in [
        store.trace(series, 7).await.unwrap_err(),
        store.traces(series).await.unwrap_err(),
        store.put_trace(&job(7), &trace(7)).await.unwrap_err(),
    ] {
        assert!(
            matches!(error, TransportError::CorruptValue { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("seed 7"), "{error}");
    }
    damage
        .execute("UPDATE traces SET seed = 'seven'", [])
        .unwrap();
    assert_names_table(store.seeds_done(&[series]).await.unwrap_err(), "traces");
    damage
        .execute("UPDATE traces SET seed = -1, trace = 'text'", [])
        .unwrap();
    assert_names_table(store.seeds_done(&[series]).await.unwrap_err(), "traces");
    store.put_blob("table:x", b"bytes").await.unwrap();
    damage
        .execute_batch(
            "UPDATE traces SET seed = 7; UPDATE blobs SET bytes = 'text';
             INSERT INTO attempts SELECT series, 8, x'00' FROM traces",
        )
        .unwrap();
    assert_names_table(store.job_record(series, 7).await.unwrap_err(), "traces");
    assert_names_table(store.job_record(series, 8).await.unwrap_err(), "attempts");
    assert_names_table(store.blob("table:x").await.unwrap_err(), "blobs");
}

#[track_caller]
fn assert_names_table(error: TransportError, table: &str) {
    let message = error.to_string();
    let parts = [
        "damaged.loto",
        &format!("table {table}"),
        "restore the file",
    ];
    assert!(
        matches!(error, TransportError::CorruptValue { .. })
            && parts.iter().all(|part| message.contains(part)),
        "{message}"
    );
}

#[tokio::test]
async fn a_damaged_record_of_attempts_gives_way_to_the_next() {
    let (_folder, path) = file("attempts.loto");
    let store = EmbeddedStore::open(&path).await.unwrap();
    let (job, series) = (job(7), job(7).series.id());
    let absent = AttemptVersion::default();
    let first = Attempt {
        count: 1,
        ..Attempt::default()
    };
    let put = store.put_attempt(&job, &absent, &first).await.unwrap();
    assert!(put.is_some());
    let damage = Connection::open(&path).unwrap();
    let cut = "UPDATE attempts SET attempt = substr(attempt, 2)";
    damage.execute(cut, []).unwrap();
    let record = store.job_record(series, 7).await.unwrap();
    assert_eq!((record.done, record.attempt), (false, None));
    let put = store.put_attempt(&job, &absent, &first).await.unwrap();
    assert!(put.is_none());
    let put = store.put_attempt(&job, &record.version, &first).await;
    assert!(put.unwrap().is_some());
    let record = store.job_record(series, 7).await.unwrap();
    assert_eq!(record.attempt, Some(first));
}

#[tokio::test]
async fn a_value_without_bound_is_refused_before_it_is_read() {
    let (_folder, path) = file("huge.loto");
    let store = EmbeddedStore::open(&path).await.unwrap();
    let largest = vec![0; MAX_BLOB_BYTES];
    store.put_blob("largest", &largest).await.unwrap();
    assert_eq!(store.blob("largest").await.unwrap(), Some(largest));
    let error = store.put_blob("x", &vec![0; MAX_BLOB_BYTES + 1]).await;
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("70254593 bytes, allowed are 70254592"),
        "{error}"
    );
    Connection::open(&path)
        .unwrap()
        .execute(
            "INSERT INTO blobs (name, bytes) VALUES ('huge', zeroblob(100000000))",
            [],
        )
        .unwrap();
    let error = store.blob("huge").await.unwrap_err();
    assert!(
        matches!(error, TransportError::CorruptValue { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn a_writer_in_the_way_is_waited_for() {
    let (_folder, path) = file("busy.loto");
    let store = EmbeddedStore::open(&path).await.unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let writing = tokio::spawn(async move { store.put_trace(&job(1), &trace(1)).await });
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert!(!writing.is_finished());
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(writing.await.unwrap().unwrap(), Stored::New);
}

#[tokio::test]
async fn a_mark_stays_until_anybody_changes_the_file() {
    let (_folder, path) = file("sweep.loto");
    let [one, other] = [
        EmbeddedStore::open(&path).await.unwrap(),
        EmbeddedStore::open(&path).await.unwrap(),
    ];
    let mark = async |store: &EmbeddedStore| store.change_mark().await.unwrap().unwrap();
    let mut last = [mark(&one).await, mark(&other).await];
    for (seed, writer) in [(0, &one), (1, &other), (2, &other)] {
        assert_eq!([mark(&one).await, mark(&other).await], last);
        writer.put_trace(&job(seed), &trace(seed)).await.unwrap();
        let next = [mark(&one).await, mark(&other).await];
        assert!(
            next[0] != last[0] && next[1] != last[1],
            "{next:?} after {last:?}"
        );
        last = next;
        let read = one.trace(job(seed).series.id(), seed).await.unwrap();
        assert!(read.is_some());
    }
}
