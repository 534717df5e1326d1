//! Jobs that this worker cannot run and that are not at fault: those of another store or of another release, and
//! those whose table the store has lost.
//!
//! They are requeued and cost no attempt. A worker that gets nothing else holds them for a while first, so that
//! its queue does not spin and the right workers get the others meanwhile; longer while the broker has an alarm.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use loto_proto::identity::StoreId;
use loto_proto::job::Job;
use loto_transport::TransportError;
use loto_transport::store::{Store, StoreIdentity};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::outcome::Outcome;

/// The delay before such a job comes again.
pub(super) const DELAY: Duration = Duration::from_secs(2);

/// How long the first one is held; each one in a row twice as long as the one before.
const FIRST_HOLD: Duration = Duration::from_millis(50);
const LONGEST_HOLD: Duration = Duration::from_secs(5);

/// Time between two log lines about the same.
const TELLING_INTERVAL: Duration = Duration::from_secs(60);

/// How long after the last such job the store is told of it.
const REMARK_LASTS: Duration = Duration::from_secs(60);

/// Most remarks kept: their texts come from messages.
const MOST_REMARKS: usize = 20;

/// What is known of such jobs.
#[derive(Default)]
pub(super) struct Misfits {
    identity: StoreIdentity,
    in_a_row: AtomicU32,
    /// What is told of them, by text.
    remarks: Mutex<BTreeMap<String, Told>>,
    /// Methods of other releases, with the engine's error.
    methods: Mutex<BTreeMap<(String, u32), String>>,
}

struct Told {
    count: u64,
    logged: Instant,
    last: Instant,
}

impl Misfits {
    /// Puts the store's id back if the store lost it.
    pub(super) async fn keep_identity(&self, store: &dyn Store) -> Result<(), TransportError> {
        self.identity.current(store).await.map(drop)
    }

    /// Why a job that is addressed to this store is not for us, if it is not.
    pub(super) async fn foreign(
        &self,
        addressee: Option<StoreId>,
        store: &dyn Store,
    ) -> Result<Option<Outcome>, TransportError> {
        let Some(addressee) = addressee else {
            return Ok(None);
        };
        match self.identity.is(addressee, store).await {
            Ok(true) => Ok(None),
            Ok(false) => Ok(Some(Outcome::Foreign(format!(
                "it is for another store ({addressee})"
            )))),
            Err(error) if error.concerns_server() => Err(error),
            // Whose it is cannot be told.
            Err(error) => Ok(Some(Outcome::Foreign(error.to_string()))),
        }
    }

    /// What became of an earlier job of the same method, if that is another release's.
    pub(super) fn other_release(&self, job: &Job) -> Option<Outcome> {
        let methods = self.methods.lock();
        let error = methods.get(&method_of(job))?;
        Some(Outcome::OtherRelease(error.clone()))
    }

    /// Takes note that the engine cannot run this method.
    pub(super) fn note_other_release(&self, job: &Job, error: String) -> Outcome {
        let mut methods = self.methods.lock();
        if methods.len() < MOST_REMARKS {
            methods.insert(method_of(job), error.clone());
        }
        Outcome::OtherRelease(error)
    }

    /// What becomes of a job whose table is not in this store. A job that names no store, as former releases publish
    /// it or pass it on, is most likely another store's.
    pub(super) fn missing_table(addressee: Option<StoreId>, error: String) -> Outcome {
        match addressee {
            None => Outcome::Foreign(format!("it names no store, and here {error}")),
            Some(_) => Outcome::MissingTable(error),
        }
    }

    /// A job came that is for us.
    pub(super) fn fits(&self) {
        self.in_a_row.store(0, Ordering::Relaxed);
    }

    /// Tells of such a job, and how long it is to be held.
    pub(super) fn tell(&self, job: &Job, outcome: &Outcome) -> Duration {
        let remark = match outcome {
            Outcome::OtherRelease(_) => {
                let (method, version) = method_of(job);
                format!("cannot run method {method} of version {version}: jobs of another release")
            }
            Outcome::MissingTable(_) => {
                let table = job.series.table;
                let program = job.series.method.program;
                let program = program.map_or_else(String::new, |id| format!(" or program {id}"));
                format!(
                    "waits for table {table}{program}, which the store has lost: submit the sweep again"
                )
            }
            _ => "gets jobs of another store, which are left to its workers".to_owned(),
        };
        let now = Instant::now();
        {
            let mut remarks = self.remarks.lock();
            let is_new = !remarks.contains_key(&remark);
            if !is_new || remarks.len() < MOST_REMARKS {
                let told = remarks.entry(remark).or_insert(Told {
                    count: 0,
                    logged: now,
                    last: now,
                });
                told.count += 1;
                told.last = now;
                if is_new || now.duration_since(told.logged) >= TELLING_INTERVAL {
                    told.logged = now;
                    let times = told.count;
                    tracing::warn!("{}", advice(outcome, times));
                }
            }
        }
        let doublings = self.in_a_row.fetch_add(1, Ordering::Relaxed).min(10);
        LONGEST_HOLD.min(FIRST_HOLD * (1 << doublings))
    }

    /// What to tell those who look at the store.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut remarks = self.remarks.lock();
        remarks.retain(|_, told| told.last.elapsed() < REMARK_LASTS);
        remarks.keys().cloned().collect()
    }
}

fn method_of(job: &Job) -> (String, u32) {
    let method = &job.series.method;
    (method.id.clone(), method.version)
}

/// A log line: what is wrong, and what to look at.
fn advice(outcome: &Outcome, times: u64) -> String {
    match outcome {
        Outcome::OtherRelease(error) => format!(
            "{error}; such jobs are requeued for workers of the other release ({times} so far)"
        ),
        Outcome::MissingTable(error) => {
            format!("{error}; its jobs are requeued until it is there ({times} so far)")
        }
        Outcome::Foreign(problem) => format!(
            "a job is not for the workers of this store: {problem}; jobs of another store are requeued for its \
             workers ({times} so far); check --store here and where the sweep was submitted"
        ),
        _ => String::new(),
    }
}
