//! A store that was emptied, or is damaged in part.

use super::*;

/// A plan whose sweep and tables are recorded, and its jobs published.
async fn wiped() -> (Plan, EmbeddedStore) {
    let mut plan = Plan::read(&SweepSource::BuiltIn, None).unwrap();
    let blackbox = &mut plan.sweep.blackboxes[0];
    blackbox.methods.truncate(1);
    blackbox.targets.truncate(1);
    blackbox.iterations = 1;
    plan.sweep.seeds = 2;
    // As after FLUSHALL: nothing of it is in the store any more.
    let store = EmbeddedStore::in_memory().await.unwrap();
    (plan, store)
}

/// What is in the table for a job of one iteration.
fn sound_trace(plan: &Plan, job: &Job) -> Trace {
    let table = plan.table(job.series.table).unwrap();
    let mut tasks = table.table.tasks.iter();
    let task = tasks.find(|task| task.name == job.series.task).unwrap();
    Trace {
        values: vec![task.objective[0]],
        ..trace()
    }
}

#[tokio::test]
async fn a_sweep_that_the_store_lost_is_recorded_again() {
    let (plan, store) = wiped().await;
    wait_for_it(&plan, &store).await;
}

#[tokio::test]
async fn a_table_that_the_store_lost_is_put_there_again() {
    let (plan, store) = wiped().await;
    // It was emptied between the tables and the sweep.
    store.put_sweep(&plan.sweep).await.unwrap();
    wait_for_it(&plan, &store).await;
}

/// Waits for a sweep whose jobs are done meanwhile, and looks at what the store has of it in the end.
async fn wait_for_it(plan: &Plan, store: &EmbeddedStore) {
    let queue = InProcessQueue::new();
    let mut consumer = queue.consume(1).await.unwrap();
    let computing = async {
        for _ in 0..2 {
            let delivery = consumer.next().await.unwrap().unwrap();
            let job = Job::decode(&delivery.body).unwrap();
            let trace = sound_trace(plan, &job);
            store.put_trace(&job, &trace).await.unwrap();
            delivery.receipt.acknowledge().await.unwrap();
        }
    };
    let mut tracker = Tracker::of_plan(plan);
    let mut wait = wait(store, Some(&queue));
    wait.id = plan.sweep.id();
    wait.inventory = Some(Inventory::of_plan(plan));
    let waiting = wait_until_done(&mut tracker, wait, |_| {});
    let (outcome, ()) = tokio::join!(waiting, computing);
    outcome.unwrap();
    assert_eq!(store.sweeps().await.unwrap(), [plan.sweep.id()]);
    let recorded = store.sweep(plan.sweep.id()).await.unwrap();
    assert_eq!(recorded.as_ref(), Some(&plan.sweep));
    let table = store.blob(&plan.tables[0].blob_name()).await.unwrap();
    assert_eq!(table, Some(plan.tables[0].blob()));
    let again = Inventory::read(plan.sweep.id(), &plan.sweep, store).await;
    assert!(!again.unwrap().restore(store).await.unwrap());
}

#[tokio::test]
async fn jobs_for_a_store_that_has_another_id_now_are_published_for_it() {
    let (plan, lost) = wiped().await;
    let identity = StoreIdentity::default();
    let former = identity.current(&lost).await.unwrap();
    let queue = InProcessQueue::new();
    let jobs: Vec<Job> = plan.sweep.jobs().collect();
    let messages = jobs.iter().map(|job| job.encode_for(Some(former)));
    queue.publish_messages(messages).unwrap();
    // The store is empty, and another process was faster to give it an id.
    let (_, store) = wiped().await;
    StoreIdentity::default().current(&store).await.unwrap();
    record(&plan, &store).await.unwrap();
    let computing = async {
        let mut consumer = queue.consume(4).await.unwrap();
        // What is dropped comes again.
        let (mut addressees, mut held) = (Vec::new(), Vec::new());
        for _ in 0..4 {
            let delivery = consumer.next().await.unwrap().unwrap();
            let (job, addressee) = Job::decode_addressed(&delivery.body).unwrap();
            held.push(delivery.receipt);
            // A queue inside one process does not tell for which store its messages are.
            if addressee.is_none() {
                let trace = sound_trace(&plan, &job);
                store.put_trace(&job, &trace).await.unwrap();
            }
            addressees.push(addressee);
        }
        addressees
    };
    let mut tracker = Tracker::of_plan(&plan);
    let mut wait = wait(&store, None);
    wait.id = plan.sweep.id();
    // Nothing looks lost: two jobs are missing, and two messages wait.
    wait.requeue = Some(Requeue::new(&queue, &identity));
    let waiting = wait_until_done(&mut tracker, wait, |_| {});
    let (outcome, addressees) = tokio::join!(waiting, computing);
    outcome.unwrap();
    assert_eq!(addressees, [Some(former), Some(former), None, None]);
}

#[tokio::test]
async fn who_only_watches_a_sweep_that_the_store_lost_is_told_what_to_do() {
    let (plan, store) = wiped().await;
    let mut wait = wait(&store, None);
    wait.id = plan.sweep.id();
    wait.longest_absence = Duration::from_millis(10);
    let outcome = wait_until_done(&mut Tracker::of_plan(&plan), wait, |_| {}).await;
    let error = outcome.unwrap_err();
    assert!(matches!(error, DispatchError::LostSweep(_)), "{error}");
    assert!(
        error.to_string().contains("Submit the sweep again"),
        "{error}"
    );
}

#[tokio::test]
async fn a_damaged_trace_is_told_at_the_end_and_computed_again() {
    let (plan, store) = wiped().await;
    record(&plan, &store).await.unwrap();
    let jobs: Vec<Job> = plan.sweep.jobs().collect();
    store
        .put_trace(&jobs[0], &sound_trace(&plan, &jobs[0]))
        .await
        .unwrap();
    // Not the value that the table has.
    store.put_trace(&jobs[1], &trace()).await.unwrap();
    let mut tracker = scanned(&plan.sweep, &store).await;
    assert_eq!(tracker.progress().total.done, 2);
    let mut wait = wait(&store, None);
    wait.id = plan.sweep.id();
    let outcome = wait_until_done(&mut tracker, wait, |_| {}).await;
    let Err(error @ DispatchError::DamagedTraces(_)) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(
        error.to_string().contains(&jobs[1].id().to_string()),
        "{error}"
    );
    let discarded = discard_damaged(&mut tracker, &store).await.unwrap();
    assert_eq!(discarded, jobs[1..]);
    assert_eq!(tracker.missing().collect::<Vec<_>>(), jobs[1..]);
    let (series, seed) = (jobs[1].series.id(), jobs[1].seed);
    assert_eq!(store.trace(series, seed).await.unwrap(), None);
    assert!(
        discard_damaged(&mut tracker, &store)
            .await
            .unwrap()
            .is_empty()
    );
}
