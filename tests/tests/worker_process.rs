//! The worker as a process: what a user sees of it.

use std::process::{Command, Stdio};
use std::time::Duration;

use lapin::BasicProperties;
use lapin::options::{BasicGetOptions, BasicPublishOptions};
use loto_proto::attempt::AttemptState;
use loto_tests::programs::{self, Process};
use loto_tests::samples::{job, trace};
use loto_tests::{servers, small_sweep};
use loto_transport::queue::{self, DEAD_LETTERS, JOBS};
use loto_transport::store;

/// Nothing listens there: the port is reserved.
const NOBODY: &str = "127.0.0.1:1";

fn worker(broker: &str, store: &str) -> Command {
    let mut command = programs::command("loto-worker");
    command.args(["--jobs", "2", "--broker", broker, "--store", store]);
    command
}

#[tokio::test]
async fn servers_that_are_not_there_are_named_and_give_status_2() {
    let store = servers::empty_store().await;
    let cases = [
        (
            format!("amqp://me:secret@{NOBODY}"),
            store.clone(),
            "broker amqp://me@",
        ),
        (
            "amqp://localhost".into(),
            format!("redis://me:secret@{NOBODY}"),
            "store redis://me@",
        ),
        (format!("http://me:secret@{NOBODY}"), store, "broker URL"),
        (
            "amqp://localhost".into(),
            "ftp://me:secret@host".into(),
            "store URL",
        ),
    ];
    for (broker, store, expected) in cases {
        let output = worker(&broker, &store).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(
            message.contains(expected) && !message.contains("secret"),
            "{message}"
        );
    }
}

#[test]
fn wrong_arguments_give_status_2_and_help_shows_examples_but_no_secrets() {
    let wrong: [&[&str]; 3] = [
        &["--jobs", "0", "--broker", "x", "--store", "x"],
        &["--store", "redis://localhost"],
        &["--log", "loto=shout", "--broker", "x", "--store", "x"],
    ];
    for arguments in wrong {
        assert_eq!(
            programs::run("loto-worker", arguments).status.code(),
            Some(2),
            "{arguments:?}"
        );
    }
    let mut help = programs::command("loto-worker");
    help.arg("--help")
        .env("LOTO_BROKER", "amqp://me:secret@host");
    let help = help.output().unwrap();
    assert!(help.status.success());
    let text = String::from_utf8(help.stdout).unwrap();
    assert!(
        text.contains("Examples:") && !text.contains("secret"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_and_impossible_jobs_do_not_end_it_and_sigterm_does() {
    let turn = servers::broker_turn().await;
    let store_url = servers::empty_store().await;
    let store = store::open(&store_url).await.unwrap();
    let queue = queue::connect(&turn.url).await.unwrap();
    let (_connection, channel) = servers::connect_broker(&turn.url).await;

    let (table, blob) = small_sweep::table_blob();
    store.put_blob(&table.blob_name(), &blob).await.unwrap();
    let mut impossible = small_sweep::job(table, 1);
    impossible.series.task = "nowhere".into();

    // Done already, garbage, and a job for a task that the table does not have.
    store.put_trace(&job("one", 0), &trace(0)).await.unwrap();
    queue.publish(&[job("one", 0)]).await.unwrap();
    let options = BasicPublishOptions::default();
    let properties = BasicProperties::default();
    let garbage = b"\xffgarbage";
    let sent = channel
        .basic_publish("".into(), JOBS.into(), options, garbage, properties)
        .await;
    sent.unwrap().await.unwrap();
    queue.publish(&[impossible.clone()]).await.unwrap();

    let mut command = worker(&turn.url, &store_url);
    command
        .args(["--max-attempts", "2"])
        .stderr(Stdio::inherit());
    let mut running = Process::start(command);
    let id = impossible.series.id();
    let poisoned = async {
        loop {
            let attempts = store.attempts(&[id]).await.unwrap().remove(0);
            match attempts.first() {
                Some((1, attempt)) if attempt.state == AttemptState::Poisoned => {
                    return attempt.clone();
                }
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    let attempt = tokio::time::timeout(Duration::from_secs(60), poisoned).await;
    let attempt = attempt.expect("the impossible job is poisoned");
    assert_eq!(attempt.count, 2);
    assert!(attempt.error.contains("nowhere"), "{}", attempt.error);
    assert!(
        attempt.worker.ends_with(&format!(":{}", running.id())),
        "{}",
        attempt.worker
    );

    let letter = channel
        .basic_get(DEAD_LETTERS.into(), BasicGetOptions { no_ack: true })
        .await;
    assert_eq!(
        letter
            .unwrap()
            .expect("garbage is a dead letter")
            .delivery
            .data,
        garbage
    );

    running.terminate();
    assert!(running.wait(Duration::from_secs(20)).success());
    let left = channel
        .basic_get(JOBS.into(), BasicGetOptions { no_ack: true })
        .await;
    assert!(left.unwrap().is_none(), "every delivery is settled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_ends_by_itself_when_it_is_to_and_there_is_no_job() {
    let turn = servers::broker_turn().await;
    let store_url = servers::empty_store().await;
    let store = store::open(&store_url).await.unwrap();
    let queue = queue::connect(&turn.url).await.unwrap();
    store.put_trace(&job("one", 0), &trace(0)).await.unwrap();
    queue.publish(&[job("one", 0)]).await.unwrap();

    let mut command = worker(&turn.url, &store_url);
    command.args(["--exit-when-idle", "1"]);
    let status = Process::start(command).wait(Duration::from_secs(60));
    assert_eq!(status.code(), Some(0));
    assert_eq!(
        queue.waiting().await.unwrap(),
        0,
        "it had taken the job first"
    );
}
