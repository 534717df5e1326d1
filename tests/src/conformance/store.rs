//! The rules every store keeps.

#![allow(missing_docs, reason = "each rule is named by what it says")]

use std::sync::Arc;

use loto_proto::attempt::{Attempt, AttemptState, AttemptVersion};
use loto_proto::heartbeat::Heartbeat;
use loto_proto::limits::MAX_ERROR_BYTES;
use loto_proto::sweep_state::SweepState;
use loto_transport::TransportError;
use loto_transport::store::{Conflict, Cursor, Deletion, Event, Store, Stored};

use crate::samples::{job, series, sweep, trace};

type Subject = Arc<dyn Store>;

pub async fn a_sweep_is_kept_once_and_in_order(store: &Subject) {
    let [first, second] = [sweep("first", 2), sweep("second", 1)];
    assert_eq!(store.sweep(first.id()).await.unwrap(), None);
    assert_eq!(store.put_sweep(&first).await.unwrap(), first.id());
    store.put_sweep(&second).await.unwrap();
    store.put_sweep(&first).await.unwrap();
    assert_eq!(store.sweeps().await.unwrap(), [first.id(), second.id()]);
    assert_eq!(store.sweep(first.id()).await.unwrap(), Some(first));
}

pub async fn a_trace_is_stored_once(store: &Subject) {
    let (job, trace) = (job("one", 4), trace(4));
    let id = job.series.id();
    assert_eq!(store.trace(id, 4).await.unwrap(), None);
    assert_eq!(store.put_trace(&job, &trace).await.unwrap(), Stored::New);
    assert_eq!(
        store.put_trace(&job, &trace).await.unwrap(),
        Stored::Already
    );
    let mut slower = trace.clone();
    slower.microseconds[0] += 1;
    slower.linear_algebra = "OpenBLAS 0 on another host".into();
    assert_eq!(
        store.put_trace(&job, &slower).await.unwrap(),
        Stored::Already
    );
    assert_eq!(store.trace(id, 4).await.unwrap(), Some(trace));
    assert_eq!(store.trace(id, 5).await.unwrap(), None);
}

pub async fn another_outcome_is_a_conflict(store: &Subject) {
    let job = job("one", 0);
    store.put_trace(&job, &trace(0)).await.unwrap();
    let mut other = trace(0);
    other.values[1] = f64::from_bits(other.values[1].to_bits() + 1);
    other.linear_algebra = "another library".into();
    let error = store.put_trace(&job, &other).await.unwrap_err();
    assert!(
        matches!(error, TransportError::Conflict { iteration: 2, .. }),
        "{error}"
    );
    let message = error.to_string();
    for part in [
        job.id().to_string().as_str(),
        "this host",
        "another library",
    ] {
        assert!(message.contains(part), "{message}");
    }
    assert!(!error.is_transient());
    assert_eq!(
        store.trace(job.series.id(), 0).await.unwrap(),
        Some(trace(0))
    );
    let events = store.events_after(&Cursor::default(), 10).await.unwrap();
    assert_eq!(events.events.len(), 1);
}

pub async fn finished_seeds_are_listed_by_series(store: &Subject) {
    for (task, seed) in [("one", 10), ("one", 2), ("two", 0), ("one", 100_000)] {
        store
            .put_trace(&job(task, seed), &trace(seed))
            .await
            .unwrap();
    }
    let ids = ["two", "none", "one"].map(|task| series(task).id());
    let seeds = store.seeds_done(&ids).await.unwrap();
    assert_eq!(seeds, [vec![0], vec![], vec![2, 10, 100_000]]);
    assert!(store.seeds_done(&[]).await.unwrap().is_empty());
    let many: Vec<_> = (0..2500)
        .map(|number| series(&format!("task {number}")).id())
        .collect();
    store
        .put_trace(&job("task 2345", 1), &trace(1))
        .await
        .unwrap();
    let seeds = store.seeds_done(&many).await.unwrap();
    assert_eq!(seeds.len(), many.len());
    assert!((0..2500).all(|number| seeds[number].len() == usize::from(number == 2345)));
}

