//! A simulated process: what it calls may be its last.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::world::World;

/// A process, which lives until it is crashed.
#[derive(Debug)]
pub(crate) struct Process {
    /// Its name, which no other process has.
    pub(crate) name: String,
    /// Where it lives.
    pub(crate) world: Arc<World>,
    ended: CancellationToken,
    frozen_until: Mutex<Option<Instant>>,
}

/// What becomes of a call to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It works.
    Plain,
    /// The request does not arrive.
    LostRequest,
    /// The answer does not arrive.
    LostAnswer,
    /// The caller hears nothing, and the request arrives much later.
    Late,
    /// The request arrives twice.
    Doubled,
    /// The caller dies before the request arrives.
    CrashBefore,
    /// The caller dies after the request arrived.
    CrashAfter,
}

impl Process {
    /// A process that begins now.
    pub(crate) fn start(name: String, world: &Arc<World>) -> Arc<Self> {
        world.note(format_args!("{name} starts"));
        Arc::new(Self {
            name,
            world: Arc::clone(world),
            ended: CancellationToken::new(),
            frozen_until: Mutex::default(),
        })
    }

    /// Runs what the process is there for; `None` if it crashed meanwhile.
    pub(crate) async fn run<Main: Future>(&self, main: Main) -> Option<Main::Output> {
        tokio::select! {
            biased;
            () = self.ended.cancelled() => None,
            output = main => {
                self.ended.cancel();
                Some(output)
            }
        }
    }

    /// Ends the process at once: none of its calls returns any more.
    pub(crate) fn crash(&self) {
        if !self.ended.is_cancelled() {
            self.world.note(format_args!("{} crashes", self.name));
            self.ended.cancel();
        }
    }

    /// Whether it has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.ended.is_cancelled()
    }

    /// Stops the process for a while.
    pub(crate) fn freeze(&self, time: Duration) {
        *self.frozen() = Some(Instant::now() + time);
    }

    fn frozen(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.frozen_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on as soon as the process does, which may be never.
    pub(crate) async fn goes_on(&self) {
        loop {
            if self.is_over() {
                return std::future::pending().await;
            }
            let until = *self.frozen();
            match until {
                Some(until) if until > Instant::now() => tokio::time::sleep_until(until).await,
                _ => return,
            }
        }
    }

    /// Waits for as long as a message takes to a server or back.
    pub(crate) async fn travel(&self) {
        let time = self.world.draw(|chance| match chance.below(4) {
            0 => chance.milliseconds(1, 20),
            _ => Duration::ZERO,
        });
        if time.is_zero() {
            tokio::task::yield_now().await;
        } else {
            tokio::time::sleep(time).await;
        }
        self.goes_on().await;
    }

    /// Decides what becomes of a call; `may_be_late` if it changes something.
    pub(crate) fn fate(&self, changes: bool) -> Fate {
        let world = &self.world;
        if !world.call_goes_wrong() {
            return Fate::Plain;
        }
        let fates: [(Fate, &'static str, u64); 20] = [
            (Fate::LostRequest, "lost request", 15),
            (Fate::LostRequest, "lost request", 15),
            (Fate::LostRequest, "lost request", 15),
            (Fate::LostRequest, "lost request", 15),
            (Fate::LostRequest, "lost request", 15),
            (Fate::LostAnswer, "lost answer", 15),
            (Fate::LostAnswer, "lost answer", 15),
            (Fate::LostAnswer, "lost answer", 15),
            (Fate::LostAnswer, "lost answer", 15),
            (Fate::LostAnswer, "lost answer", 15),
            (Fate::LostAnswer, "lost answer", 15),
            (Fate::LostAnswer, "lost answer", 15),
            (Fate::Late, "late request", 60),
            (Fate::Late, "late request", 60),
            (Fate::Doubled, "doubled request", 0),
            (Fate::Doubled, "doubled request", 0),
            (Fate::Doubled, "doubled request", 0),
            (Fate::CrashBefore, "crash before a call", 20),
            (Fate::CrashAfter, "crash after a call", 20),
            (Fate::CrashAfter, "crash after a call", 20),
        ];
        let drawn = world.draw(|chance| chance.of(&fates).copied());
        match drawn {
            Some((Fate::Late | Fate::Doubled, ..)) if !changes => Fate::Plain,
            Some((fate, kind, seconds)) if world.fault(kind, Duration::from_secs(seconds)) => fate,
            _ => Fate::Plain,
        }
    }

    /// Waits, as a caller does that gets no answer; dies, if that is its fate.
    pub(crate) async fn suffer(&self, fate: Fate) {
        if matches!(fate, Fate::CrashBefore | Fate::CrashAfter) {
            self.crash();
        } else {
            let time = self.world.draw(|chance| chance.milliseconds(5, 10_000));
            tokio::time::sleep(time).await;
        }
        self.goes_on().await;
    }
}
