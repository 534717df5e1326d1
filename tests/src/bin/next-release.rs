//! Worker and coordinator of a release to come, for tests of two releases side by side.
//!
//! `next-release submit SWEEP --wait --broker URL --store URL` does what `loto` does; with other arguments, the program
//! is `loto-worker`.

use std::error::Error;
use std::process::ExitCode;

use loto_coordinator::dispatch::{
    Inventory, LONGEST_ABSENCE, LONGEST_OUTAGE, POLL_INTERVAL, Requeue, Wait, publish_sweep,
    record, wait_until_done,
};
use loto_coordinator::plan::{Plan, SweepSource};
use loto_coordinator::progress::Tracker;
use loto_engine::EngineError;
use loto_proto::job::Job;
use loto_tests::next_release::{METHOD, raise, version};
use loto_transport::store::StoreIdentity;
use loto_transport::{queue, store};
use loto_worker::isolation::child;
use loto_worker::program;
use tokio_util::sync::CancellationToken;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_none_or(|first| first != "submit") {
        return program::main(|blobs| {
            let mut run = child::methods(blobs);
            Box::new(move |job| run(&as_of_this_release(job)?))
        });
    }
    match submit(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The job of the same trace in this release.
fn as_of_this_release(job: &Job) -> Result<Job, EngineError> {
    let mut job = job.clone();
    let method = &mut job.series.method;
    if method.id == METHOD {
        let available = version() + 1;
        if method.version != available {
            return Err(EngineError::OtherVersion {
                method: METHOD.into(),
                wanted: method.version,
                available,
            });
        }
        method.version = version();
    }
    Ok(job)
}

/// Submits a sweep and waits until it is done.
#[tokio::main]
async fn submit(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let after = |option: &str| {
        let mut rest = arguments.iter().skip_while(|argument| *argument != option);
        rest.nth(1).ok_or(format!("{option} is missing"))
    };
    let mut plan = Plan::read(&SweepSource::File(after("submit")?.into()), None)?;
    for blackbox in &mut plan.sweep.blackboxes {
        blackbox.methods.iter_mut().for_each(raise);
    }
    let store = store::open(after("--store")?.as_str()).await?;
    let queue = queue::connect(after("--broker")?.as_str()).await?;
    let (store, queue) = (store.as_ref(), queue.as_ref());
    let shutdown = CancellationToken::new();
    let id = record(&plan, store).await?;
    let mut tracker = Tracker::of_plan(&plan);
    tracker.scan(store).await?;
    let identity = StoreIdentity::default();
    publish_sweep(id, &mut tracker, store, &identity, queue, &shutdown).await?;
    let wait = Wait {
        id,
        store,
        inventory: Some(Inventory::of_plan(&plan)),
        requeue: Some(Requeue::new(queue, &identity)),
        poll_interval: POLL_INTERVAL,
        longest_outage: LONGEST_OUTAGE,
        longest_absence: LONGEST_ABSENCE,
        shutdown,
    };
    Ok(wait_until_done(&mut tracker, wait, |_| {}).await?)
}
