//! Log lines about clients, which must not fill the log.

use std::time::{Duration, Instant};

/// Time from one such line to the next.
const INTERVAL: Duration = Duration::from_secs(10);

/// Lets a line through once in a while.
#[derive(Debug, Default)]
pub struct RareLine {
    last: Option<Instant>,
    kept_back: u64,
}

impl RareLine {
    /// The number of lines that were kept back before this one, or `None` if it is to be kept back, too.
    pub fn due(&mut self) -> Option<u64> {
        self.due_at(Instant::now())
    }

    fn due_at(&mut self, now: Instant) -> Option<u64> {
        let is_early = |last: Instant| now.duration_since(last) < INTERVAL;
        if self.last.is_some_and(is_early) {
            self.kept_back += 1;
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.kept_back))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_while_says_how_many_others_there_were() {
        let mut line = RareLine::default();
        let start = Instant::now();
        assert_eq!(line.due_at(start), Some(0));
        assert_eq!(line.due_at(start), None);
        assert_eq!(line.due_at(start + INTERVAL / 2), None);
        assert_eq!(line.due_at(start + INTERVAL), Some(2));
        assert_eq!(line.due_at(start + 3 * INTERVAL), Some(0));
    }
}
