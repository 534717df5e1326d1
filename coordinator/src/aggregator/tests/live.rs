//! While a sweep runs, and when the service stops.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use loto_proto::attempt::{Attempt, AttemptState, AttemptVersion};
use loto_proto::job::Job;
use loto_service::wire;
use loto_transport::store::Attempts;
use tokio::time::timeout;
use tokio_stream::StreamExt;
use tonic::Code;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus};
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};

use super::{SHAPE, Served};
use crate::results::tests::faulty_store::FaultyStore;
use crate::results::tests::jobs_by_series;
use crate::results::tests::sample_sweep::Shape;

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
    // The service may have looked just before.
    let counted = async {
        loop {
            let progress = served.progress().await.unwrap();
            if progress.poisoned == 1 {
                return progress;
            }
        }
    };
    let progress = timeout(SOON, counted).await.expect("the newest counts");
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

fn finished(curves: wire::GetCurvesResponse) -> u64 {
    curves.completeness.unwrap().finished
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
        let answered = async { while finished(served.curves().await.unwrap()) < pushed.done {} };
        timeout(SOON, answered).await.expect("all that is done");
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
async fn a_resumed_watch_begins_with_what_differs() {
    let mut served = Served::new().await;
    let first = served.watch().await.message().await.unwrap().unwrap();
    let now = served.progress().await.unwrap();
    assert_eq!(
        (now.resume_token, now.done),
        (first.resume_token.clone(), 0)
    );
    let mut resumed = served.resume(&first.resume_token).await;
    let silence = timeout(Duration::from_millis(700), resumed.message()).await;
    assert!(silence.is_err(), "{silence:?}");

    let jobs: Vec<Job> = served.sample.sweep.jobs().collect();
    let store = served.store.clone();
    let run = |jobs: &[Job]| {
        let jobs = jobs.to_vec();
        served.sample.run(store.as_ref(), jobs)
    };
    run(&jobs[..1]).await.unwrap();
    let next = timeout(SOON, resumed.message()).await.expect("a push");
    assert_eq!(next.unwrap().unwrap().done, 1);
    run(&jobs[1..]).await.unwrap();
    // The token of an older message, after a break: the newest state comes at once.
    let mut resumed = served.resume(&first.resume_token).await;
    let last = loop {
        let message = timeout(SOON, resumed.message()).await.expect("a push");
        match message.unwrap() {
            Some(progress) if progress.complete => break progress,
            Some(_) => {}
            None => panic!("the stream ended before the sweep"),
        }
    };
    let mut ended = served.resume(&last.resume_token).await;
    let end = timeout(SOON, ended.message()).await.expect("an end");
    assert!(end.unwrap().is_none());
}

#[tokio::test]
async fn a_store_that_does_not_change_is_not_read_again() {
    // Before the service begins: it asks once whether there are marks.
    let store = FaultyStore::new().await;
    store.tells_marks.store(true, Ordering::Relaxed);
    let mut served = Served::on(store, SHAPE).await;
    let jobs = jobs_by_series(&served.sample.sweep);
    let store = Arc::clone(&served.store);
    served
        .sample
        .run(store.as_ref(), jobs[..2].to_vec())
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(250)).await;
    let first = served.progress().await.unwrap();
    assert_eq!((first.done, first.failed), (2, 0));
    store.attempt_reads.store(0, Ordering::Relaxed);
    let mut last = first;
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let next = served.progress().await.unwrap();
        assert!(next.as_of_milliseconds > last.as_of_milliseconds);
        last = next;
    }
    assert_eq!(store.attempt_reads.load(Ordering::Relaxed), 0);
    // What changes is seen at once, also in the outcome of a job that has no trace.
    let (absent, failed) = (AttemptVersion::default(), attempt(AttemptState::Failed));
    let put = store.put_attempt(&jobs[5], &absent, &failed).await;
    assert!(put.unwrap().is_some());
    tokio::time::sleep(Duration::from_millis(250)).await;
    assert_eq!(served.progress().await.unwrap().failed, 1);
    served
        .sample
        .run(store.as_ref(), [jobs[7].clone()])
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(250)).await;
    assert_eq!(served.progress().await.unwrap().done, 3);
    assert!(store.attempt_reads.load(Ordering::Relaxed) > 0);
}

