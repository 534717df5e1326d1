//! While a sweep runs, and when the service stops.

use std::time::Duration;

use loto_proto::attempt::{Attempt, AttemptState, AttemptVersion};
use loto_proto::job::Job;
use loto_proto::store::Store;
use tokio::time::timeout;
use tokio_stream::StreamExt;
use tonic::Code;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus};
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};

use super::Served;
use crate::results::tests::jobs_by_series;

/// Far longer than anything here takes.
const SOON: Duration = Duration::from_secs(20);

fn attempt(state: AttemptState) -> Attempt {
    Attempt {
        count: 3,
        state,
        worker: "host:7".into(),
        error: "out of memory".into(),
        ..Attempt::default()
    }
}

#[tokio::test]
async fn progress_counts_every_job_once() {
    let mut served = Served::new().await;
    let jobs = jobs_by_series(&served.sample.sweep);
    served
        .sample
        .run(served.store.as_ref(), jobs[..50].to_vec())
        .await
        .unwrap();
    for (job, state) in [
        (&jobs[60], AttemptState::Running),
        (&jobs[61], AttemptState::Running),
        (&jobs[62], AttemptState::Failed),
        (&jobs[119], AttemptState::Poisoned),
    ] {
        let (absent, attempt) = (AttemptVersion::default(), attempt(state));
        let put = served.store.put_attempt(job, &absent, &attempt).await;
        assert!(put.unwrap().is_some());
    }
    let progress = served.progress().await.unwrap();
    assert_eq!(progress.planned, 120);
    assert_eq!(
        (progress.queued, progress.running, progress.done),
        (66, 2, 50)
    );
    assert_eq!(
        (progress.failed, progress.poisoned, progress.complete),
        (1, 1, false)
    );
    assert_eq!(progress.methods.len(), 6);
    let rs = &progress.methods[0];
    assert_eq!((rs.blackbox.as_str(), rs.method.as_str()), ("box0", "rs"));
    assert_eq!((rs.planned, rs.done), (20, 20));
    let poisoned = &progress.poisoned_jobs[0];
    assert_eq!(
        (poisoned.task.as_str(), poisoned.method.as_str()),
        ("box1-task3", "m2")
    );
    assert_eq!((poisoned.seed, poisoned.attempts), (4, 3));
    assert_eq!(
        (poisoned.worker.as_str(), poisoned.error.as_str()),
        ("host:7", "out of memory")
    );
}

#[tokio::test]
async fn a_watch_pushes_changes_and_ends_with_the_sweep() {
    let mut served = Served::new().await;
    let mut watch = served.watch().await;
    let first = watch.message().await.unwrap().unwrap();
    assert_eq!((first.done, first.complete), (0, false));

    let jobs: Vec<Job> = served.sample.sweep.jobs().collect();
    let mut last = first;
    for part in jobs.chunks(40) {
        served
            .sample
            .run(served.store.as_ref(), part.to_vec())
            .await
            .unwrap();
        let pushed = timeout(SOON, watch.message())
            .await
            .expect("a push")
            .unwrap()
            .unwrap();
        assert!(pushed.done > last.done && pushed != last);
        // Queries answer while the sweep runs, with what is finished by now.
        let finished = served
            .curves()
            .await
            .unwrap()
            .completeness
            .unwrap()
            .finished;
        assert!(finished >= pushed.done);
        last = pushed;
    }
    while !last.complete {
        last = timeout(SOON, watch.message())
            .await
            .expect("the last push")
            .unwrap()
            .unwrap();
    }
    assert_eq!(last.done, 120);
    assert!(watch.message().await.unwrap().is_none());
}

#[tokio::test]
async fn a_watch_is_silent_while_nothing_changes() {
    let mut served = Served::new().await;
    let mut watch = served.watch().await;
    watch.message().await.unwrap().unwrap();
    let silence = timeout(Duration::from_millis(700), watch.message()).await;
    assert!(silence.is_err(), "{silence:?}");
}

#[tokio::test]
async fn a_repeated_question_costs_no_read_of_traces() {
    let mut served = Served::finished().await;
    let first = served.curves().await.unwrap();
    served.store.reads();
    assert_eq!(served.curves().await.unwrap(), first);
    assert_eq!(served.store.reads(), [0, 0, 0]);
}

#[tokio::test]
async fn health_and_reflection_are_served() {
    let served = Served::new().await;
    let mut health = HealthClient::new(served.channel.clone());
    for service in ["", "loto.v1.Aggregator"] {
        let service = service.to_string();
        let answer = health.check(HealthCheckRequest { service }).await.unwrap();
        assert_eq!(answer.into_inner().status(), ServingStatus::Serving);
    }

    let mut reflection = ServerReflectionClient::new(served.channel.clone());
    let mut ask = async |message| {
        let request = ServerReflectionRequest {
            host: String::new(),
            message_request: Some(message),
        };
        let requests = tokio_stream::once(request);
        let answers = reflection.server_reflection_info(requests).await.unwrap();
        let answer: ServerReflectionResponse = answers.into_inner().next().await.unwrap().unwrap();
        answer.message_response.unwrap()
    };
    let services = match ask(MessageRequest::ListServices(String::new())).await {
        MessageResponse::ListServicesResponse(list) => list.service,
        other => panic!("{other:?}"),
    };
    assert!(
        services
            .iter()
            .any(|service| service.name == "loto.v1.Aggregator")
    );
    let symbol = "loto.v1.Aggregator.WatchProgress".to_string();
    let file = ask(MessageRequest::FileContainingSymbol(symbol)).await;
    assert!(
        matches!(file, MessageResponse::FileDescriptorResponse(_)),
        "{file:?}"
    );
}

#[tokio::test]
async fn stopping_ends_streams_and_the_service() {
    let mut served = Served::new().await;
    let mut watch = served.watch().await;
    watch.message().await.unwrap().unwrap();
    served.stopping.cancel();
    let status = timeout(SOON, watch.message())
        .await
        .expect("an end")
        .unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status}");
    timeout(SOON, &mut served.serving)
        .await
        .expect("an end")
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn an_address_in_use_is_an_error() {
    let taken = super::super::bind("127.0.0.1:0".parse().unwrap())
        .await
        .unwrap();
    let address = taken.local_addr().unwrap();
    let error = super::super::bind(address).await.unwrap_err().to_string();
    assert!(error.contains(&address.to_string()), "{error}");
}
