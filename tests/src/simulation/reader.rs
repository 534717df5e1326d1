//! A service that collects the traces of a sweep as they come, as the aggregator does.

use std::sync::Arc;
use std::time::Duration;

use loto_coordinator::CoordinatorError;
use loto_coordinator::follower::Follower;
use loto_coordinator::results::{CollectedCurves, ObjectiveCache, PlannedTraces};
use loto_proto::sweep::Sweep;

use super::process::Process;
use super::store::{SimulatedStore, StoreServer};
use super::world::World;

/// Time between two looks.
const INTERVAL: Duration = Duration::from_secs(3);

/// Collects what is finished until all of the jobs that can be done are, and no fault will come.
pub(crate) async fn collect(
    world: Arc<World>,
    server: Arc<StoreServer>,
    sweep: Sweep,
    possible: u64,
) {
    let objectives = ObjectiveCache::default();
    for number in 1.. {
        let process = Process::start(format!("reader:{number}"), &world);
        let store = SimulatedStore::new(&process, &server);
        let collecting = collect_once(&world, &store, &objectives, &sweep, possible);
        match process.run(collecting).await {
            Some(Ok(())) => return,
            Some(Err(error)) => {
                world.note(format_args!("{} ended: {error}", process.name));
            }
            None => {}
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

async fn collect_once(
    world: &World,
    store: &SimulatedStore,
    objectives: &ObjectiveCache,
    sweep: &Sweep,
    possible: u64,
) -> Result<(), CoordinatorError> {
    let mut follower = Follower::new(sweep);
    let planned = PlannedTraces::open(store, objectives, sweep.clone()).await?;
    let mut collected = CollectedCurves::new(Arc::new(planned));
    loop {
        follower.follow(store).await?;
        collected.read_new(&follower, store).await?;
        let done = collected.done();
        if done > possible {
            world.violated(format!("{done} traces were collected of {possible}"));
        }
        if done >= possible && world.quiet().is_some() {
            return Ok(());
        }
        tokio::time::sleep(INTERVAL).await;
    }
}
