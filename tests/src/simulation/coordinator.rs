//! Users: each submits a sweep and waits for it, as `loto submit --wait` does, until it is done.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use loto_coordinator::dispatch::{
    DispatchError, Inventory, LONGEST_ABSENCE, LONGEST_OUTAGE, POLL_INTERVAL, Requeue, Wait,
    cancel, discard_damaged, publish_for, publish_sweep, record, refuse_cancelled, resume,
    retry_poisoned, wait_until_done,
};
use loto_coordinator::plan::Plan;
use loto_coordinator::progress::Tracker;
use loto_transport::queue::Queue;
use loto_transport::store::{Store, StoreIdentity};
use tokio_util::sync::CancellationToken;

use super::checks;
use super::plans;
use super::process::Process;
use super::queue::{BrokerServer, SimulatedQueue};
use super::store::{SimulatedStore, StoreServer};
use super::world::World;

/// Seeds of the largest sweep.
const MOST_SEEDS: u32 = 40;

/// A user who wants a sweep to be done.
#[derive(Debug)]
pub(crate) struct User {
    pub(crate) name: String,
    /// Methods and seeds of the sweep.
    sweep: Mutex<(usize, u32)>,
    /// Seeds of the first sweep.
    first_seeds: u32,
    pub(crate) world: Arc<World>,
    pub(crate) broker: Arc<BrokerServer>,
    pub(crate) store: Arc<StoreServer>,
    waiting: Mutex<Option<Arc<Process>>>,
}

impl User {
    pub(crate) fn new(
        name: String,
        sweep: (usize, u32),
        world: &Arc<World>,
        broker: &Arc<BrokerServer>,
        store: &Arc<StoreServer>,
    ) -> Arc<Self> {
        Arc::new(Self {
            name,
            sweep: Mutex::new(sweep),
            first_seeds: sweep.1,
            world: Arc::clone(world),
            broker: Arc::clone(broker),
            store: Arc::clone(store),
            waiting: Mutex::default(),
        })
    }

    /// The sweep that the user wants now.
    pub(crate) fn plan(&self) -> Arc<Plan> {
        let (methods, seeds) = *self.sweep.lock().unwrap_or_else(PoisonError::into_inner);
        plans::plan(methods, seeds)
    }

    /// The user wants more seeds than before, or submits the same sweep again.
    fn want_more(&self) {
        if self.world.draw(|chance| chance.one_in(3)) {
            return;
        }
        let mut sweep = self.sweep.lock().unwrap_or_else(PoisonError::into_inner);
        let more = self.world.draw(|chance| 1 + chance.below(4)) as u32;
        sweep.1 = MOST_SEEDS.min(sweep.1 + more);
    }

    /// The user gives up a sweep that was cancelled and wants one that is smaller, or larger. It may have been done
    /// before.
    fn want_another(&self) {
        let mut sweep = self.sweep.lock().unwrap_or_else(PoisonError::into_inner);
        let most = u64::from(MOST_SEEDS.min(sweep.1 + 2) - self.first_seeds);
        sweep.1 = self.first_seeds + self.world.draw(|chance| chance.below(most + 1)) as u32;
    }