pub async fn traces_are_listed_by_seed(store: &Subject) {
    for seed in [30, 4, 7] {
        store
            .put_trace(&job("one", seed), &trace(seed))
            .await
            .unwrap();
    }
    let traces = store.traces(series("one").id()).await.unwrap();
    assert_eq!(traces, [4, 7, 30].map(|seed| (seed, trace(seed))));
    assert!(store.traces(series("none").id()).await.unwrap().is_empty());
    let some: Vec<u32> = traces.iter().map(|(seed, _)| *seed).take(2).collect();
    let asked = [some[1], 99_999, some[0]];
    let found = store.traces_of(series("one").id(), &asked).await.unwrap();
    assert_eq!(found, [traces[1].clone(), traces[0].clone()]);
    let none = store.traces_of(series("one").id(), &[]).await.unwrap();
    assert!(none.is_empty());
}

pub async fn new_traces_are_told_in_order(store: &Subject) {
    let empty = store.events_after(&Cursor::default(), 10).await.unwrap();
    assert!(empty.events.is_empty() && !empty.incomplete);
    let jobs = [("one", 3), ("two", 1), ("one", 0), ("two", 9)].map(|(task, seed)| job(task, seed));
    for job in &jobs {
        store.put_trace(job, &trace(job.seed)).await.unwrap();
        store.put_trace(job, &trace(job.seed)).await.unwrap();
    }
    let event = |position: usize| Event {
        series: jobs[position].series.id(),
        seed: jobs[position].seed,
    };
    let first = store.events_after(&empty.next, 3).await.unwrap();
    assert_eq!(first.events, [0, 1, 2].map(event));
    let rest = store.events_after(&first.next, 3).await.unwrap();
    assert_eq!(rest.events, [event(3)]);
    let end = store.events_after(&rest.next, 3).await.unwrap();
    assert!(end.events.is_empty());
    assert_eq!(end.next, rest.next);
    assert!(!first.incomplete && !rest.incomplete && !end.incomplete);
}

pub async fn the_latest_cursor_is_the_end_of_the_history(store: &Subject) {
    let empty = store.latest_cursor().await.unwrap();
    let first = [job("one", 3), job("one", 4)];
    for job in &first {
        store.put_trace(job, &trace(job.seed)).await.unwrap();
    }
    let all = store.events_after(&empty, 10).await.unwrap();
    assert_eq!((all.events.len(), all.incomplete), (2, false));
    let end = store.latest_cursor().await.unwrap();
    assert_eq!(end, all.next);
    store.put_trace(&job("two", 0), &trace(0)).await.unwrap();
    let new = store.events_after(&end, 10).await.unwrap();
    let expected = Event {
        series: series("two").id(),
        seed: 0,
    };
    assert_eq!((new.events, new.incomplete), (vec![expected], false));
}

fn attempt(count: u32, state: AttemptState, error: &str) -> Attempt {
    Attempt {
        count,
        failures: 1,
        state,
        worker: "host:1".into(),
        token: format!("5a/{count}"),
        error: error.into(),
        backtrace: "here\n\tand there".into(),
    }
}

pub async fn attempts_are_kept_until_the_job_is_done(store: &Subject) {
    let absent = AttemptVersion::default();
    let put = async |task: &str, seed, expected: &AttemptVersion, attempt: &Attempt| {
        let put = store.put_attempt(&job(task, seed), expected, attempt).await;
        put.unwrap()
    };
    let running = attempt(1, AttemptState::Running, "");
    let failed = attempt(2, AttemptState::Failed, "no \"good\"\n\u{e9}");
    let first = put("one", 1, &absent, &running).await.unwrap();
    put("one", 1, &first, &failed).await.unwrap();
    put("one", 0, &absent, &running).await.unwrap();
    put("two", 0, &absent, &running).await.unwrap();
    let ids = ["one", "none", "two"].map(|task| series(task).id());
    let attempts = store.attempts(&ids).await.unwrap();
    let one = vec![(0, running.clone()), (1, failed.clone())];
    assert_eq!(attempts, [one, vec![], vec![(0, running)]]);

    let record = store.job_record(ids[0], 1).await.unwrap();
    assert_eq!((record.done, record.stopped), (false, false));
    assert_eq!(record.attempt.as_ref(), Some(&failed));
    store.put_trace(&job("one", 1), &trace(1)).await.unwrap();
    store.put_trace(&job("two", 0), &trace(0)).await.unwrap();
    // A worker that is late with its report does not undo that.
    assert_eq!(put("one", 1, &record.version, &failed).await, None);
    assert_eq!(put("one", 1, &absent, &failed).await, None);
    let attempts = store.attempts(&ids).await.unwrap();
    assert_eq!(attempts.iter().map(Vec::len).collect::<Vec<_>>(), [1, 0, 0]);
    assert_eq!(attempts[0][0].0, 0);
    let record = store.job_record(ids[0], 1).await.unwrap();
    assert_eq!((record.done, record.attempt), (true, None));
}

