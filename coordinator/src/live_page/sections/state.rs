//! The state of some jobs as one word and one sign, so that it is told by more than a colour.

use crate::progress::Counts;

/// What is most worth knowing of some jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::live_page) enum State {
    Conflict,
    Poisoned,
    Failed,
    Running,
    Queued,
    Done,
}

impl State {
    /// What is wrong comes before what goes on.
    pub(in crate::live_page) fn of(counts: &Counts, has_conflict: bool) -> Self {
        match counts {
            _ if has_conflict => Self::Conflict,
            Counts { poisoned: 1.., .. } => Self::Poisoned,
            Counts { failed: 1.., .. } => Self::Failed,
            Counts { running: 1.., .. } => Self::Running,
            Counts { queued: 1.., .. } => Self::Queued,
            _ => Self::Done,
        }
    }

    /// Also the class in the style sheet.
    pub(in crate::live_page) fn word(self) -> &'static str {
        match self {
            Self::Conflict => "conflict",
            Self::Poisoned => "poisoned",
            Self::Failed => "failed",
            Self::Running => "running",
            Self::Queued => "queued",
            Self::Done => "done",
        }
    }

    pub(in crate::live_page) fn sign(self) -> &'static str {
        match self {
            Self::Conflict => "≠",
            Self::Poisoned => "✕",
            Self::Failed => "↻",
            Self::Running => "▸",
            Self::Queued => "·",
            Self::Done => "✓",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_comes_first() {
        let counts = |queued, running, failed, poisoned| Counts {
            queued,
            running,
            done: 1,
            failed,
            poisoned,
        };
        assert_eq!(State::of(&counts(1, 1, 1, 1), true), State::Conflict);
        assert_eq!(State::of(&counts(1, 1, 1, 1), false), State::Poisoned);
        assert_eq!(State::of(&counts(1, 1, 1, 0), false), State::Failed);
        assert_eq!(State::of(&counts(1, 1, 0, 0), false), State::Running);
        assert_eq!(State::of(&counts(1, 0, 0, 0), false), State::Queued);
        assert_eq!(State::of(&counts(0, 0, 0, 0), false), State::Done);
    }
}
