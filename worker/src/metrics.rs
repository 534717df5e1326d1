//! What a worker reports about itself; see [`loto_process::observation`].

use std::time::Duration;

use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_transport::metrics::Metric;
use metrics::{counter, gauge, histogram};

use crate::outcome::Outcome;

const DELIVERIES: &str = "loto_worker_deliveries_total";
const JOBS: &str = "loto_worker_jobs_total";
const JOBS_RUNNING: &str = "loto_worker_jobs_running";
const JOBS_AT_MOST: &str = "loto_worker_jobs_at_most";
const CONSUMING: &str = "loto_worker_consuming";
const JOB_SECONDS: &str = "loto_worker_job_seconds";
const PHASE_SECONDS: &str = "loto_worker_phase_cpu_seconds";
const CACHE_LOOKUPS: &str = "loto_worker_cache_lookups_total";
const SLOTS_STALLED: &str = "loto_worker_slots_stalled";
const BROKER_ALARM: &str = "loto_worker_broker_alarm";
const PROCESSES: &str = "loto_worker_computing_processes_total";

/// From a millisecond to the longest deadlines.
const SECONDS: &[f64] = &[
    0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0,
];

/// The metrics of a worker.
pub const METRICS: [Metric; 11] = [
    Metric::counter(
        DELIVERIES,
        "Deliveries that were settled, by outcome (stored, already_done, failed, poisoned, refused, given_back, foreign, other_release, missing_table, dropped); all are there from the start",
    ),
    Metric::counter(
        JOBS,
        "Deliveries of jobs that were settled, by method and outcome",
    ),
    Metric::gauge(JOBS_RUNNING, "Jobs that are computed now"),
    Metric::gauge(JOBS_AT_MOST, "Jobs that may be computed side by side"),
    Metric::gauge(
        CONSUMING,
        "1 while the broker sends jobs to this worker, else 0",
    ),
    Metric::histogram(
        JOB_SECONDS,
        SECONDS,
        "Time from a job's beginning to its trace, by method",
    ),
    Metric::histogram(
        PHASE_SECONDS,
        SECONDS,
        "CPU time of a finished job, by method and phase (preparation: before the first choice; choices: all its iterations)",
    ),
    Metric::counter(
        CACHE_LOOKUPS,
        "Tables and shared fits that jobs asked for, by result: hit_memory, hit_store, or miss (a fit that had to be computed)",
    ),
    Metric::gauge(
        SLOTS_STALLED,
        "Jobs that have made no progress for longer than their deadline allows although broker and store are there",
    ),
    Metric::gauge(
        BROKER_ALARM,
        "1 while the broker has an alarm and takes no messages, else 0",
    ),
    Metric::counter(PROCESSES, "Processes that were started to compute jobs"),
];

/// Results of a lookup of a table or shared fit: the process that computes had it, the store had it,
/// or nobody.
pub(crate) const HIT_MEMORY: &str = "hit_memory";
pub(crate) const HIT_STORE: &str = "hit_store";
pub(crate) const MISS: &str = "miss";

pub(crate) fn looked_up(result: &'static str, count: u64) {
    counter!(CACHE_LOOKUPS, "result" => result).increment(count);
}

pub(crate) fn process_started() {
    counter!(PROCESSES).increment(1);
}

/// Tells whether the broker sends jobs, of which `jobs` may run.
pub(crate) fn consuming(consumes: bool, jobs: u16) {
    gauge!(CONSUMING).set(f64::from(u8::from(consumes)));
    gauge!(JOBS_AT_MOST).set(f64::from(jobs));
}

pub(crate) fn slots_stalled(count: usize) {
    gauge!(SLOTS_STALLED).set(count as f64);
}

pub(crate) fn broker_alarm(has_alarm: bool) {
    gauge!(BROKER_ALARM).set(f64::from(u8::from(has_alarm)));
}

/// Begins to count deliveries. An increase needs a beginning: without one, the first poisoned job would be no increase.
pub(crate) fn count_deliveries() {
    for outcome in Outcome::of_each_kind() {
        counter!(DELIVERIES, "outcome" => outcome.label()).increment(0);
    }
}

pub(crate) fn delivery_settled(outcome: &Outcome) {
    counter!(DELIVERIES, "outcome" => outcome.label()).increment(1);
}

pub(crate) fn job_settled(job: &Job, outcome: &Outcome) {
    let method = method_in_words(job);
    counter!(JOBS, "method" => method, "outcome" => outcome.label()).increment(1);
}

/// The method of a job: its id, or the name that an external method has in its sweep file, if it is known.
pub(crate) fn method_in_words(job: &Job) -> String {
    let method = &job.series.method;
    match (method.program, &method.name) {
        (Some(_), Some(name)) => format!("external:{name}"),
        // The id of an external method begins in the same way.
        _ => method.id.clone(),
    }
}

/// Counts a job as running as long as it lives.
pub(crate) struct RunningJob;

impl RunningJob {
    pub(crate) fn begin() -> Self {
        gauge!(JOBS_RUNNING).increment(1.0);
        Self
    }
}

impl Drop for RunningJob {
    fn drop(&mut self) {
        gauge!(JOBS_RUNNING).decrement(1.0);
    }
}

pub(crate) fn job_computed(job: &Job, trace: &Trace, took: Duration) {
    let method = method_in_words(job);
    histogram!(JOB_SECONDS, "method" => method.clone()).record(took.as_secs_f64());
    let preparation = Duration::from_micros(trace.preparation_microseconds);
    let choices = trace.cpu_time().saturating_sub(preparation);
    for (phase, time) in [("preparation", preparation), ("choices", choices)] {
        histogram!(PHASE_SECONDS, "method" => method.clone(), "phase" => phase)
            .record(time.as_secs_f64());
    }
}
