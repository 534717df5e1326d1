//! Keeps a report from replacing that of another sweep.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use loto_proto::excerpt::{excerpt, excerpt_of};
use loto_proto::limits::MAX_NAME_BYTES;
use loto_report::UnwritableFile;

use super::error::CommandError;

/// The file that says what the report in its folder is of.
const ORIGIN_FILE: &str = ".report";

/// The file that every report has.
const REPORT_FILE: &str = "report.html";

/// What a report is of. A sweep that grew is the same one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The sweep of that name.
    Sweep(String),
    /// Traces of other programs.
    Recorded {
        /// The name of their file, without the folder.
        traces: String,
        /// The name of the sweep with whose file they are scored.
        sweep: String,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sweep(name) => write!(formatter, "sweep {}", excerpt(name)),
            Self::Recorded { traces, sweep } => {
                let (traces, sweep) = (excerpt(traces), excerpt(sweep));
                write!(
                    formatter,
                    "recorded traces {traces}, scored with sweep file {sweep}"
                )
            }
        }
    }
}

/// Refuses a folder with the report of something else, unless that is to be replaced.
///
/// # Errors
/// [`CommandError::OtherReport`], [`CommandError::UnwritableFile`] if the folder cannot be read.
pub(super) fn check(folder: &Path, origin: &Origin, replace: bool) -> Result<(), CommandError> {
    if replace {
        return Ok(());
    }
    let path = folder.join(ORIGIN_FILE);
    let found = match fs::read(&path) {
        Ok(text) => String::from_utf8_lossy(&text).trim_end().to_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => match origin {
            // Earlier releases did not say what their reports are of. A run makes its report in its own folder.
            Origin::Recorded { .. } if folder.join(REPORT_FILE).exists() => {
                "something that does not say what it is".to_owned()
            }
            _ => return Ok(()),
        },
        Err(error) => return Err(UnwritableFile::at(&path)(error).into()),
    };
    if found == origin.to_string() {
        return Ok(());
    }
    Err(CommandError::OtherReport {
        folder: folder.to_owned(),
        found: excerpt_of(&found, 3 * MAX_NAME_BYTES),
    })
}

/// Says in the folder what its report is of.
///
/// # Errors
/// [`CommandError::UnwritableFile`].
pub(super) fn mark(folder: &Path, origin: &Origin) -> Result<(), CommandError> {
    fs::create_dir_all(folder).map_err(UnwritableFile::at(folder))?;
    let path = folder.join(ORIGIN_FILE);
    Ok(fs::write(&path, format!("{origin}\n")).map_err(UnwritableFile::at(&path))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_report_of_the_same_thing_is_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("results");
        let [sweep, other] = ["demo", "svm"].map(|name| Origin::Sweep(name.into()));
        let [recorded, other_traces] = ["a.csv", "b.csv"].map(|traces| Origin::Recorded {
            traces: traces.into(),
            sweep: "demo".into(),
        });
        check(&folder, &recorded, false).unwrap();
        mark(&folder, &sweep).unwrap();
        check(&folder, &sweep, false).unwrap();
        for another in [&other, &recorded] {
            let error = check(&folder, another, false).unwrap_err().to_string();
            assert!(
                error.contains("sweep demo") && error.contains("--replace"),
                "{error}"
            );
            check(&folder, another, true).unwrap();
        }
        mark(&folder, &recorded).unwrap();
        check(&folder, &recorded, false).unwrap();
        assert!(check(&folder, &other_traces, false).is_err());
        assert!(check(&folder, &sweep, false).is_err());
        // A report of an earlier release.
        fs::remove_file(folder.join(ORIGIN_FILE)).unwrap();
        fs::write(folder.join(REPORT_FILE), "").unwrap();
        check(&folder, &sweep, false).unwrap();
        assert!(check(&folder, &recorded, false).is_err());
    }
}
