//! The time that a batch system gives this process.

use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::ProcessError;

/// What Slurm tells its jobs: their id, and the second at which their time is over.
const JOB: &str = "SLURM_JOB_ID";
const END: &str = "SLURM_JOB_END_TIME";

/// So long before its end an allocation counts as over: jobs are handed back, and files are closed.
const FAREWELL: Duration = Duration::from_secs(5);

/// How long Slurm may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The time that a batch system gives this process; by default there is no end to it. Clones are the same allocation.
///
/// It is closed, so that nothing new is begun, when there is no time for the next job, or on SIGUSR1, by which a batch system warns of the
/// end. What runs may end until the allocation is over.
#[derive(Debug, Clone, Default)]
pub struct Allocation {
    over: Option<Instant>,
    closed: CancellationToken,
    /// Cancelled together with `closed` if that is for want of time.
    lacks_time: CancellationToken,
}

impl Allocation {
    /// One that is over at this time.
    pub fn until(over: Instant) -> Self {
        Self {
            over: Some(over),
            ..Self::default()
        }
    }

    /// That of the Slurm job in which this process runs: its end is that of `SLURM_JOB_END_TIME`, or else that which `scontrol show job`
    /// tells. Outside of Slurm it has no end. An end that Slurm does not tell is warned of in the log.
    ///
    /// # Errors
    /// [`ProcessError::CannotStart`] if the operating system takes no signal handler.
    pub async fn of_this_process() -> Result<Self, ProcessError> {
        let allocation = match end_of_this_process().await {
            Some(end) => {
                let left = end.duration_since(SystemTime::now()).unwrap_or_default();
                tracing::info!("the allocation ends in {} s", left.as_secs());
                let over = Instant::now().checked_add(left.saturating_sub(FAREWELL));
                // An end that no clock reaches is none.
                over.map_or_else(Self::default, Self::until)
            }
            None => Self::default(),
        };
        let mut warning =
            signal(SignalKind::user_defined1()).map_err(|source| ProcessError::CannotStart {
                what: "handle signals",
                source,
            })?;
        let closed = allocation.closed.clone();
        tokio::spawn(async move {
            while warning.recv().await.is_some() {
                tracing::info!("the time is almost up: nothing more is begun");
                closed.cancel();
            }
        });
        Ok(allocation)
    }

    /// Whether it has an end.
    pub fn is_bounded(&self) -> bool {
        self.over.is_some()
    }

    /// Whether work of this duration would end in time if it began now.
    pub fn has_time_for(&self, work: Duration) -> bool {
        let left = self
            .over
            .map(|over| over.saturating_duration_since(Instant::now()));
        left.is_none_or(|left| work <= left)
    }

    /// Begins nothing more, for want of time.
    pub fn close_for_want_of_time(&self) {
        self.lacks_time.cancel();
        self.closed.cancel();
    }

    /// Whether it was closed because a job would not have ended in time.
    pub fn lacks_time(&self) -> bool {
        self.lacks_time.is_cancelled()
    }

    /// Whether nothing more is to be begun.
    pub fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// Waits until nothing more is to be begun.
    pub async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Waits until it is over.
    pub async fn over(&self) {
        match self.over {
            Some(over) => tokio::time::sleep_until(over).await,
            None => std::future::pending().await,
        }
    }
}

/// When the Slurm job of this process ends; `None` outside of Slurm, and if it has no end.
async fn end_of_this_process() -> Option<SystemTime> {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(end) = variable(END) {
        let end_at = seconds(&end);
        if end_at.is_none() {
            tracing::warn!(
                "{END} is `{end}`, which is no time in seconds: jobs begin as if there were no end"
            );
        }
        return end_at;
    }
    let job = variable(JOB)?;
    match told_by_slurm(&job).await {
        Ok(end) => end,
        Err(problem) => {
            tracing::warn!(
                "scontrol does not tell when job {job} ends ({problem}): jobs begin as if there were no end"
            );
            None
        }
    }
}

/// What `scontrol` tells of the end of a job, `None` if there is none.
async fn told_by_slurm(job: &str) -> std::io::Result<Option<SystemTime>> {
    let mut command = Command::new("scontrol");
    // In seconds, whatever the time zone.
    command
        .args(["show", "job", job])
        .env("SLURM_TIME_FORMAT", "%s");
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(PATIENCE, command.output())
        .await
        .map_err(|_| std::io::ErrorKind::TimedOut)??;
    if !output.status.success() {
        return Err(std::io::Error::other(output.status.to_string()));
    }
    end_in(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| std::io::Error::other("its answer has no EndTime that is one"))
}

/// The end in the answer of `scontrol show job`, words of a name, `=` and a value; `Some(None)` if there is none.
fn end_in(told: &str) -> Option<Option<SystemTime>> {
    let mut words = told.split_whitespace();
    match words.find_map(|word| word.strip_prefix("EndTime="))? {
        "Unknown" | "NONE" | "N/A" => Some(None),
        end => Some(Some(seconds(end)?)),
    }
}

/// The time so many seconds after the beginning of 1970.
fn seconds(text: &str) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(text.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_that_slurm_tells_is_read() {
        let told = |end: &str| {
            format!(
                "JobId=7 JobName=a\n   RunTime=00:00:01 TimeLimit=00:02:00\n   StartTime=1700000000 EndTime={end} Deadline=N/A\n"
            )
        };
        let end = UNIX_EPOCH + Duration::from_secs(1_700_000_120);
        assert_eq!(end_in(&told("1700000120")), Some(Some(end)));
        assert_eq!(end_in(&told("Unknown")), Some(None));
        // A release that does not know the format.
        assert_eq!(end_in(&told("2026-11-22T23:00:00")), None);
        assert_eq!(end_in("slurm_load_jobs error"), None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_allocation_has_time_for_what_ends_before_it() {
        let endless = Allocation::default();
        assert!(!endless.is_bounded() && endless.has_time_for(Duration::MAX));
        let allocation = Allocation::until(Instant::now() + Duration::from_secs(60));
        assert!(allocation.has_time_for(Duration::from_secs(60)));
        assert!(!allocation.has_time_for(Duration::from_secs(61)));
        tokio::time::advance(Duration::from_secs(50)).await;
        assert!(allocation.has_time_for(Duration::from_secs(10)));
        assert!(!allocation.has_time_for(Duration::from_secs(11)));
        allocation.over().await;
        assert!(!allocation.has_time_for(Duration::from_millis(1)));
        assert!(!allocation.is_closed());
        allocation.clone().close_for_want_of_time();
        allocation.closed().await;
        assert!(allocation.lacks_time());
    }
}