    /// The process that submitted the sweep and waits.
    pub(crate) fn process(&self) -> Option<Arc<Process>> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.clone()
    }

    /// Submits the sweep, and after that a larger one, until it is done and there will be no more faults.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut was_cancelled = false;
        for number in 1.. {
            let plan = self.plan();
            let process = Process::start(format!("{}:{number}", self.name), &self.world);
            {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                *waiting = Some(Arc::clone(&process));
            }
            let queue = SimulatedQueue::new(&process, &self.broker);
            let store = SimulatedStore::new(&process, &self.store);
            let submitting = submit(&plan, &store, &queue, was_cancelled);
            let ended = process.run(submitting).await;
            was_cancelled = matches!(ended, Some(Err(DispatchError::Cancelled(_))));
            if was_cancelled && self.world.draw(|chance| chance.one_in(2)) {
                self.want_another();
            }
            match ended {
                None => {}
                Some(outcome) => {
                    let told = outcome
                        .as_ref()
                        .map_or_else(ToString::to_string, |()| "done".into());
                    self.world
                        .note(format_args!("{} ended: {told}", process.name));
                    let is_over = self.judge(&plan, outcome);
                    if is_over && self.world.quiet().is_some() {
                        return;
                    }
                    if is_over {
                        self.want_more();
                    }
                }
            }
            let delay = self.world.draw(|chance| chance.milliseconds(500, 10_000));
            tokio::time::sleep(delay).await;
        }
    }

    /// Whether the sweep has come to its right end; complains about one that is wrong.
    fn judge(&self, plan: &Plan, outcome: Result<(), DispatchError>) -> bool {
        match outcome {
            Ok(()) => {}
            Err(DispatchError::Poisoned { jobs, .. }) => {
                if jobs
                    .iter()
                    .any(|poisoned| !checks::may_be_poisoned(&poisoned.job))
                {
                    // Workers died over it: the user retries it.
                    return false;
                }
            }
            Err(DispatchError::Transport(error)) if !error.is_transient() => {
                self.world.violated(format!("a submission ended: {error}"));
                return false;
            }
            Err(error @ (DispatchError::Conflicts(_) | DispatchError::TableChanged { .. })) => {
                self.world.violated(format!("a submission ended: {error}"));
                return false;
            }
            Err(_) => return false,
        }
        checks::is_whole(&self.world, &self.store, &plan.sweep)
    }
}

/// What `loto submit --wait` does, and `loto resume --wait` before that if the sweep was cancelled.
async fn submit(
    plan: &Plan,
    store: &dyn Store,
    queue: &dyn Queue,
    was_cancelled: bool,
) -> Result<(), DispatchError> {
    let shutdown = CancellationToken::new();
    if was_cancelled {
        resume(plan.sweep.id(), &plan.sweep, store).await?;
    }
    let id = record(plan, store).await?;
    refuse_cancelled(id, store).await?;
    let mut tracker = Tracker::of_plan(plan);
    tracker.scan(store).await?;
    let released = retry_poisoned(&mut tracker, store).await?;
    let discarded = discard_damaged(&mut tracker, store).await?;
    tracker.measure(store).await?;
    let jobs = released.into_iter().chain(discarded);
    let identity = StoreIdentity::default();
    publish_for(&identity, store, jobs, queue).await?;
    publish_sweep(id, &mut tracker, store, &identity, queue, &shutdown).await?;
    let wait = Wait {
        id,
        store,
        inventory: Some(Inventory::of_plan(plan)),
        requeue: Some(Requeue::new(queue, &identity)),
        poll_interval: POLL_INTERVAL,
        longest_outage: LONGEST_OUTAGE,
        longest_absence: LONGEST_ABSENCE,
        shutdown,
    };
    wait_until_done(&mut tracker, wait, |_| {}).await
}

/// What `loto cancel` does.
pub(crate) async fn cancel_once(user: Arc<User>) {
    let plan = user.plan();
    let process = Process::start(format!("{}:cancel", user.name), &user.world);
    let store = SimulatedStore::new(&process, &user.store);
    let cancelling = cancel(plan.sweep.id(), &plan.sweep, &store);
    // The user looks at what became of it, and so does the sweep's submission.
    let _ = process.run(cancelling).await;
}

/// Cancels a sweep that has all jobs of all users, and that nobody resumes.
pub(crate) async fn cancel_shared(world: &Arc<World>, server: &Arc<StoreServer>) {
    let plan = plans::plan(3, MOST_SEEDS + 1);
    let process = Process::start("somebody:cancel".into(), world);
    let store = SimulatedStore::new(&process, server);
    let cancelling = cancel(plan.sweep.id(), &plan.sweep, &store);
    // If that fails, nobody tries it again.
    let _ = process.run(cancelling).await;
}

/// How long a cancellation may take.
pub(crate) const CANCELLATION: Duration = Duration::from_secs(120);
