//! How fast a sweep goes, and the time that is left.

use std::collections::VecDeque;
use std::time::Duration;

use super::Progress;

/// How far back the rate looks: workers may come and go.
const WINDOW: Duration = Duration::from_secs(60);

/// Jobs that must be done within the window; it grows until they are.
const FEWEST_JOBS: u64 = 10;

/// The rate over the last minute, or over the last jobs if they take longer.
///
/// Methods differ in cost by orders of magnitude, so jobs are weighed by the CPU time
/// that they are expected to take. What was done per second, so weighed, is the number of
/// jobs side by side times how right the expectation is: both are the same for what is left.
#[derive(Debug, Default)]
pub(crate) struct Rate {
    samples: VecDeque<Sample>,
}

/// Jobs done at one moment.
#[derive(Debug)]
struct Sample {
    elapsed: Duration,
    /// By black box and method.
    done: Vec<u64>,
}

impl Sample {
    fn total(&self) -> u64 {
        self.done.iter().sum()
    }
}

impl Rate {
    /// Notes how far the sweep was `elapsed` after the start.
    pub(crate) fn sample(&mut self, elapsed: Duration, progress: &Progress) {
        let done = progress.groups.iter().map(|group| group.counts.done);
        let done: Vec<u64> = done.collect();
        // While nothing is done only the time goes on, so that few samples are kept.
        let mut latest = self.samples.iter().rev();
        let stands = latest.by_ref().take(2).filter(|last| last.done == done);
        if stands.count() == 2 {
            self.samples.pop_back();
        }
        self.samples.push_back(Sample { elapsed, done });
        // One sample at or before the window's beginning stays, to span all of it.
        while let [_, second, .., last] = self.samples.make_contiguous()
            && elapsed.saturating_sub(second.elapsed) >= WINDOW
            && last.total().saturating_sub(second.total()) >= FEWEST_JOBS
        {
            self.samples.pop_front();
        }
    }

    /// The time over which the rate is taken, and the jobs done in it, by group; `None`
    /// until one was done.
    fn span(&self) -> Option<(f64, Vec<u64>)> {
        let (first, last) = (self.samples.front()?, self.samples.back()?);
        let seconds = last.elapsed.checked_sub(first.elapsed)?.as_secs_f64();
        let pairs = last.done.iter().zip(&first.done);
        let done: Vec<u64> = pairs
            .map(|(last, first)| last.saturating_sub(*first))
            .collect();
        (seconds > 0.0 && done.iter().any(|&done| done > 0)).then_some((seconds, done))
    }

    /// Jobs per second; `None` until one was done.
    fn per_second(&self) -> Option<f64> {
        let (seconds, done) = self.span()?;
        Some(done.iter().sum::<u64>() as f64 / seconds)
    }

    /// The time until the unfinished jobs of `progress` are done whose methods are timed; `None` until one was.
    fn left(&self, progress: &Progress) -> Option<Duration> {
        let (seconds, done) = self.span()?;
        let cost = |jobs: &mut dyn Iterator<Item = u64>| -> f64 {
            let groups = progress.groups.iter().zip(jobs);
            groups
                .filter(|(group, _)| group.is_timed)
                .map(|(group, jobs)| jobs as f64 * group.cpu_time.as_secs_f64())
                .sum()
        };
        let speed = cost(&mut done.iter().copied()) / seconds;
        let left = cost(
            &mut progress
                .groups
                .iter()
                .map(|group| group.counts.unfinished()),
        );
        (speed > 0.0).then(|| Duration::try_from_secs_f64(left / speed).unwrap_or(Duration::MAX))
    }

