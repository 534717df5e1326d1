//! Trying again what failed because the broker or the store was unavailable.

use std::cell::RefCell;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::Instant;

use crate::error::TransportError;
use crate::metrics::RETRIES;

/// How long to wait between tries, and when to stop trying.
///
/// The delay doubles from try to try; half of it is drawn at random, so that
/// many processes do not call a restarted server in step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Longest delay after the first failure.
    pub first_delay: Duration,
    /// Longest delay after any number of failures.
    pub longest_delay: Duration,
    /// No try begins later than this after the first one; `None`: there is no limit.
    pub time_limit: Option<Duration>,
}

impl Backoff {
    /// Outlasts a restart of the server, then reports the failure: for commands that a user waits for.
    pub const BRIEF: Self = Self {
        first_delay: Duration::from_millis(200),
        longest_delay: Duration::from_secs(5),
        time_limit: Some(Duration::from_secs(45)),
    };

    /// Has no limit: for finished work that must not be lost. The caller ends it by dropping the future.
    pub const FOREVER: Self = Self {
        first_delay: Duration::from_millis(200),
        longest_delay: Duration::from_secs(15),
        time_limit: None,
    };

    /// Between the attempts at a job that failed: what was wrong on one worker may be
    /// right on another, or a minute later.
    pub const FAILED_JOB: Self = Self {
        first_delay: Duration::from_secs(1),
        longest_delay: Duration::from_secs(60),
        time_limit: None,
    };

    /// The delay after so many failures in a row, counted from 1.
    pub fn delay(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(20);
        let longest = self
            .first_delay
            .saturating_mul(1 << doublings)
            .min(self.longest_delay);
        let share = DELAYS.with_borrow_mut(|delays| delays.random_range(0.5..=1.0));
        longest.mul_f64(share)
    }
}

thread_local! {
    /// What the delays of this thread are drawn from.
    static DELAYS: RefCell<StdRng> = RefCell::new(rand::make_rng());
}

/// Draws the delays of this thread from a seed from now on, so that a simulation can be repeated.
pub fn seed_delays(seed: u64) {
    DELAYS.set(StdRng::seed_from_u64(seed));
}

/// Calls until it works, until it fails in a way that trying again cannot mend,
/// or until the time limit; then returns the last error. Each failure
/// is logged with `doing`, for example "storing a trace".
///
/// # Errors
/// Whatever the last call reported.
pub async fn retry_transient<Value, Call, Outcome>(
    backoff: Backoff,
    doing: &'static str,
    mut call: Call,
) -> Result<Value, TransportError>
where
    Call: FnMut() -> Outcome,
    Outcome: Future<Output = Result<Value, TransportError>>,
{
    let begin = Instant::now();
    let mut failures = 0;
    loop {
        let error = match call().await {
            Err(error) if error.is_transient() => error,
            settled => return settled,
        };
        failures += 1;
        let delay = backoff.delay(failures);
        if backoff
            .time_limit
            .is_some_and(|limit| begin.elapsed() + delay > limit)
        {
            return Err(error);
        }
        metrics::counter!(RETRIES, "operation" => doing).increment(1);
        tracing::warn!(
            "{doing}: {error}; trying again in {:.1} s",
            delay.as_secs_f64()
        );
        tokio::time::sleep(delay).await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::server::Server;

    fn unavailable() -> TransportError {
        TransportError::Unavailable {
            server: Server::Store,
            address: "test".into(),
            reason: "out of reach".into(),
        }
    }

    fn quick(time_limit: Option<Duration>) -> Backoff {
        Backoff {
            first_delay: Duration::from_millis(1),
            longest_delay: Duration::from_millis(2),
            time_limit,
        }
    }

    #[tokio::test]
    async fn a_passing_failure_is_outlasted() {
        let calls = Cell::new(0);
        let value = retry_transient(quick(None), "testing", || async {
            calls.set(calls.get() + 1);
            if calls.get() < 4 {
                Err(unavailable())
            } else {
                Ok(7)
            }
        });
        assert_eq!(value.await.unwrap(), 7);
        assert_eq!(calls.get(), 4);
    }

    #[tokio::test]
    async fn a_lasting_failure_is_not_tried_again() {
        let calls = Cell::new(0);
        let result: Result<(), _> = retry_transient(quick(None), "testing", || async {
            calls.set(calls.get() + 1);
            Err(TransportError::QueueClosed)
        })
        .await;
        assert!(matches!(result, Err(TransportError::QueueClosed)));
        assert_eq!(calls.get(), 1);
    }

    #[tokio::test]
    async fn a_bounded_backoff_ends() {
        let backoff = quick(Some(Duration::from_millis(20)));
        let begin = Instant::now();
        let result: Result<(), _> =
            retry_transient(backoff, "testing", || async { Err(unavailable()) }).await;
        assert!(result.unwrap_err().is_transient());
        assert!(begin.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn delays_from_one_seed_are_the_same() {
        let delays = |seed| {
            seed_delays(seed);
            [(); 4].map(|()| Backoff::FOREVER.delay(9))
        };
        assert_eq!(delays(7), delays(7));
        assert_ne!(delays(7), delays(8));
    }

    #[test]
    fn delays_double_up_to_the_longest() {
        let backoff = Backoff::FOREVER;
        for (failures, longest) in [(1, 0.2), (2, 0.4), (4, 1.6), (30, 15.0), (u32::MAX, 15.0)] {
            let delay = backoff.delay(failures).as_secs_f64();
            assert!(
                delay <= longest + 1e-9 && delay >= longest / 2.0 - 1e-9,
                "{failures}: {delay}"
            );
        }
    }
}
