//! The simulated servers without any fault, to be held to the rules that every queue and every store keeps.

use std::sync::Arc;

use loto_transport::queue::Queue;
use loto_transport::store::Store;

use super::process::Process;
use super::queue::{BrokerServer, SimulatedQueue};
use super::store::{SimulatedStore, StoreServer};
use super::world::World;

fn process() -> Arc<Process> {
    let world = Arc::new(World::new(1, 0, false));
    Process::start("a process".into(), &world)
}

/// An empty queue.
pub fn faultless_queue() -> Arc<dyn Queue> {
    Arc::new(SimulatedQueue::new(&process(), &BrokerServer::new()))
}

/// An empty store.
pub fn faultless_store() -> Arc<dyn Store> {
    Arc::new(SimulatedStore::new(&process(), &StoreServer::new()))
}