pub async fn attempts_are_listed_however_long_they_are(store: &Subject) {
    // Escaped, these are together more than a message of a host may have.
    let long = Attempt {
        error: "\u{1}".repeat(MAX_ERROR_BYTES),
        backtrace: "\u{1}".repeat(MAX_ERROR_BYTES),
        ..attempt(1, AttemptState::Failed, "")
    };
    let absent = AttemptVersion::default();
    let tasks = [("one", 900), ("two", 1), ("three", 600)];
    for (task, jobs) in tasks {
        for seed in 0..jobs {
            let put = store.put_attempt(&job(task, seed), &absent, &long).await;
            assert!(put.unwrap().is_some());
        }
    }
    let ids = tasks.map(|(task, _)| series(task).id());
    let attempts = store.attempts(&ids).await.unwrap();
    for ((_, jobs), attempts) in tasks.iter().zip(&attempts) {
        assert!(attempts.iter().map(|(seed, _)| *seed).eq(0..*jobs));
        assert!(attempts.iter().all(|(_, attempt)| *attempt == long));
    }
    assert_eq!(attempts.len(), tasks.len());
}

pub async fn an_attempt_is_replaced_only_by_who_has_seen_it(store: &Subject) {
    let job = job("one", 3);
    let absent = AttemptVersion::default();
    let [first, second, third] = [1, 2, 3].map(|count| attempt(count, AttemptState::Running, ""));
    let seen = store.put_attempt(&job, &absent, &first).await.unwrap();
    let seen = seen.expect("there was none");
    assert_eq!(
        store.put_attempt(&job, &absent, &third).await.unwrap(),
        None
    );
    let record = store.job_record(job.series.id(), 3).await.unwrap();
    assert_eq!((record.attempt, &record.version), (Some(first), &seen));
    let put = store.put_attempt(&job, &record.version, &second).await;
    assert!(put.unwrap().is_some());
    assert_eq!(store.put_attempt(&job, &seen, &third).await.unwrap(), None);
    let record = store.job_record(job.series.id(), 3).await.unwrap();
    assert_eq!(record.attempt, Some(second));
}

pub async fn an_attempt_that_is_recorded_again_is_the_same(store: &Subject) {
    let job = job("one", 3);
    let absent = AttemptVersion::default();
    let [first, second] = [1, 2].map(|count| attempt(count, AttemptState::Running, ""));
    let seen = store.put_attempt(&job, &absent, &first).await.unwrap();
    // The answer got lost.
    let again = store.put_attempt(&job, &absent, &first).await.unwrap();
    assert_eq!(again, seen);
    let seen = seen.expect("there was none");
    for _ in 0..2 {
        let put = store.put_attempt(&job, &seen, &second).await.unwrap();
        assert!(put.is_some());
    }
    assert_eq!(store.put_attempt(&job, &seen, &first).await.unwrap(), None);
    let record = store.job_record(job.series.id(), 3).await.unwrap();
    assert_eq!(record.attempt, Some(second));
}