#[tokio::test]
async fn a_count_that_waited_for_the_store_does_not_put_off_the_next() {
    let store = FaultyStore::new().await;
    store.tells_marks.store(true, Ordering::Relaxed);
    let mut served = Served::on(store, SHAPE).await;
    let jobs = jobs_by_series(&served.sample.sweep);
    let store = Arc::clone(&served.store);
    let mut watch = served.watch().await;
    watch.message().await.unwrap().unwrap();
    store.stalls.store(true, Ordering::Relaxed);
    for (number, job) in (1..).zip(&jobs[..2]) {
        let run = served.sample.run(store.as_ref(), [job.clone()]);
        run.await.unwrap();
        let pushed = timeout(SOON, watch.message()).await.expect("a push");
        assert_eq!(pushed.unwrap().unwrap().done, number);
    }
}

#[tokio::test]
async fn a_watch_outlasts_an_outage_of_the_store() {
    let mut served = Served::new().await;
    let mut watch = served.watch().await;
    watch.message().await.unwrap().unwrap();
    served.store.offline.store(true, Ordering::Relaxed);
    let silence = timeout(Duration::from_millis(700), watch.message()).await;
    assert!(silence.is_err(), "{silence:?}");
    let status = served.progress().await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status}");
    served.store.offline.store(false, Ordering::Relaxed);
    let job = served.sample.sweep.jobs().next().unwrap();
    served
        .sample
        .run(served.store.as_ref(), [job])
        .await
        .unwrap();
    let pushed = timeout(SOON, watch.message()).await.expect("a push");
    assert_eq!(pushed.unwrap().unwrap().done, 1);
}

#[tokio::test]
async fn a_stream_of_traces_goes_on_after_the_last_one_that_arrived() {
    let mut served = Served::finished().await;
    let mut request = wire::StreamTracesRequest {
        sweep_id: served.sweep_id.clone(),
        blackboxes: vec!["box1".into()],
        seeds: vec![1, 2, 4],
        ..Default::default()
    };
    let mut all = Vec::new();
    let mut stream = served
        .client
        .stream_traces(request.clone())
        .await
        .unwrap()
        .into_inner();
    while let Some(trace) = stream.message().await.unwrap() {
        all.push(trace);
    }
    assert_eq!(all.len(), 4 * 3 * 3);
    for (received, last) in all.iter().enumerate() {
        request.resume_token.clone_from(&last.resume_token);
        let resumed = served.client.stream_traces(request.clone()).await.unwrap();
        let rest: Vec<_> = resumed.into_inner().map(Result::unwrap).collect().await;
        assert_eq!(rest, all[received + 1..]);
    }
}

#[tokio::test]
async fn a_repeated_question_costs_no_read_of_traces() {
    let mut served = Served::finished().await;
    let first = served.timeless_curves().await;
    served.store.reads();
    assert_eq!(served.timeless_curves().await, first);
    assert_eq!(served.store.reads(), [0, 0, 0]);
}

#[tokio::test]
async fn a_large_sweep_is_answered_from_the_newest_snapshot() {
    let shape = Shape {
        blackboxes: 1,
        tasks: 1,
        methods: 2,
        seeds: 220,
        iterations: 500,
    };
    let served = Served::of(shape).await;
    let jobs: Vec<Job> = served.sample.sweep.jobs().collect();
    let store = Arc::clone(&served.store);
    let run = |jobs: &[Job]| served.sample.run(store.as_ref(), jobs.to_vec());
    let request = wire::CompareMethodsRequest {
        sweep_id: served.sweep_id.clone(),
        ..Default::default()
    };
    let client = served.client.clone();
    let ask = async || {
        let answer = client.clone().compare_methods(request.clone()).await;
        answer.unwrap().into_inner().completeness.unwrap()
    };
    let mut last = 0;
    for (part, stored) in [(&jobs[..430], 430), (&jobs[430..], 440)] {
        run(part).await.unwrap();
        // Each answer is computed whether or not anybody asks again.
        loop {
            let answer = timeout(SOON, ask()).await.expect("an answer");
            assert!(answer.as_of_milliseconds >= last);
            last = answer.as_of_milliseconds;
            if answer.finished == stored {
                break;
            }
        }
    }
}

#[tokio::test]
async fn answers_say_as_of_when_they_are() {
    let mut served = Served::new().await;
    let since_1970 = || SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis() as u64;
    let mut last = since_1970();
    let jobs: Vec<Job> = served.sample.sweep.jobs().take(3).collect();
    for job in jobs {
        served
            .sample
            .run(served.store.as_ref(), [job])
            .await
            .unwrap();
        let curves = served.curves().await.unwrap().completeness.unwrap();
        assert!(curves.as_of_milliseconds >= last);
        last = since_1970();
        assert!(curves.as_of_milliseconds <= last);
        // Told a moment ago.
        let progress = served.progress().await.unwrap();
        assert!(progress.as_of_milliseconds + 1000 >= last);
    }
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
