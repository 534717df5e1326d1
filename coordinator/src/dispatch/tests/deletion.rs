//! What `loto delete` takes along, and what it waits for.

use loto_proto::heartbeat::Heartbeat;
use loto_proto::lifecycle::JobRecord;
use loto_transport::store::{Heartbeats, recorded};

use super::*;

const LISTENING: Duration = Duration::from_millis(5);

fn built_in(seeds: u32) -> Plan {
    let mut plan = Plan::read(&SweepSource::BuiltIn, None).unwrap();
    plan.sweep.seeds = seeds;
    plan
}

#[tokio::test]
async fn what_other_sweeps_need_stays() {
    let store = EmbeddedStore::in_memory().await.unwrap();
    let [small, large] = [built_in(2), built_in(3)];
    let jobs: Vec<Job> = large.sweep.jobs().collect();
    for plan in [&small, &large] {
        record(plan, &store).await.unwrap();
    }
    let per_seed = jobs.len() / 3;
    for job in &jobs {
        store.put_trace(job, &trace()).await.unwrap();
    }
    let find = async |plan: &Plan| {
        let found = PlannedDeletion::find(plan.sweep.id(), &plan.sweep, &store).await;
        found.unwrap()
    };
    let planned = find(&large).await;
    assert_eq!(
        (planned.traces, planned.kept_traces),
        (per_seed as u64, 2 * per_seed as u64)
    );
    assert_eq!(planned.tables, 0);
    store.delete_sweep(&planned.deletion).await.unwrap();
    assert_eq!(store.sweeps().await.unwrap(), [small.sweep.id()]);
    assert_eq!(recorded(&store, large.sweep.id()).await.unwrap(), None);
    let total = scanned(&small.sweep, &store).await.progress().total;
    assert_eq!(total.done, 2 * per_seed as u64);

    let planned = find(&small).await;
    assert_eq!(
        (planned.traces, planned.kept_traces),
        (2 * per_seed as u64, 0)
    );
    assert_eq!(planned.tables, 1);
    store.delete_sweep(&planned.deletion).await.unwrap();
    let total = scanned(&small.sweep, &store).await.progress().total;
    assert_eq!(total.done, 0);
    let table = small.tables[0].blob_name();
    assert_eq!(store.blob(&table).await.unwrap(), None);
}

#[tokio::test]
async fn a_sweep_with_jobs_on_the_queue_or_at_a_worker_is_not_deleted() {
    let store = EmbeddedStore::in_memory().await.unwrap();
    let plan = built_in(1);
    let (id, sweep) = (record(&plan, &store).await.unwrap(), &plan.sweep);
    let refused = async || refuse_active(id, sweep, &store, LISTENING).await;
    refused().await.unwrap();
    store.mark_published(id, 1).await.unwrap();
    let error = refused().await.unwrap_err();
    assert!(
        matches!(
            error,
            DeleteError::Unfinished {
                unfinished: 217,
                ..
            }
        ),
        "{error}"
    );
    cancel(id, sweep, &store).await.unwrap();
    refused().await.unwrap();

    // A worker holds one of the jobs, and tells so as long as it lives.
    let job = sweep.jobs().next().unwrap();
    let beat = async |number| {
        let jobs = vec![job.id()];
        let heartbeat = Heartbeat { number, jobs };
        store.put_heartbeat("host:1", &heartbeat).await.unwrap();
    };
    beat(1).await;
    refused().await.unwrap();
    let assert_runs = |outcome: Result<(), DeleteError>| {
        let error = outcome.unwrap_err();
        assert!(
            matches!(error, DeleteError::Running { running: 1, .. }),
            "{error}"
        );
    };
    // It began the job after its last heartbeat: the next one tells.
    let idle = Heartbeat::default();
    store.put_heartbeat("host:1", &idle).await.unwrap();
    let begun = Attempt {
        state: AttemptState::Running,
        worker: "host:1".into(),
        ..Attempt::default()
    };
    let absent = AttemptVersion::default();
    let put = store.put_attempt(&job, &absent, &begun).await.unwrap();
    assert!(put.is_some());
    let next_beat = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        beat(2).await;
    };
    let long = Duration::from_millis(400);
    let (outcome, ()) = tokio::join!(refuse_active(id, sweep, &store, long), next_beat);
    assert_runs(outcome);
    // From now on it tells all the time.
    let beating = async {
        for number in 3.. {
            beat(number).await;
            tokio::time::sleep(LISTENING / 5).await;
        }
    };
    tokio::select! {
        outcome = refused() => assert_runs(outcome),
        () = beating => unreachable!("it beats for ever"),
    }
}

#[tokio::test]
async fn a_new_sweep_has_the_jobs_that_a_cancelled_one_shares_with_it_begun() {
    let store = EmbeddedStore::in_memory().await.unwrap();
    let [small, large] = [built_in(1), built_in(2)];
    let id = record(&small, &store).await.unwrap();
    cancel(id, &small.sweep, &store).await.unwrap();
    let job = small.sweep.jobs().next().unwrap();
    let stopped = async || {
        let JobRecord { stopped, .. } = store.job_record(job.series.id(), 0).await.unwrap();
        stopped
    };
    // To record the same sweep again resumes nothing.
    record(&small, &store).await.unwrap();
    assert!(stopped().await);
    record(&large, &store).await.unwrap();
    assert!(!stopped().await);
}