pub async fn a_cancelled_sweep_stops_its_series_until_it_is_resumed(store: &Subject) {
    let id = sweep("cancelled", 1).id();
    assert_eq!(store.sweep_state(id).await.unwrap(), SweepState::default());
    store.mark_published(id, 7).await.unwrap();
    assert_eq!(store.sweep_state(id).await.unwrap().published_seeds, 7);
    let series: Vec<_> = (0..2100)
        .map(|number| series(&format!("task {number}")).id())
        .collect();
    store.cancel_sweep(id, &series[1..]).await.unwrap();
    let state = store.sweep_state(id).await.unwrap();
    assert_eq!((state.cancelled, state.published_seeds), (true, 0));
    let stopped = async |position: usize| {
        let record = store.job_record(series[position], 5).await;
        record.unwrap().stopped
    };
    assert!(!stopped(0).await && stopped(1).await && stopped(2099).await);
    // Its own series stay stopped; those that another sweep needs, too, do not.
    store.release_series(id, &series).await.unwrap();
    assert!(stopped(1).await && stopped(2099).await);
    let other = sweep("not cancelled", 2).id();
    store.release_series(other, &series[..2]).await.unwrap();
    assert!(!stopped(1).await && stopped(2099).await);
    store.release_series(other, &[]).await.unwrap();
    assert!(store.sweep_state(id).await.unwrap().cancelled);
    // A submission that did not see that it was cancelled says how far it is.
    store.mark_published(id, 3).await.unwrap();
    store.resume_sweep(id, &series).await.unwrap();
    assert_eq!(store.sweep_state(id).await.unwrap(), SweepState::default());
    assert!(!stopped(1).await && !stopped(2099).await);
}

pub async fn a_deleted_sweep_takes_along_what_is_named_with_it(store: &Subject) {
    let [gone, kept] = [sweep("gone", 5), sweep("kept", 2)];
    for sweep in [&gone, &kept] {
        store.put_sweep(sweep).await.unwrap();
    }
    let (one, two) = (series("one").id(), series("two").id());
    store.cancel_sweep(gone.id(), &[one]).await.unwrap();
    for (task, seed) in [("one", 0), ("one", 3), ("two", 1), ("two", 4)] {
        store
            .put_trace(&job(task, seed), &trace(seed))
            .await
            .unwrap();
    }
    let absent = AttemptVersion::default();
    for seed in [1, 2] {
        let running = attempt(1, AttemptState::Running, "");
        let job = job("one", seed);
        let put = store.put_attempt(&job, &absent, &running).await;
        assert!(put.unwrap().is_some());
        store.put_conflict(&job, "another").await.unwrap();
    }
    for name in ["table:gone", "table:kept"] {
        store.put_blob(name, b"bytes").await.unwrap();
    }
    let deletion = Deletion {
        id: gone.id(),
        jobs: vec![(one, 2..5), (two, 0..5)],
        blobs: vec!["table:gone".into()],
    };
    // Once more is as good as once.
    for _ in 0..2 {
        store.delete_sweep(&deletion).await.unwrap();
        assert_eq!(store.sweeps().await.unwrap(), [kept.id()]);
        assert_eq!(store.sweep(gone.id()).await.unwrap(), None);
        let state = store.sweep_state(gone.id()).await.unwrap();
        assert_eq!(state, SweepState::default());
        let seeds = store.seeds_done(&[one, two]).await.unwrap();
        assert_eq!(seeds, [vec![0], vec![]]);
        let attempts = store.attempts(&[one]).await.unwrap();
        let seeds: Vec<u32> = attempts[0].iter().map(|(seed, _)| *seed).collect();
        assert_eq!(seeds, [1]);
        let conflicts = store.conflicts().await.unwrap();
        let seeds: Vec<u32> = conflicts.iter().map(|conflict| conflict.seed).collect();
        assert_eq!(seeds, [1]);
        assert_eq!(store.blob("table:gone").await.unwrap(), None);
        assert!(store.blob("table:kept").await.unwrap().is_some());
        // Its messages may still be on the queue.
        assert!(store.job_record(one, 4).await.unwrap().stopped);
    }
    store.put_sweep(&gone).await.unwrap();
    assert_eq!(store.sweeps().await.unwrap(), [kept.id(), gone.id()]);
}

pub async fn conflicts_are_kept_until_they_are_forgotten(store: &Subject) {
    for (seed, problem) in [(10, "old"), (2, "no \u{e9}"), (10, "new")] {
        store
            .put_conflict(&job("one", seed), problem)
            .await
            .unwrap();
    }
    let series = series("one").id();
    let conflict = |seed, problem: &str| Conflict {
        series,
        seed,
        problem: problem.into(),
    };
    let both = [conflict(2, "no \u{e9}"), conflict(10, "new")];
    assert_eq!(store.conflicts().await.unwrap(), both);
    store.forget_conflict(series, 2).await.unwrap();
    assert_eq!(store.conflicts().await.unwrap(), both[1..]);
}

