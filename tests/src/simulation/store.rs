//! A simulated Redis and its clients, which reach it over a bad network.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use loto_proto::heartbeat::Heartbeat;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;
use loto_transport::TransportError;
use loto_transport::error::Reason;
use loto_transport::server::Server;
use loto_transport::store::{Blobs, Deletion, Health, Heartbeats, Sweeps};

use super::database::Database;
use super::process::{Fate, Process};

/// A server with its state.
#[derive(Debug)]
pub(crate) struct StoreServer {
    name: &'static str,
    /// Whether it is not the one that users submit to.
    pub(super) is_another: bool,
    database: Mutex<Database>,
    down: Mutex<bool>,
}

impl StoreServer {
    /// An empty store, to which users submit.
    pub(crate) fn new() -> Arc<Self> {
        Self::with("store", false, Database::default())
    }

    /// A store to which nobody submits any more and that holds these blobs.
    pub(crate) fn another(blobs: impl Iterator<Item = (String, Vec<u8>)>) -> Arc<Self> {
        let blobs = blobs.map(|(name, bytes)| (name, Arc::from(bytes)));
        let database = Database {
            blobs: blobs.collect(),
            ..Database::default()
        };
        Self::with("another store", true, database)
    }

    fn with(name: &'static str, is_another: bool, database: Database) -> Arc<Self> {
        Arc::new(Self {
            name,
            is_another,
            database: Mutex::new(database),
            down: Mutex::new(false),
        })
    }

    /// What it holds.
    pub(crate) fn database(&self) -> MutexGuard<'_, Database> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it answers nobody.
    pub(crate) fn is_down(&self) -> bool {
        *self.down.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops or starts it.
    pub(crate) fn set_down(&self, down: bool) {
        *self.down.lock().unwrap_or_else(PoisonError::into_inner) = down;
    }
}

/// A process's connection to a store.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedStore {
    pub(super) process: Arc<Process>,
    pub(super) server: Arc<StoreServer>,
    /// Whether what it stores of jobs has checksums.
    pub(super) seals: bool,
}

pub(super) type Outcome<Value> = Result<Value, TransportError>;

impl SimulatedStore {
    /// Connects a process.
    pub(crate) fn new(process: &Arc<Process>, server: &Arc<StoreServer>) -> Self {
        Self {
            process: Arc::clone(process),
            server: Arc::clone(server),
            seals: true,
        }
    }

    fn unavailable(&self, reason: &str) -> TransportError {
        TransportError::Unavailable {
            server: Server::Store,
            address: self.server.name.into(),
            reason: reason.into(),
        }
    }

    pub(super) fn corrupt(&self, key: impl ToString, reason: impl Into<Reason>) -> TransportError {
        TransportError::CorruptValue {
            store: self.server.name.into(),
            key: key.to_string(),
            reason: reason.into(),
        }
    }

    /// Calls the server to read something.
    pub(super) async fn read<Value: Send>(
        &self,
        doing: &str,
        read: impl Fn(&Database) -> Value + Send,
    ) -> Outcome<Value> {
        self.process.goes_on().await;
        let fate = self.process.fate(false);
        self.process.travel().await;
        if self.server.is_down() || fate != Fate::Plain {
            self.process.suffer(fate).await;
            self.note(doing, "no answer");
            return Err(self.unavailable("no answer"));
        }
        let value = read(&self.server.database());
        self.process.travel().await;
        Ok(value)
    }

    /// Calls the server to change something.
    pub(super) async fn change<Value: Send>(
        &self,
        doing: &'static str,
        change: impl Fn(&mut Database) -> Value + Send + 'static,
    ) -> Outcome<Value> {
        self.process.goes_on().await;
        let fate = self.process.fate(true);
        self.process.travel().await;
        if self.server.is_down() || matches!(fate, Fate::LostRequest | Fate::CrashBefore) {
            self.process.suffer(fate).await;
            self.note(doing, "no answer");
            return Err(self.unavailable("no answer"));
        }
        if fate == Fate::Late {
            let server = Arc::clone(&self.server);
            let world = Arc::clone(&self.process.world);
            let time = world.draw(|chance| chance.milliseconds(100, 40_000));
            tokio::spawn(async move {
                tokio::time::sleep(time).await;
                if !server.is_down() {
                    world.note(format_args!("{doing}: arrives late"));
                    change(&mut server.database());
                }
            });
            self.process.suffer(fate).await;
            self.note(doing, "no answer, and it is late");
            return Err(self.unavailable("no answer"));
        }
        let mut value = change(&mut self.server.database());
        if fate == Fate::Doubled {
            value = change(&mut self.server.database());
        }
        self.note(doing, "done");
        if matches!(fate, Fate::LostAnswer | Fate::CrashAfter) {
            self.process.suffer(fate).await;
            self.note(doing, "the answer is lost");
            return Err(self.unavailable("no answer"));
        }
        self.process.travel().await;
        Ok(value)
    }

    fn note(&self, doing: &str, what: &str) {
        let Process { name, world, .. } = &*self.process;
        world.note(format_args!("{name} {}: {doing}: {what}", self.server.name));
    }
}

#[async_trait]
impl Sweeps for SimulatedStore {
    async fn put_sweep(&self, sweep: &Sweep) -> Outcome<SweepId> {
        let (id, bytes) = (sweep.id(), Arc::from(sweep.encode_for_store()));
        self.change("recording a sweep", move |data| data.put_sweep(id, &bytes))
            .await?;
        Ok(id)
    }

