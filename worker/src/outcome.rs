//! What becomes of a delivery.

use std::sync::Arc;

use loto_proto::job::Job;

/// What became of one delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The job ran and its trace is stored.
    Stored,
    /// The trace was in the store already.
    AlreadyDone,
    /// The job failed and was requeued; the error says why.
    Failed(String),
    /// The job failed too often: no worker tries it again. The error of the last attempt says why.
    Poisoned(String),
    /// The message went to the dead letters: it is not a job, or the store holds
    /// another or a damaged outcome for it. Trying again cannot help.
    Refused(String),
    /// The job was requeued: a shutdown came first, or another worker has taken it.
    Requeued,
    /// The job is for the workers of another store, and was requeued for them.
    Foreign(String),
    /// The job's method is another release's, and the job was requeued for its workers.
    OtherRelease(String),
    /// The store has lost the job's table, and the job was requeued until the table is back.
    MissingTable(String),
    /// The job was poisoned before or its sweep is cancelled: its message is forgotten.
    Dropped,
}

impl Outcome {
    /// One of each kind.
    pub(crate) fn of_each_kind() -> [Self; 10] {
        let unexplained = String::new;
        [
            Self::Stored,
            Self::AlreadyDone,
            Self::Failed(unexplained()),
            Self::Poisoned(unexplained()),
            Self::Refused(unexplained()),
            Self::Requeued,
            Self::Foreign(unexplained()),
            Self::OtherRelease(unexplained()),
            Self::MissingTable(unexplained()),
            Self::Dropped,
        ]
    }

    /// Whether the job is for another worker, or for later.
    pub(crate) fn is_misfit(&self) -> bool {
        matches!(
            self,
            Self::Foreign(_) | Self::OtherRelease(_) | Self::MissingTable(_)
        )
    }

    /// The word for it in metrics.
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::AlreadyDone => "already_done",
            Self::Failed(_) => "failed",
            Self::Poisoned(_) => "poisoned",
            Self::Refused(_) => "refused",
            Self::Requeued => "given_back",
            Self::Foreign(_) => "foreign",
            Self::OtherRelease(_) => "other_release",
            Self::MissingTable(_) => "missing_table",
            Self::Dropped => "dropped",
        }
    }
}

/// How many deliveries had which outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "each is the number of an outcome of the same name"
)]
pub struct ConsumerSummary {
    pub stored: u64,
    pub already_done: u64,
    pub failed: u64,
    pub poisoned: u64,
    pub refused: u64,
    pub requeued: u64,
    pub foreign: u64,
    pub other_release: u64,
    pub missing_table: u64,
    pub dropped: u64,
}

impl ConsumerSummary {
    pub(crate) fn count(&mut self, outcome: &Outcome) {
        *match outcome {
            Outcome::Stored => &mut self.stored,
            Outcome::AlreadyDone => &mut self.already_done,
            Outcome::Failed(_) => &mut self.failed,
            Outcome::Poisoned(_) => &mut self.poisoned,
            Outcome::Refused(_) => &mut self.refused,
            Outcome::Requeued => &mut self.requeued,
            Outcome::Foreign(_) => &mut self.foreign,
            Outcome::OtherRelease(_) => &mut self.other_release,
            Outcome::MissingTable(_) => &mut self.missing_table,
            Outcome::Dropped => &mut self.dropped,
        } += 1;
    }
}

/// Called with every job that was settled; must return quickly.
pub type Observer = Arc<dyn Fn(&Job, &Outcome) + Send + Sync>;