pub async fn the_last_report_of_each_worker_is_kept(store: &Subject) {
    let report = |number, seeds: std::ops::Range<u32>| Heartbeat {
        number,
        jobs: seeds.map(|seed| job("one", seed).id()).collect(),
    };
    let put = async |worker, report| store.put_heartbeat(worker, &report).await.unwrap();
    put("host:1", report(1, 0..3)).await;
    put("host:2", report(9, 0..0)).await;
    put("host:1", report(2, 1..3)).await;
    let mut reports = store.heartbeats().await.unwrap();
    reports.sort_by(|left, right| left.0.cmp(&right.0));
    let expected = [("host:1", report(2, 1..3)), ("host:2", report(9, 0..0))];
    assert_eq!(
        reports,
        expected.map(|(worker, report)| (worker.to_owned(), report))
    );
    store.forget_worker("host:1").await.unwrap();
    store.forget_worker("host:3").await.unwrap();
    let reports = store.heartbeats().await.unwrap();
    assert_eq!(reports.len(), 1);
}

pub async fn the_first_bytes_of_a_blob_stay(store: &Subject) {
    assert_eq!(store.blob("table:x").await.unwrap(), None);
    assert!(!store.has_blob("table:x").await.unwrap());
    let large: Vec<u8> = (0..5_000_000_u32).map(|byte| byte as u8).collect();
    store.put_blob("table:x", &large).await.unwrap();
    store.put_blob("table:x", b"other").await.unwrap();
    assert!(store.has_blob("table:x").await.unwrap());
    store.put_blob("empty", b"").await.unwrap();
    assert_eq!(
        store.blob("table:x").await.unwrap().as_deref(),
        Some(large.as_slice())
    );
    assert_eq!(
        store.blob("empty").await.unwrap().as_deref(),
        Some([].as_slice())
    );
    // A discarded one makes room for others, and once more is as good as once.
    for _ in 0..2 {
        store.discard_blob("table:x").await.unwrap();
        assert_eq!(store.blob("table:x").await.unwrap(), None);
    }
    store.put_blob("table:x", b"other").await.unwrap();
    let found = store.blob("table:x").await.unwrap();
    assert_eq!(found.as_deref(), Some(b"other".as_slice()));
    let error = store
        .corrupt_blob("table:x", "it is torn".into())
        .to_string();
    assert!(
        error.contains("table:x") && error.contains("torn"),
        "{error}"
    );
}

pub async fn of_many_writers_one_is_first(store: &Subject) {
    let writers = (0..16).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { store.put_trace(&job("one", 8), &trace(8)).await.unwrap() })
    });
    let mut outcomes = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        outcomes.push(writer.await.unwrap());
    }
    let first = outcomes
        .iter()
        .filter(|outcome| **outcome == Stored::New)
        .count();
    assert_eq!((first, outcomes.len()), (1, 16));
    let events = store.events_after(&Cursor::default(), 100).await.unwrap();
    assert_eq!(events.events.len(), 1);
}

/// Of a store that tells of its changes at all.
pub async fn a_mark_is_another_one_after_each_change(store: &Subject) {
    let Some(first) = store.change_mark().await.unwrap() else {
        return;
    };
    let mut marks = vec![first];
    let mut note = async || marks.push(store.change_mark().await.unwrap().expect("it has marks"));
    let sweep = sweep("first", 2);
    store.put_sweep(&sweep).await.unwrap();
    note().await;
    let running = attempt(1, AttemptState::Running, "");
    let (begun, absent) = (job("one", 0), AttemptVersion::default());
    store.put_attempt(&begun, &absent, &running).await.unwrap();
    note().await;
    store.put_trace(&job("one", 0), &trace(0)).await.unwrap();
    note().await;
    store.put_conflict(&job("one", 0), "another").await.unwrap();
    note().await;
    let heartbeat = Heartbeat {
        number: 1,
        jobs: vec![],
    };
    store.put_heartbeat("host:1", &heartbeat).await.unwrap();
    note().await;
    store
        .discard_trace(job("one", 0).series.id(), 0)
        .await
        .unwrap();
    note().await;
    for (position, mark) in marks.iter().enumerate() {
        assert!(!marks[..position].contains(mark), "{position}: {marks:?}");
    }
}
