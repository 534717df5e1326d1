//! Workers: the real consumer, which is started again whenever it dies or ends.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use loto_proto::heartbeat::HEARTBEAT_INTERVAL;
use loto_worker::consumer::{self, ConsumerOptions};
use tokio_util::sync::CancellationToken;

use super::compute::SimulatedCompute;
use super::probe::Probe;
use super::process::Process;
use super::queue::{BrokerServer, SimulatedQueue};
use super::store::{SimulatedStore, StoreServer};
use super::world::World;

/// What a worker knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Release {
    /// All that this one does.
    Newest,
    /// Not the newest method.
    Former,
    /// Neither the newest method nor checksums: what it stores has none.
    WithoutChecksums,
}

/// A host that runs a worker.
#[derive(Debug)]
pub(crate) struct WorkerHost {
    pub(crate) name: String,
    /// How many jobs its worker runs at a time.
    pub(crate) slots: u16,
    pub(crate) release: Release,
    pub(crate) world: Arc<World>,
    pub(crate) broker: Arc<BrokerServer>,
    pub(crate) store: Arc<StoreServer>,
    pub(crate) probe: Arc<Probe>,
    running: Mutex<Option<(Arc<Process>, CancellationToken)>>,
}

impl WorkerHost {
    pub(crate) fn new(
        name: String,
        slots: u16,
        release: Release,
        world: &Arc<World>,
        broker: &Arc<BrokerServer>,
        store: &Arc<StoreServer>,
        probe: &Arc<Probe>,
    ) -> Arc<Self> {
        Arc::new(Self {
            name,
            slots,
            release,
            world: Arc::clone(world),
            broker: Arc::clone(broker),
            store: Arc::clone(store),
            probe: Arc::clone(probe),
            running: Mutex::default(),
        })
    }

    /// The worker that runs now.
    pub(crate) fn process(&self) -> Option<Arc<Process>> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.as_ref().map(|(process, _)| Arc::clone(process))
    }

    /// Asks the worker to end.
    pub(crate) fn ask_to_end(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((process, shutdown)) = &*running {
            let name = &process.name;
            self.world.note(format_args!("{name} is asked to end"));
            shutdown.cancel();
        }
    }

    /// Runs workers, one after the other.
    pub(crate) async fn run(self: Arc<Self>) {
        for number in 1.. {
            let process = Process::start(format!("{}:{number}", self.name), &self.world);
            let shutdown = CancellationToken::new();
            {
                let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
                *running = Some((Arc::clone(&process), shutdown.clone()));
            }
            let queue = SimulatedQueue::new(&process, &self.broker);
            let mut store = SimulatedStore::new(&process, &self.store);
            store.seals = self.release != Release::WithoutChecksums;
            let is_new = self.release == Release::Newest;
            let compute = SimulatedCompute::new(&process, &store, &self.probe, is_new);
            let options = ConsumerOptions {
                worker: process.name.clone(),
                process: process.name.clone(),
                jobs: self.slots,
                heartbeat_interval: Some(HEARTBEAT_INTERVAL),
                ..ConsumerOptions::default()
            };
            let consuming = consumer::run(
                Arc::new(queue),
                Arc::new(store),
                Arc::new(compute),
                options,
                shutdown,
                None,
            );
            let ended = process.run(consuming).await;
            let how = match &ended {
                None => "it crashed".into(),
                Some(Ok(_)) => "it was asked to".into(),
                Some(Err(error)) => error.to_string(),
            };
            self.world
                .note(format_args!("{} ended: {how}", process.name));
            self.world.truth().ended(&process.name);
            let delay = self.world.draw(|chance| chance.milliseconds(500, 8000));
            tokio::time::sleep(delay.max(Duration::from_secs(1))).await;
        }
    }
}
