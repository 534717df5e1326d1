//! What the coordinator and the aggregator report about themselves; see
//! [`loto_process::observation`].

use std::time::Instant;

use loto_transport::metrics::{Metric, QUEUE_MESSAGES};
use metrics::{counter, gauge, histogram};
use tonic::{Code, Status};

use crate::progress::Counts;

const SWEEP_JOBS: &str = "loto_sweep_jobs";
const PUBLISHED_JOBS: &str = "loto_published_jobs_total";
const LOST_JOBS: &str = "loto_lost_jobs_total";

/// What a coordinator that waits for a sweep reports.
pub const COORDINATOR_METRICS: [Metric; 4] = [
    Metric::gauge(
        SWEEP_JOBS,
        "Jobs of the sweep that this coordinator waits for, by sweep and state (queued, running, done, failed, poisoned)",
    ),
    QUEUE_MESSAGES,
    Metric::counter(
        PUBLISHED_JOBS,
        "Jobs that were put on the queue, lost ones included",
    ),
    Metric::counter(
        LOST_JOBS,
        "Jobs that got lost on the way and were put on the queue again",
    ),
];

const REQUESTS: &str = "loto_aggregator_requests_total";
const REQUEST_SECONDS: &str = "loto_aggregator_request_seconds";
const TRACES: &str = "loto_aggregator_traces";

/// From a millisecond to half a minute.
const SECONDS: &[f64] = &[
    0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0,
];

/// What an aggregator reports.
pub const AGGREGATOR_METRICS: [Metric; 3] = [
    Metric::counter(
        REQUESTS,
        "Requests that were answered, by rpc and gRPC status code; streams when they begin",
    ),
    Metric::histogram(
        REQUEST_SECONDS,
        SECONDS,
        "Time to an answer, by rpc; of streams to their beginning",
    ),
    Metric::gauge(TRACES, "Traces that were folded in, by sweep"),
];

pub(crate) fn sweep_stands_at(sweep: &str, counts: &Counts) {
    let states = [
        ("queued", counts.queued),
        ("running", counts.running),
        ("done", counts.done),
        ("failed", counts.failed),
        ("poisoned", counts.poisoned),
    ];
    for (state, count) in states {
        gauge!(SWEEP_JOBS, "sweep" => sweep.to_owned(), "state" => state).set(count as f64);
    }
}

pub(crate) fn jobs_published(count: u64) {
    counter!(PUBLISHED_JOBS).increment(count);
}

pub(crate) fn jobs_lost(count: u64) {
    counter!(LOST_JOBS).increment(count);
}

pub(crate) fn traces_folded(sweep: &str, traces: u64) {
    gauge!(TRACES, "sweep" => sweep.to_owned()).set(traces as f64);
}

/// Counts a request that was turned away before it reached an rpc.
pub(crate) fn request_refused(code: Code) {
    counter!(REQUESTS, "rpc" => "any", "code" => format!("{code:?}")).increment(1);
}

/// Answers a request, and counts it and its time.
pub(crate) async fn measured<Answer>(
    rpc: &'static str,
    answering: impl Future<Output = Result<Answer, Status>>,
) -> Result<Answer, Status> {
    let begin = Instant::now();
    let answer = answering.await;
    let code = answer.as_ref().map_or_else(Status::code, |_| Code::Ok);
    histogram!(REQUEST_SECONDS, "rpc" => rpc).record(begin.elapsed().as_secs_f64());
    counter!(REQUESTS, "rpc" => rpc, "code" => format!("{code:?}")).increment(1);
    answer
}
