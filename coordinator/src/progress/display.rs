//! Shows progress on stderr: a bar on a terminal, log lines elsewhere.

use std::io::{self, IsTerminal, Write};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

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
    bar: Option<ProgressBar>,
    rate: Rate,
    last_line: Option<Instant>,
}

impl Display {
    /// A display for the sweep of that name.
    pub fn new(name: &str) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = BARS.add(ProgressBar::new(0));
            let style = ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {msg}");
            if let Ok(style) = style {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_prefix(name.to_owned());
            bar
        });
        Self {
            name: name.to_owned(),
            started: Instant::now(),
            bar,
            rate: Rate::default(),
            last_line: None,
        }
    }

    /// Shows the newest progress; to be called every second or so.
    pub fn update(&mut self, progress: &Progress) {
        let counts = &progress.total;
        self.rate.sample(self.started.elapsed(), counts.done);
        let message = self.describe(counts);
        if let Some(bar) = &self.bar {
            bar.set_length(counts.planned());
            bar.set_position(counts.done);
            bar.set_message(message);
            return;
        }
        let is_due = self
            .last_line
            .is_none_or(|last| last.elapsed() >= LINE_INTERVAL);
        if is_due || counts.unfinished() == 0 {
            self.last_line = Some(Instant::now());
            tracing::info!("sweep {}: {counts}; {message}", self.name);
        }
    }

    fn describe(&self, counts: &Counts) -> String {
        if counts.unfinished() == 0 {
            return format!("in {}", describe_duration(self.started.elapsed()));
        }
        let mut message = self.rate.describe(counts.unfinished());
        for (count, state) in [(counts.failed, "failed"), (counts.poisoned, "given up")] {
            if self.bar.is_some() && count > 0 {
                message.push_str(&format!(", {count} {state}"));
            }
        }
        message
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
            BARS.remove(bar);
        }
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
