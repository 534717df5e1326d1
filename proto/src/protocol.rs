//! How the tasks of a black box are tuned: each by itself, or one after the other.

use serde::{Deserialize, Serialize};

/// What the series of a stream have in the place of a task: one job tunes all of them.
pub const ALL_TASKS: &str = "*";

/// What a job tunes, and what a method may learn from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// A job tunes one task; all rows of the other tasks are known.
    #[default]
    LeaveOneOut,
    /// A job tunes all tasks of the table, which arrive in an order that the seed draws. Of the earlier ones a method
    /// knows its own evaluations and nothing else (Yogatama and Mann 2014, section 4).
    Stream,
}

impl Protocol {
    pub(crate) fn of_wire(stream: bool) -> Self {
        match stream {
            false => Self::LeaveOneOut,
            true => Self::Stream,
        }
    }
}
