//! What a worker tells of itself: to the store in heartbeats, to probes and metrics.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use loto_transport::TransportError;
use loto_transport::store::Store;
use parking_lot::Mutex;

use super::held_jobs::HeldJobs;
use super::misfits::Misfits;
use super::options::ConsumerOptions;
use crate::metrics;

/// How long the last words to the store may take at a shutdown.
pub(super) const FAREWELL: Duration = Duration::from_secs(2);

/// How a worker is.
pub(super) struct Vitals {
    pub(super) held: HeldJobs,
    pub(super) misfits: Misfits,
    /// What the broker's alarm is, if it has one.
    alarm: Mutex<Option<String>>,
    /// Why no jobs arrive, if the broker is out of reach.
    outage: Mutex<Option<String>>,
    /// Whether the last heartbeat arrived.
    store_is_told: AtomicBool,
}

impl Default for Vitals {
    fn default() -> Self {
        Self {
            held: HeldJobs::default(),
            misfits: Misfits::default(),
            alarm: Mutex::default(),
            outage: Mutex::default(),
            store_is_told: AtomicBool::new(true),
        }
    }
}

impl Vitals {
    /// Tells the store which jobs are held, as long as it is polled. A store that is unavailable is told the
    /// next time.
    pub(super) async fn send_heartbeats(
        &self,
        store: &dyn Store,
        options: &ConsumerOptions,
        interval: Duration,
    ) {
        let need = options.readiness.need("the store");
        loop {
            let told = self.send_heartbeat(store, &options.worker).await;
            need.set(told.is_ok());
            let was_told = self.store_is_told.swap(told.is_ok(), Ordering::Relaxed);
            if let Err(error) = told
                && was_told
            {
                tracing::warn!("telling the store what is held: {error}; going on");
            }
            self.watch_slots(options);
            tokio::time::sleep(interval).await;
        }
    }

    async fn send_heartbeat(&self, store: &dyn Store, worker: &str) -> Result<(), TransportError> {
        let mut remarks = self.misfits.remarks();
        remarks.extend(self.alarm.lock().clone());
        remarks.extend(self.outage.lock().clone());
        self.held.send_heartbeat(worker, store, remarks).await?;
        self.misfits.keep_identity(store).await
    }

    /// Tells the store that this worker holds nothing any more.
    pub(super) async fn say_farewell(&self, store: &dyn Store, worker: &str) {
        let forgetting = self.held.say_farewell(worker, store);
        // It is forgotten anyway when its heartbeats stay away for long.
        let _forgotten = tokio::time::timeout(FAREWELL, forgetting).await;
    }

    /// Takes note of whether the broker has an alarm.
    pub(super) fn note_alarm(&self, alarm: Option<String>) {
        metrics::broker_alarm(alarm.is_some());
        let mut noted = self.alarm.lock();
        match (&*noted, &alarm) {
            (None, Some(alarm)) => tracing::warn!("{alarm}; jobs go on as far as they can"),
            (Some(_), None) => tracing::info!("the alarm of the broker is over"),
            _ => {}
        }
        *noted = alarm;
    }

    /// Whether the broker has an alarm, as far as it was told.
    pub(super) fn has_alarm(&self) -> bool {
        self.alarm.lock().is_some()
    }

    /// Takes note of why no jobs arrive, or that they do again.
    pub(super) fn note_outage(&self, outage: Option<String>) {
        *self.outage.lock() = outage;
    }

    /// Finds out whether a job makes no progress although broker and store are there.
    fn watch_slots(&self, options: &ConsumerOptions) {
        let readiness = &options.readiness;
        if !readiness.missing().is_empty() {
            self.held.excuse();
        }
        let stalled = self.held.stalled(options.longest_silence);
        metrics::slots_stalled(stalled.len());
        let first = stalled.first().map(|job| {
            let seconds = options.longest_silence.as_secs();
            format!("job {job} has made no progress for {seconds} s")
        });
        if let Some(problem) = &first {
            tracing::error!("{problem}: this worker is stuck and should be restarted");
        }
        readiness.set_stalled(first);
    }
}
