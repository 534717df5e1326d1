//! What a worker can be at.

use loto_proto::attempt::Attempt;
use loto_proto::lifecycle::Begin;

/// What a worker is at; `message` is whether it still has the message.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Worker {
    Idle,
    /// It has the message.
    Took {
        message: bool,
    },
    /// It has read the record.
    Read {
        message: bool,
        attempt: Option<Attempt>,
        begin: Begin,
    },
    /// It computes.
    Running {
        message: bool,
        attempt: Attempt,
    },
    /// It failed and has not recorded that.
    Failed {
        message: bool,
        attempt: Attempt,
    },
    /// It is to acknowledge its message.
    Acknowledging {
        message: bool,
    },
    /// It is to publish the message anew.
    Requeueing {
        message: bool,
    },
}

impl Worker {
    pub(super) fn message(&mut self) -> Option<&mut bool> {
        match self {
            Self::Idle => None,
            Self::Took { message }
            | Self::Read { message, .. }
            | Self::Running { message, .. }
            | Self::Failed { message, .. }
            | Self::Acknowledging { message }
            | Self::Requeueing { message } => Some(message),
        }
    }

    pub(super) fn has_message(&self) -> bool {
        self.clone().message().copied().unwrap_or(false)
    }

    pub(super) fn lose_message(&mut self) {
        if let Some(message) = self.message() {
            *message = false;
        }
    }
}
