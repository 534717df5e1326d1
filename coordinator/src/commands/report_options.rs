//! What a report compares with, and where it goes.

use std::path::{Path, PathBuf};

use clap::Args;
use loto_report::Format;

use super::error::CommandError;
use super::options::{ReplaceOption, ScoreOptions};
use super::output::print_with;
use crate::reporting::Analysed;

/// What a report compares with, and where it goes.
#[derive(Debug, Args)]
pub(super) struct ReportOptions {
    /// Form in which the report is printed.
    #[arg(long, env = "LOTO_FORMAT", value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,

    /// Folder to which the files of the report are also written.
    #[arg(long, env = "LOTO_OUT", value_name = "DIR")]
    pub(super) out: Option<PathBuf>,

    #[command(flatten)]
    pub(super) replace: ReplaceOption,

    #[command(flatten)]
    pub(super) scores: ScoreOptions,
}

/// Writes the files of a report to `folder`, if there is one, and prints the report.
///
/// # Errors
/// [`CommandError::DamagedTraces`] after that if traces are left out.
pub(super) fn publish(
    analysed: &Analysed,
    folder: Option<&Path>,
    format: Format,
) -> Result<(), CommandError> {
    let report = analysed.report();
    if let Some(folder) = folder {
        report.write_folder(folder)?;
    }
    print_with(|output| report.write(format, output))?;
    if let Some(folder) = folder {
        tracing::info!("the report is in {}", folder.join("report.html").display());
    }
    if analysed.damaged() > 0 {
        for note in report.notes {
            tracing::warn!("{note}");
        }
        return Err(CommandError::DamagedTraces(analysed.damaged()));
    }
    Ok(())
}
