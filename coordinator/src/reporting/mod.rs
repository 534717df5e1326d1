//! Turns the finished traces of a sweep into a report, for commands and for pages alike.
//!
//! [`Analysed`] holds the traces with their statistics; `recorded_files` puts traces of other programs beside them; `about`
//! says what they are of, and `unanswered` what was asked for in vain.

mod about;
mod analysed;
mod error;
mod recorded_files;
mod unanswered;

pub(crate) use about::command_line;
pub(crate) use analysed::Analysed;
pub(crate) use error::ReportingError;
pub(crate) use recorded_files::RecordedFiles;
