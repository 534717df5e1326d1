//! A sweep over a broker and a store, with workers as processes of their own.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::programs::{self, Process};

/// How long the traces of a test may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Workers at a broker and a store. They are killed when this value is dropped.
pub struct Cluster {
    broker: String,
    store: String,
    workers: Vec<Process>,
    logs: TempDir,
}

impl Cluster {
    /// A cluster without workers at these servers.
    ///
    /// # Panics
    /// If there is no temporary folder.
    pub fn new(broker: &str, store: &str) -> Self {
        Self {
            broker: broker.to_owned(),
            store: store.to_owned(),
            workers: Vec::new(),
            logs: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// Starts one more worker, which runs one job at a time.
    ///
    /// # Panics
    /// If it cannot be run.
    pub fn start_worker(&mut self) {
        let mut worker = programs::command("loto-worker");
        worker.args(["--jobs", "1"]);
        worker.args(["--broker", &self.broker, "--store", &self.store]);
        let log = self.logs.path().join(format!("{}.log", self.workers.len()));
        worker.stderr(File::create(log).expect("a log file"));
        self.workers.push(Process::start(worker));
    }

    /// Ends a worker, counted from 0 in the order of their start, as a crash does.
    pub fn kill_worker(&mut self, number: usize) {
        self.workers[number].kill();
    }

    /// Ends a worker in an orderly way and returns what it logged.
    ///
    /// # Panics
    /// If it does not end well.
    pub fn stop_worker(&mut self, number: usize) -> String {
        let worker = &mut self.workers[number];
        worker.terminate();
        let status = worker.wait(PATIENCE);
        let log = fs::read_to_string(self.logs.path().join(format!("{number}.log")));
        let log = log.expect("a worker's log");
        assert!(status.success(), "worker {number}: {status}\n{log}");
        log
    }

    /// Starts `loto submit SWEEP --wait`.
    ///
    /// # Panics
    /// If it cannot be run.
    pub fn submit(&self, sweep: &Path) -> Process {
        let mut submit = programs::command("loto");
        submit.arg("submit").arg(sweep).arg("--wait");
        submit.args(["--broker", &self.broker, "--store", &self.store]);
        submit.stdout(Stdio::null());
        Process::start(submit)
    }

    /// Runs a sweep to its end and writes its report to a folder.
    ///
    /// # Panics
    /// If either fails.
    pub fn run(&self, sweep: &Path, name: &str, folder: &Path) {
        let status = self.submit(sweep).wait(PATIENCE);
        assert!(status.success(), "{status}");
        self.report(name, folder);
    }

    /// Writes the report of a sweep to a folder.
    ///
    /// # Panics
    /// If that fails.
    pub fn report(&self, name: &str, folder: &Path) {
        let mut report = programs::command("loto");
        report.args(["report", name, "--store", &self.store, "--out"]);
        let output = report.arg(folder).output().expect("loto runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
    }

    /// How many traces were announced so far; waits for a store that just started.
    ///
    /// # Panics
    /// If the store does not answer.
    pub fn traces(&self) -> u64 {
        let client = redis::Client::open(self.store.as_str()).expect("the URL is valid");
        let count = || {
            let mut connection = client.get_connection()?;
            redis::cmd("XLEN").arg("loto:events").query(&mut connection)
        };
        let begin = Instant::now();
        loop {
            match count() {
                Ok(traces) => return traces,
                Err(error) => assert!(begin.elapsed() < PATIENCE, "{error}"),
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until so many traces were announced.
    ///
    /// # Panics
    /// If it takes too long.
    pub fn wait_for_traces(&self, wanted: u64) {
        let begin = Instant::now();
        while self.traces() < wanted {
            assert!(begin.elapsed() < PATIENCE, "the sweep stands still");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        for number in 0..self.workers.len() {
            let log = fs::read_to_string(self.logs.path().join(format!("{number}.log")));
            eprintln!("log of worker {number}:\n{}", log.unwrap_or_default());
        }
    }
}