    async fn sweep(&self, id: SweepId) -> Outcome<Option<Sweep>> {
        let bytes = self.read("sweep", |data| data.sweeps.get(&id).cloned());
        let decode = |bytes: Arc<[u8]>| {
            Sweep::decode(&bytes, id).map_err(|error| self.corrupt(format!("sweep {id}"), error))
        };
        bytes.await?.map(decode).transpose()
    }

    async fn sweeps(&self) -> Outcome<Vec<SweepId>> {
        self.read("sweeps", |data| data.sweep_ids.clone()).await
    }

    async fn sweep_state(&self, id: SweepId) -> Outcome<SweepState> {
        let state = self.read("sweep state", |data| data.states.get(&id).copied());
        Ok(state.await?.unwrap_or_default())
    }

    async fn mark_published(&self, id: SweepId, seeds: u32) -> Outcome<()> {
        self.change("noting what is published", move |data| {
            data.states.entry(id).or_default().published_seeds = seeds;
        })
        .await
    }

    async fn cancel_sweep(&self, id: SweepId, series: &[SeriesId]) -> Outcome<()> {
        let series = series.to_vec();
        self.change("cancelling", move |data| {
            data.states.insert(
                id,
                SweepState {
                    published_seeds: 0,
                    cancelled: true,
                },
            );
            data.stopped.extend(&series);
        })
        .await
    }

    async fn resume_sweep(&self, id: SweepId, series: &[SeriesId]) -> Outcome<()> {
        let series = series.to_vec();
        self.change("resuming", move |data| {
            data.states.insert(id, SweepState::default());
            for series in &series {
                data.stopped.remove(series);
            }
        })
        .await
    }

    async fn delete_sweep(&self, deletion: &Deletion) -> Outcome<()> {
        let deletion = deletion.clone();
        self.change("deleting a sweep", move |data| {
            for (series, seeds) in &deletion.jobs {
                if let Some(traces) = data.traces.get_mut(series) {
                    traces.retain(|seed, _| !seeds.contains(seed));
                }
                if let Some(attempts) = data.attempts.get_mut(series) {
                    attempts.retain(|seed, _| !seeds.contains(seed));
                }
                data.conflicts
                    .retain(|(known, seed), _| known != series || !seeds.contains(seed));
            }
            for name in &deletion.blobs {
                data.blobs.remove(name);
            }
            data.states.remove(&deletion.id);
            data.sweep_ids.retain(|id| *id != deletion.id);
            data.sweeps.remove(&deletion.id);
        })
        .await
    }

    async fn release_series(&self, id: SweepId, series: &[SeriesId]) -> Outcome<()> {
        let series = series.to_vec();
        self.change("releasing series", move |data| {
            if data.states.get(&id).is_none_or(|state| !state.cancelled) {
                data.stopped.retain(|stopped| !series.contains(stopped));
            }
        })
        .await
    }
}

impl Health for SimulatedStore {
    // Faults take its last seconds back, as a crash does those of Redis.
    fn longest_loss(&self) -> Duration {
        Duration::from_secs(4)
    }
}

#[async_trait]
impl Heartbeats for SimulatedStore {
    async fn put_heartbeat(&self, worker: &str, heartbeat: &Heartbeat) -> Outcome<()> {
        let (worker, text) = (worker.to_owned(), heartbeat.encode());
        self.change("telling what is held", move |data| {
            data.workers.insert(worker.clone(), text.clone());
        })
        .await
    }

    async fn heartbeats(&self) -> Outcome<Vec<(String, Heartbeat)>> {
        let found = self.read("heartbeats", |data| data.workers.clone()).await?;
        let heartbeats = found.into_iter().map(|(worker, text)| {
            let heartbeat = Heartbeat::decode(text.as_bytes());
            Ok((
                worker,
                heartbeat.map_err(|error| self.corrupt("workers", error))?,
            ))
        });
        heartbeats.collect()
    }

    async fn forget_worker(&self, worker: &str) -> Outcome<()> {
        let worker = worker.to_owned();
        self.change("forgetting a worker", move |data| {
            data.workers.remove(&worker);
        })
        .await
    }
}

#[async_trait]
impl Blobs for SimulatedStore {
    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Outcome<()> {
        let (name, bytes) = (name.to_owned(), Arc::from(bytes));
        self.change("keeping a blob", move |data| {
            let blobs = data.blobs.entry(name.clone());
            blobs.or_insert_with(|| Arc::clone(&bytes));
        })
        .await
    }

    async fn blob(&self, name: &str) -> Outcome<Option<Vec<u8>>> {
        let bytes = self.read("blob", |data| data.blobs.get(name).cloned());
        Ok(bytes.await?.map(|bytes| bytes.to_vec()))
    }

    async fn discard_blob(&self, name: &str) -> Outcome<()> {
        let name = name.to_owned();
        self.change("discarding a blob", move |data| {
            data.blobs.remove(&name);
        })
        .await
    }

    fn corrupt_blob(&self, name: &str, reason: Reason) -> TransportError {
        self.corrupt(name, reason)
    }

    async fn has_blob(&self, name: &str) -> Outcome<bool> {
        self.read("length of a blob", |data| {
            let bytes = data.blobs.get(name);
            bytes.is_some_and(|bytes| !bytes.is_empty())
        })
        .await
    }
}

/// How long a server that is set up again stays away at most.
pub(crate) const LONGEST_RESTART: Duration = Duration::from_secs(20);
