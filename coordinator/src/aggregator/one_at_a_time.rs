//! Work that a question waits for only so long.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::{Instant, timeout_at};
use tonic::Status;

/// How long a question waits for work that keeps its answer up to date, if there is an
/// older answer. What small sweeps need is done far sooner.
pub(super) const PATIENCE: std::time::Duration = std::time::Duration::from_millis(25);

/// One kind of work: one piece is under way at a time, and goes on when those who asked for
/// it wait no longer.
#[derive(Default)]
pub(super) struct OneAtATime {
    turn: Arc<tokio::sync::Mutex<()>>,
    /// What the last piece failed of, if it did.
    problem: Arc<Mutex<Option<Status>>>,
}

impl OneAtATime {
    /// Does the work when it is its turn, and waits for its end or for `deadline`: then `None`,
    /// unless what was done last failed. Without a deadline it waits for the end.
    pub(super) async fn run<Value, Work>(
        &self,
        deadline: Option<Instant>,
        work: Work,
    ) -> Result<Option<Value>, Status>
    where
        Value: Send + 'static,
        Work: Future<Output = Result<Value, Status>> + Send + 'static,
    {
        let Some(turn) = within(deadline, Arc::clone(&self.turn).lock_owned()).await else {
            return self.last_problem().map_or(Ok(None), Err);
        };
        let problem = Arc::clone(&self.problem);
        let doing = tokio::spawn(async move {
            let _turn = turn;
            let outcome = work.await;
            *lock(&problem) = outcome.as_ref().err().cloned();
            outcome
        });
        match within(deadline, doing).await {
            None => self.last_problem().map_or(Ok(None), Err),
            Some(Ok(outcome)) => outcome.map(Some),
            Some(Err(died)) => Err(Status::internal(format!("the work died: {died}"))),
        }
    }

    fn last_problem(&self) -> Option<Status> {
        lock(&self.problem).clone()
    }
}

fn lock(problem: &Mutex<Option<Status>>) -> std::sync::MutexGuard<'_, Option<Status>> {
    problem.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn within<Work: Future>(deadline: Option<Instant>, work: Work) -> Option<Work::Output> {
    match deadline {
        Some(deadline) => timeout_at(deadline, work).await.ok(),
        None => Some(work.await),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::oneshot;

    use super::*;

    fn soon() -> Option<Instant> {
        Some(Instant::now() + Duration::from_millis(10))
    }

    #[tokio::test]
    async fn work_goes_on_when_nobody_waits_and_the_next_piece_comes_after_it() {
        let work = OneAtATime::default();
        let (finish, finished) = oneshot::channel::<u32>();
        let slow = async {
            finished
                .await
                .map_err(|error| Status::internal(error.to_string()))
        };
        assert_eq!(work.run(soon(), slow).await.unwrap(), None);
        // It is still under way: nothing else begins.
        let next = work.run(soon(), async { Ok(7) }).await;
        assert_eq!(next.unwrap(), None);
        finish.send(5).unwrap();
        assert_eq!(work.run(None, async { Ok(7) }).await.unwrap(), Some(7));
    }

    #[tokio::test]
    async fn a_failure_is_told_to_those_who_waited_too_short() {
        let work = OneAtATime::default();
        let failing = async { Err::<(), _>(Status::unavailable("gone")) };
        assert!(work.run(None, failing).await.is_err());
        let (_keep, never) = oneshot::channel::<()>();
        let endless = async { never.await.map_err(|_| Status::internal("dropped")) };
        let status = work.run(soon(), endless).await.unwrap_err();
        assert_eq!(status.message(), "gone");
    }
}
