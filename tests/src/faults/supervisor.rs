//! Keeps services running, as an init system does: what ended is started again.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use crate::programs::Process;

/// Time between the end of a service and its next start.
const RESTART_PAUSE: Duration = Duration::from_millis(300);

/// Time between two looks at the services.
const INTERVAL: Duration = Duration::from_millis(20);

/// The number of the signal that cannot be caught.
const SIGKILL: i32 = 9;

/// The number of the signal that asks for an orderly end.
const SIGTERM: i32 = 15;

/// Exit status of our programs if a server is not there.
const NOT_THERE: i32 = 2;

/// Runs services until it is dropped, which kills them.
pub struct Supervisor {
    services: Arc<Mutex<BTreeMap<String, Service>>>,
    logs: PathBuf,
    tending: JoinHandle<()>,
}

/// How a process of a service ended.
#[derive(Debug, Clone)]
pub struct End {
    /// Its status.
    pub status: ExitStatus,
    /// The signal it was sent before, by name.
    pub sent: Option<&'static str>,
    /// Time from that signal, or its start, to the end.
    pub after: Duration,
}

struct Service {
    make: Box<dyn Fn() -> Command + Send>,
    log: PathBuf,
    process: Option<Process>,
    /// The last signal and when it was sent; at first the start.
    sent: (Option<&'static str>, Instant),
    due: Instant,
    /// Statuses after which it is not started again.
    final_codes: &'static [i32],
    ended: Option<ExitStatus>,
    ends: Vec<End>,
}

impl Supervisor {
    /// Supervises nothing as yet; logs go to this folder.
    pub fn new(logs: &Path) -> Self {
        let services = Arc::new(Mutex::new(BTreeMap::new()));
        let tended = Arc::clone(&services);
        let tending = tokio::spawn(async move {
            loop {
                lock(&tended).values_mut().for_each(Service::tend);
                tokio::time::sleep(INTERVAL).await;
            }
        });
        Self {
            services,
            logs: logs.to_owned(),
            tending,
        }
    }

    /// Starts a service, and again whenever it ends, unless with one of these statuses.
    pub fn start(
        &self,
        name: &str,
        final_codes: &'static [i32],
        make: impl Fn() -> Command + Send + 'static,
    ) {
        let now = Instant::now();
        let mut service = Service {
            make: Box::new(make),
            log: self.log(name),
            process: None,
            sent: (None, now),
            due: now,
            final_codes,
            ended: None,
            ends: Vec::new(),
        };
        service.tend();
        lock(&self.services).insert(name.to_owned(), service);
    }

    /// The log of a service, of all its processes.
    pub fn log(&self, name: &str) -> PathBuf {
        self.logs.join(format!("{name}.log"))
    }

    /// Sends a service's process a signal; returns its id, or `None` if it does not run now, or
    /// was told to end before.
    ///
    /// # Panics
    /// If there is no such service.
    pub fn signal(&self, name: &str, signal: &'static str) -> Option<u32> {
        let mut services = lock(&self.services);
        let service = services.get_mut(name).expect("the service was started");
        service.tend();
        let process = service.process.as_ref()?;
        if signal == "TERM" && service.sent.0 == Some("TERM") {
            return None; // The second one would end it at once.
        }
        process.signal(signal);
        if ["KILL", "TERM"].contains(&signal) {
            service.sent = (Some(signal), Instant::now());
        }
        Some(process.id())
    }

    /// Whether a service has a process now.
    fn runs(&self, name: &str) -> bool {
        let mut services = lock(&self.services);
        services.get_mut(name).is_some_and(|service| {
            service.tend();
            service.process.is_some()
        })
    }

    /// With which status a service ended for good.
    pub fn ended(&self, name: &str) -> Option<ExitStatus> {
        lock(&self.services)
            .get(name)
            .and_then(|service| service.ended)
    }

    /// How the processes of a service ended so far.
    pub fn ends(&self, name: &str) -> Vec<End> {
        let services = lock(&self.services);
        services
            .get(name)
            .map_or(Vec::new(), |service| service.ends.clone())
    }

    /// The names of all services.
    pub fn names(&self) -> Vec<String> {
        lock(&self.services).keys().cloned().collect()
    }

    /// Ends a service with SIGTERM for good and waits until it has ended.
    pub async fn stop(&self, name: &str, at_most: Duration) {
        if let Some(service) = lock(&self.services).get_mut(name) {
            service.due = Instant::now() + Duration::from_secs(1_000_000);
        }
        self.signal(name, "TERM");
        let begin = Instant::now();
        while self.runs(name) && begin.elapsed() < at_most {
            tokio::time::sleep(INTERVAL).await;
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.tending.abort();
        lock(&self.services).clear();
    }
}

impl Service {
    fn tend(&mut self) {
        let now = Instant::now();
        if let Some(status) = self.process.as_mut().and_then(Process::ended) {
            self.process = None;
            let (sent, since) = self.sent;
            self.ends.push(End {
                status,
                sent,
                after: since.elapsed(),
            });
            if status
                .code()
                .is_some_and(|code| self.final_codes.contains(&code))
            {
                self.ended = Some(status);
            }
            self.due = self.due.max(now + RESTART_PAUSE);
        }
        if self.process.is_none() && self.ended.is_none() && now >= self.due {
            let mut command = (self.make)();
            let log = OpenOptions::new().create(true).append(true).open(&self.log);
            command.stderr(log.expect("a log can be written"));
            self.process = Some(Process::start(command));
            self.sent = (None, now);
        }
    }
}

impl End {
    /// Whether it ended as a sound program does: by the signal it was sent or well; on its
    /// own only because the servers were not there at its start.
    pub fn is_sound(&self) -> bool {
        let by_signal = self.status.signal();
        match (self.sent, self.status.code()) {
            (Some("KILL"), _) if by_signal == Some(SIGKILL) => true,
            // It had not come to the point where it takes the signal.
            (Some("TERM"), _) if by_signal == Some(SIGTERM) => self.after < RESTART_PAUSE,
            (_, code) => matches!(code, Some(0 | NOT_THERE)),
        }
    }
}

fn lock<Value>(mutex: &Mutex<Value>) -> MutexGuard<'_, Value> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
