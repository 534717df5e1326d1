//! Shows progress on stderr: a bar on a terminal, log lines elsewhere.

use std::io::{self, IsTerminal, Write};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use loto_proto::untrusted_text::escape;

use super::rate::{Rate, describe_duration};
use super::{Counts, Progress};

/// Time between two log lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// All bars of this process, so that log lines can be written around them.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Shows how far a sweep is until it is dropped.
pub struct Display {
    name: String,
    started: Instant,
    on_terminal: bool,
    bar: Option<ProgressBar>,
    rate: Rate,
    last_line: Option<Instant>,
    /// The newest progress, unless a line says it.
    unlogged: Option<String>,
}

impl Display {
    /// A display for the sweep of that name.
    pub fn new(name: &str) -> Self {
        Self {
            name: escape(name).into_owned(),
            started: Instant::now(),
            on_terminal: io::stderr().is_terminal(),
            bar: None,
            rate: Rate::default(),
            last_line: None,
            unlogged: None,
        }
    }

    /// Shows the newest progress; to be called every second or so.
    pub fn update(&mut self, progress: &Progress) {
        let counts = &progress.total;
        let time = match (counts.unfinished(), progress.workers) {
            (0, _) => format!("in {}", describe_duration(self.started.elapsed())),
            (_, Some(0)) => {
                // What was done before the workers left tells nothing of those that come.
                self.rate = Rate::default();
                "no worker is running".to_owned()
            }
            _ => {
                self.rate.sample(self.started.elapsed(), progress);
                self.rate.describe(progress)
            }
        };
        self.unlogged = Some(format!("sweep {}: {counts}; {time}", self.name));
        if self.on_terminal {
            self.update_bar(counts, time);
            return;
        }
        let is_due = self
            .last_line
            .is_none_or(|last| last.elapsed() >= LINE_INTERVAL);
        if is_due && counts.unfinished() > 0 {
            self.last_line = Some(Instant::now());
            self.log();
        }
    }

    fn log(&mut self) {
        if let Some(line) = self.unlogged.take() {
            tracing::info!("{line}");
        }
    }

    fn update_bar(&mut self, counts: &Counts, mut message: String) {
        for (count, state) in [(counts.failed, "failed"), (counts.poisoned, "poisoned")] {
            if count > 0 {
                message.push_str(&format!(", {count} {state}"));
            }
        }
        let name = &self.name;
        let bar = self.bar.get_or_insert_with(|| new_bar(name));
        bar.set_length(counts.planned());
        bar.set_position(counts.done);
        bar.set_message(message);
    }
}

fn new_bar(name: &str) -> ProgressBar {
    let bar = BARS.add(ProgressBar::no_length());
    if let Ok(style) = ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(name.to_owned());
    bar
}

impl Drop for Display {
    /// The bar gives way to a line that stays.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            BARS.remove(bar);
        }
        self.log();
    }
}

/// Stderr for log lines: bars step aside while a line is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        BARS.suspend(|| io::stderr().lock().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}