    /// "12.3 traces/s, about 3m 20s left". Of methods without a trace so far, nobody knows what they cost.
    pub(crate) fn describe(&self, progress: &Progress) -> String {
        let untimed = progress.groups.iter().filter(|group| !group.is_timed);
        let untimed = untimed.map(|group| group.counts.unfinished()).sum();
        match (self.per_second(), self.left(progress), untimed) {
            (Some(rate), Some(left), 0) => {
                format!("{rate:.1} traces/s, about {} left", describe_duration(left))
            }
            (Some(rate), Some(left), untimed) => format!(
                "{rate:.1} traces/s, about {} left and the time of {untimed} traces of methods that are not timed yet",
                describe_duration(left)
            ),
            (Some(rate), None, _) => format!("{rate:.1} traces/s"),
            (None, _, _) => "no rate yet".into(),
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
    use crate::progress::{Counts, GroupProgress};

    /// Groups as (done, unfinished, CPU milliseconds of a job).
    fn progress(groups: &[(u64, u64, u64)]) -> Progress {
        let group = |&(done, queued, milliseconds): &(u64, u64, u64)| GroupProgress {
            blackbox: "B".into(),
            method: "m".into(),
            counts: Counts {
                done,
                queued,
                ..Counts::default()
            },
            cpu_time: Duration::from_millis(milliseconds),
            is_timed: true,
        };
        Progress {
            total: Counts::default(),
            groups: groups.iter().map(group).collect(),
            workers: None,
        }
    }

    #[test]
    fn the_rate_forgets_what_was_long_ago() {
        let mut rate = Rate::default();
        assert_eq!(rate.per_second(), None);
        for second in 0..=10 {
            let progress = progress(&[(second * 1000, 0, 1)]);
            rate.sample(Duration::from_secs(second), &progress);
        }
        assert_eq!(rate.per_second(), Some(1000.0));
        for second in 11..=200 {
            let progress = progress(&[(10_000 + (second - 10) * 2, 400, 1)]);
            rate.sample(Duration::from_secs(second), &progress);
        }
        assert_eq!(rate.per_second(), Some(2.0));
        let now = progress(&[(10_380, 400, 1)]);
        assert_eq!(rate.describe(&now), "2.0 traces/s, about 3m 20s left");
        assert!(rate.samples.len() <= 62);
    }

    #[test]
    fn the_time_left_weighs_jobs_by_their_cost() {
        // Two at a time: ten jobs of 10 s took 50 s. A hundred jobs of 1 s are left: 50 s,
        // where the plain rate of 0.2 jobs a second would say 500 s.
        let mut rate = Rate::default();
        rate.sample(
            Duration::ZERO,
            &progress(&[(0, 10, 10_000), (0, 100, 1_000)]),
        );
        let now = progress(&[(10, 0, 10_000), (0, 100, 1_000)]);
        rate.sample(Duration::from_secs(50), &now);
        assert_eq!(rate.left(&now), Some(Duration::from_secs(50)));
        // Expectations that are all wrong by one factor do no harm.
        let wrong = progress(&[(10, 0, 30_000), (0, 100, 3_000)]);
        assert_eq!(rate.left(&wrong), Some(Duration::from_secs(50)));
        assert_eq!(
            rate.describe(&progress(&[(10, 0, 0), (0, 100, 0)])),
            "0.2 traces/s"
        );
    }

    #[test]
    fn what_is_not_timed_is_told_and_not_guessed() {
        // 50 jobs of 100 ms took 5 s, as many are left; of the method that comes next there is no trace.
        let mut rate = Rate::default();
        let untimed = |mut progress: Progress| {
            progress.groups[1].is_timed = false;
            progress
        };
        let begin = untimed(progress(&[(0, 100, 100), (0, 100, 100)]));
        rate.sample(Duration::ZERO, &begin);
        let now = untimed(progress(&[(50, 50, 100), (0, 100, 100)]));
        rate.sample(Duration::from_secs(5), &now);
        assert_eq!(
            rate.describe(&now),
            "10.0 traces/s, about 5s left and the time of 100 traces of methods that are not timed yet"
        );
        // The first trace says that it takes a minute for a hundred jobs more.
        let later = progress(&[(100, 0, 100), (1, 99, 700)]);
        rate.sample(Duration::from_millis(10_700), &later);
        assert_eq!(rate.describe(&later), "9.4 traces/s, about 1m 09s left");
    }

    #[test]
    fn slow_jobs_have_a_rate_too_and_few_samples() {
        // A job every five minutes, looked at each second.
        let mut rate = Rate::default();
        for second in 0..=3000 {
            let progress = progress(&[(second / 300, 10 - second / 300, 300_000)]);
            rate.sample(Duration::from_secs(second), &progress);
        }
        let left = rate.left(&progress(&[(10, 2, 300_000)])).unwrap();
        assert!((left.as_secs_f64() / 600.0 - 1.0).abs() < 0.11, "{left:?}");
        assert!(rate.samples.len() <= 22, "{}", rate.samples.len());
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
