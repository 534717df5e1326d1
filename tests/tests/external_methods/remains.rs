//! What programs leave behind: processes and files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a program and its folder may take to be gone.
const PATIENCE: Duration = Duration::from_secs(15);

/// A folder for temporary files. Every descendant of a program started with it as `TMPDIR` is known by it, wherever it
/// went.
pub(crate) struct TemporaryFolder(tempfile::TempDir);

impl TemporaryFolder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Processes with a temporary folder of their own below this one: methods and what they started.
    pub(crate) fn processes(&self) -> Vec<PathBuf> {
        let variable = format!("TMPDIR={}/loto-method-", self.path().display());
        let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let process = entry.ok()?.path();
            let environment = fs::read(process.join("environ")).ok()?;
            let mut variables = environment.split(|&byte| byte == 0);
            variables
                .any(|found| found.starts_with(variable.as_bytes()))
                .then_some(process)
        });
        processes.collect()
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Waits until there is a process whose command line contains a text.
    pub(crate) fn wait_for(&self, text: &str) {
        let is_there = || {
            let lines = self.processes().into_iter();
            let mut lines = lines.filter_map(|process| fs::read(process.join("cmdline")).ok());
            lines.any(|line| String::from_utf8_lossy(&line).contains(text))
        };
        wait(is_there, || format!("no process `{text}`"));
    }

    /// Waits until nothing is left.
    pub(crate) fn assert_empties(&self) {
        let is_empty = || self.processes().is_empty() && self.files().is_empty();
        wait(is_empty, || {
            let named = |process: &PathBuf| {
                let line = fs::read(process.join("cmdline")).unwrap_or_default();
                String::from_utf8_lossy(&line).replace('\0', " ")
            };
            let processes: Vec<String> = self.processes().iter().map(named).collect();
            format!("left: {processes:?} {:?}", self.files())
        });
    }
}

fn wait(is_so: impl Fn() -> bool, otherwise: impl Fn() -> String) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "{}", otherwise());
        std::thread::sleep(Duration::from_millis(20));
    }
}
