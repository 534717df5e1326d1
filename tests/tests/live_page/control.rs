//! A sweep is cancelled, resumed and retried from its page, by who may and by nobody else.

use std::os::unix::fs::PermissionsExt;

use loto_proto::attempt::{Attempt, AttemptState};
use loto_proto::identity::SweepId;
use loto_tests::http::{self, Answer};
use loto_tests::servers;
use loto_tests::synthetic_sweep::{Shape, SyntheticSweep};
use loto_transport::queue;
use loto_transport::store::{self, Store};

use super::browser::serve;

/// A browser with a cookie; `page` is where the form was, if it says so.
fn press(address: &str, id: SweepId, action: &str, token: &str, page: Option<&str>) -> Answer {
    let cookie = format!("Cookie: loto_token={token}");
    let origin = page.map(|page| format!("Origin: {page}"));
    let mut headers = vec![cookie.as_str()];
    headers.extend(origin.as_deref());
    let path = format!("/sweeps/{id}/{action}");
    tokio::task::block_in_place(|| http::ask(address, "POST", &path, &headers, "").unwrap())
}

async fn is_cancelled(store: &dyn Store, id: SweepId) -> bool {
    store.sweep_state(id).await.unwrap().cancelled
}

async fn poison(store: &dyn Store, sweep: &SyntheticSweep) {
    let job = sweep.sweep.jobs().next().unwrap();
    let record = store.job_record(job.series.id(), job.seed).await.unwrap();
    let poisoned = Attempt {
        count: 3,
        failures: 3,
        state: AttemptState::Poisoned,
        worker: "host:1".into(),
        token: String::new(),
        error: "it failed".into(),
        backtrace: String::new(),
    };
    let put = store.put_attempt(&job, &record.version, &poisoned).await;
    assert!(put.unwrap().is_some());
}

/// A file with a token that may look and one that may control.
fn tokens() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "ann look-token\nbob control-token control\n").unwrap();
    std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o600)).unwrap();
    file
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sweep_is_cancelled_resumed_and_retried_from_its_page_by_who_may() {
    let turn = servers::broker_turn().await;
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let sweep = SyntheticSweep::new(Shape::parse("2x2x2x3").unwrap(), 0);
    sweep.submit(store.as_ref()).await.unwrap();
    let id = sweep.sweep.id();
    let tokens = tokens();
    let tokens = tokens.path().to_str().unwrap();
    let arguments = ["--tokens", tokens, "--broker", &turn.url];
    let (_service, address) = serve(&url, "127.0.0.1:0", &arguments);
    let ours = format!("http://{address}");

    let page = |token: &str| {
        let cookie = format!("Cookie: loto_token={token}");
        let path = format!("/sweeps/{id}");
        tokio::task::block_in_place(|| {
            http::ask(&address, "GET", &path, &[&cookie], "")
                .unwrap()
                .body
        })
    };
    assert!(!page("look-token").contains("Control this sweep"));
    assert!(page("control-token").contains("Control this sweep"));

    let refused = [
        (
            press(&address, id, "cancel", "look-token", Some(&ours)),
            403,
            "the word `control`",
        ),
        (
            press(&address, id, "cancel", "control-token", None),
            403,
            "A page of this server",
        ),
        (
            press(
                &address,
                id,
                "cancel",
                "control-token",
                Some("http://evil.example"),
            ),
            403,
            "A page of this server",
        ),
        (
            press(&address, id, "cancel", "wrong-token", Some(&ours)),
            401,
            "type=\"password\"",
        ),
    ];
    for (answer, status, told) in refused {
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(answer.body.contains(told), "{told}: {}", answer.body);
    }
    let cookie = "Cookie: loto_token=control-token";
    let path = format!("/sweeps/{id}/cancel");
    let got = tokio::task::block_in_place(|| http::ask(&address, "GET", &path, &[cookie], ""));
    assert_eq!(got.unwrap().status, 405);
    assert!(
        !is_cancelled(store.as_ref(), id).await,
        "somebody cancelled it"
    );

    let cancelled = press(&address, id, "cancel", "control-token", Some(&ours));
    assert_eq!(cancelled.status, 200, "{cancelled:?}");
    assert!(
        cancelled.body.contains("is cancelled: 0 of 8"),
        "{cancelled:?}"
    );
    assert!(is_cancelled(store.as_ref(), id).await);
    let retried = press(&address, id, "retry", "control-token", Some(&ours));
    assert_eq!(retried.status, 409, "{retried:?}");
    assert!(
        retried.body.contains("is cancelled; resume it"),
        "{retried:?}"
    );

    let resumed = press(&address, id, "resume", "control-token", Some(&ours));
    assert_eq!(resumed.status, 200, "{resumed:?}");
    assert!(resumed.body.contains("published 8 jobs"), "{resumed:?}");
    assert!(!is_cancelled(store.as_ref(), id).await);
    let queue = queue::connect(turn.url.as_str()).await.unwrap();
    assert_eq!(queue.waiting().await.unwrap(), 8);

    poison(store.as_ref(), &sweep).await;
    // A program that brings its token itself needs no page.
    let path = format!("/sweeps/{id}/retry");
    let bearer = ["Authorization: Bearer control-token"];
    let retried = tokio::task::block_in_place(|| http::ask(&address, "POST", &path, &bearer, ""));
    let retried = retried.unwrap();
    assert_eq!(retried.status, 200, "{retried:?}");
    assert!(retried.body.contains("queued 1 jobs again"), "{retried:?}");
    assert_eq!(queue.waiting().await.unwrap(), 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_broker_nothing_is_published_and_without_tokens_nobody_controls() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let sweep = SyntheticSweep::new(Shape::parse("2x2x2x3").unwrap(), 0);
    sweep.submit(store.as_ref()).await.unwrap();
    let id = sweep.sweep.id();
    let tokens = tokens();
    let tokens = tokens.path().to_str().unwrap();
    let (_service, address) = serve(&url, "127.0.0.1:0", &["--tokens", tokens]);
    let ours = format!("http://{address}");
    for action in ["retry", "resume"] {
        let answer = press(&address, id, action, "control-token", Some(&ours));
        assert_eq!(answer.status, 501, "{answer:?}");
        assert!(answer.body.contains("--broker"), "{answer:?}");
    }
    let cancelled = press(&address, id, "cancel", "control-token", Some(&ours));
    assert_eq!(cancelled.status, 200, "{cancelled:?}");
    store.resume_sweep(id, &[]).await.unwrap();

    let (_service, address) = serve(&url, "127.0.0.1:0", &[]);
    let ours = format!("http://{address}");
    let answer = press(&address, id, "cancel", "control-token", Some(&ours));
    assert_eq!(answer.status, 403, "{answer:?}");
    assert!(!is_cancelled(store.as_ref(), id).await);
}
