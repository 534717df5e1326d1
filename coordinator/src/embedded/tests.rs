use std::fs;
use std::path::Path;

use loto_process::allocation::Allocation;
use loto_transport::store::EmbeddedStore;
use loto_worker::threads::methods_on_threads;
use tokio::time::Instant;

use super::*;
use crate::dispatch::record;
use crate::plan::{Plan, SweepSource};

const SWEEP: &str = r#"
name = "test"
methods = ["rs", "gp"]
seeds = 3
iterations = 6

[[blackbox]]
name = "B"
table = "table.csv"
objective = "metric_error"
"#;

fn plan(folder: &Path) -> Plan {
    let mut table = String::from("hp_a,hp_b,metric_error,task\n");
    for task in 0..2 {
        for row in 0..8 {
            let value = f64::from((row * 5 + task) % 8) / 8.0;
            table.push_str(&format!("{row},{},{value},task{task}\n", row % 3));
        }
    }
    fs::write(folder.join("table.csv"), table).unwrap();
    let path = folder.join("sweep.toml");
    fs::write(&path, SWEEP).unwrap();
    Plan::read(&SweepSource::File(path), None).unwrap()
}

async fn recorded(plan: &Plan) -> Arc<dyn Store> {
    let store = EmbeddedStore::in_memory().await.unwrap();
    record(plan, &store).await.unwrap();
    Arc::new(store)
}

fn compute(store: &Arc<dyn Store>) -> Arc<dyn Compute> {
    Arc::new(methods_on_threads(Arc::clone(store)))
}

async fn run_all(plan: &Plan, store: &Arc<dyn Store>, jobs: u16) -> Vec<Progress> {
    let mut seen = Vec::new();
    let shutdown = CancellationToken::new();
    let outcome = run(
        plan,
        None,
        Arc::clone(store),
        compute(store),
        ConsumerOptions {
            jobs,
            ..ConsumerOptions::default()
        },
        shutdown,
        |progress| seen.push(progress.clone()),
    );
    outcome.await.unwrap();
    seen
}

#[tokio::test]
async fn every_trace_is_computed_and_a_second_run_computes_none() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path());
    let store = recorded(&plan).await;
    let seen = run_all(&plan, &store, 2).await;
    assert_eq!(seen.last().unwrap().total.done, 2 * 2 * 3);
    for job in plan.sweep.jobs() {
        let trace = store
            .trace(job.series.id(), job.seed)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(trace.rows.len(), 6);
    }
    let end = store.latest_cursor().await.unwrap();
    run_all(&plan, &store, 2).await;
    assert_eq!(store.latest_cursor().await.unwrap(), end);
}

#[tokio::test]
async fn the_traces_do_not_depend_on_the_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path());
    let (one, three) = (recorded(&plan).await, recorded(&plan).await);
    run_all(&plan, &one, 1).await;
    run_all(&plan, &three, 3).await;
    for job in plan.sweep.jobs() {
        let left = one.trace(job.series.id(), job.seed).await.unwrap().unwrap();
        let right = three
            .trace(job.series.id(), job.seed)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(left.first_difference(&right), None);
    }
}

#[tokio::test]
async fn an_interrupted_run_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path());
    let store = recorded(&plan).await;
    let shutdown = CancellationToken::new();
    shutdown.cancel();
    let outcome = run(
        &plan,
        None,
        Arc::clone(&store),
        compute(&store),
        ConsumerOptions::default(),
        shutdown,
        |_| {},
    );
    let outcome = outcome.await;
    assert!(
        matches!(
            outcome,
            Err(EmbeddedError::Dispatch(DispatchError::Interrupted(_)))
        ),
        "{outcome:?}"
    );
    let seen = run_all(&plan, &store, 1).await;
    assert_eq!(seen.last().unwrap().total.unfinished(), 0);
}

#[tokio::test]
async fn a_run_that_has_no_time_for_another_job_says_whether_it_got_further() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path());
    let store = recorded(&plan).await;
    let in_time = |allocation: Allocation| {
        let options = ConsumerOptions {
            allocation,
            ..ConsumerOptions::default()
        };
        let (store, compute) = (Arc::clone(&store), compute(&store));
        run(
            &plan,
            None,
            store,
            compute,
            options,
            CancellationToken::new(),
            |_| {},
        )
    };
    // Nothing is known as yet, so that a job begins; for a second one of its kind there is no time.
    let no_time = || Allocation::until(Instant::now());
    let outcome = in_time(no_time()).await;
    assert!(
        matches!(&outcome, Err(EmbeddedError::TimeIsUp(counts)) if counts.done > 0),
        "{outcome:?}"
    );
    // What the store has tells what the next job takes, and with it the next run what its kind takes.
    let mut last = in_time(no_time()).await;
    for _ in 0..plan.sweep.series_count() {
        if matches!(last, Err(EmbeddedError::TooLittleTime(_))) {
            break;
        }
        last = in_time(no_time()).await;
    }
    assert!(
        matches!(last, Err(EmbeddedError::TooLittleTime(_))),
        "{last:?}"
    );
    let seen = run_all(&plan, &store, 1).await;
    assert_eq!(seen.last().unwrap().total.unfinished(), 0);
}
