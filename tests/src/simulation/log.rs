//! What happened in a simulation, where somebody reads it.

use std::fmt::{self, Write};

use tokio::time::Instant;

/// What happened so far.
#[derive(Debug)]
pub(crate) struct Log {
    begun: Instant,
    hash: u64,
    lines: Option<String>,
}

impl Log {
    /// Nothing happened as yet. Nothing is noted unless it `keeps_text`, which takes time.
    pub(crate) fn new(keeps_text: bool) -> Self {
        Self {
            begun: Instant::now(),
            hash: 0xcbf2_9ce4_8422_2325,
            lines: keeps_text.then(String::new),
        }
    }

    /// Whether anything is noted.
    pub(crate) fn is_kept(&self) -> bool {
        self.lines.is_some()
    }

    /// Notes what happened now.
    pub(crate) fn note(&mut self, text: fmt::Arguments<'_>) {
        if !self.is_kept() {
            return;
        }
        let microseconds = self.begun.elapsed().as_micros();
        // Writing to memory does not fail.
        let _ = writeln!(self, "{microseconds:>12} {text}");
    }

    /// Differs wherever logs do that are kept.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// The text, if it is kept.
    pub(crate) fn text(&self) -> &str {
        self.lines.as_deref().unwrap_or_default()
    }
}

impl Write for Log {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        if let Some(lines) = &mut self.lines {
            lines.push_str(text);
        }
        Ok(())
    }
}
