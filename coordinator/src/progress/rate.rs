//! Jobs per second, and the time that is left at that rate.

use std::collections::VecDeque;
use std::time::Duration;

/// How far back the rate looks: methods differ in cost, so that an average over
/// the whole run says little about what is to come.
const WINDOW: Duration = Duration::from_secs(60);

/// The rate over the last minute.
#[derive(Debug, Default)]
pub(super) struct Rate {
    samples: VecDeque<(Duration, u64)>,
}

impl Rate {
    /// Notes that `done` jobs were done `elapsed` after the start.
    pub(super) fn sample(&mut self, elapsed: Duration, done: u64) {
        self.samples.push_back((elapsed, done));
        // One sample at or before the window's beginning stays, to span all of it.
        while self.samples.len() > 2 && elapsed.saturating_sub(self.samples[1].0) >= WINDOW {
            self.samples.pop_front();
        }
    }

    /// Jobs per second; `None` until one was done.
    pub(super) fn per_second(&self) -> Option<f64> {
        let (first, last) = (self.samples.front()?, self.samples.back()?);
        let seconds = last.0.checked_sub(first.0)?.as_secs_f64();
        let jobs = last.1.saturating_sub(first.1) as f64;
        (seconds > 0.0 && jobs > 0.0).then(|| jobs / seconds)
    }

    /// "12.3 traces/s, 3m 20s left".
    pub(super) fn describe(&self, unfinished: u64) -> String {
        match self.per_second() {
            Some(rate) => {
                let left =
                    Duration::try_from_secs_f64(unfinished as f64 / rate).unwrap_or(Duration::MAX);
                format!("{rate:.1} traces/s, about {} left", describe_duration(left))
            }
            None => "no rate yet".into(),
        }
    }
}

/// A duration in its two largest units: "3m 20s".
pub(crate) fn describe_duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match (
        seconds / 86_400,
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60,
    ) {
        (0, 0, 0, seconds) => format!("{seconds}s"),
        (0, 0, minutes, seconds) => format!("{minutes}m {seconds:02}s"),
        (0, hours, minutes, _) => format!("{hours}h {minutes:02}m"),
        (days, hours, _, _) => format!("{days}d {hours:02}h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_forgets_what_was_long_ago() {
        let mut rate = Rate::default();
        assert_eq!(rate.per_second(), None);
        for second in 0..=10 {
            rate.sample(Duration::from_secs(second), second * 1000);
        }
        assert_eq!(rate.per_second(), Some(1000.0));
        for second in 11..=200 {
            rate.sample(Duration::from_secs(second), 10_000 + (second - 10) * 2);
        }
        assert_eq!(rate.per_second(), Some(2.0));
        assert_eq!(rate.describe(400), "2.0 traces/s, about 3m 20s left");
        assert!(rate.samples.len() <= 62);
    }

    #[test]
    fn durations_are_told_in_two_units() {
        let describe = |seconds| describe_duration(Duration::from_secs(seconds));
        assert_eq!(describe(59), "59s");
        assert_eq!(describe(61), "1m 01s");
        assert_eq!(describe(3_720), "1h 02m");
        assert_eq!(describe(100_000), "1d 03h");
    }
}
