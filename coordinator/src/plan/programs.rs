//! The programs of external methods, read from their files.

use std::path::Path;

use loto_engine::methods::find;
use loto_proto::bounded_file;
use loto_proto::external_program::{ExternalProgram, ProgramFile};
use loto_proto::identity::ProgramId;
use loto_proto::limits::MAX_PROGRAM_BYTES;
use loto_proto::sweep_file::{ExternalEntry, SweepFile};

use super::error::{PlanError, SweepProblem};

/// A program of a plan, as it is uploaded.
#[derive(Debug)]
pub struct PlannedProgram {
    /// The program.
    pub program: ExternalProgram,
    /// Its name in the store.
    pub id: ProgramId,
    /// The bytes which the store keeps.
    pub blob: Vec<u8>,
}

/// Reads the programs of a sweep file, whose files are beside it.
///
/// # Errors
/// [`PlanError`] with the file that cannot be read, or the name that a method of loto has.
pub(super) fn load(file: &SweepFile, path: &Path) -> Result<Vec<PlannedProgram>, PlanError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut programs = Vec::new();
    for (name, entry) in &file.external {
        let invalid = |problem| PlanError::InvalidSweep {
            path: path.to_owned(),
            line: None,
            problem,
        };
        if find(name).is_ok() {
            let name = name.clone();
            return Err(invalid(SweepProblem::ExternalIsBuiltIn { name }));
        }
        let files = read_files(name, entry, folder)?;
        if files.iter().map(|file| file.content.len()).sum::<usize>() > MAX_PROGRAM_BYTES {
            let name = name.clone();
            return Err(invalid(SweepProblem::LargeProgram { name }));
        }
        let program = ExternalProgram {
            name: name.clone(),
            command: entry.command.clone(),
            files,
            version: entry.version,
            off_table: entry.off_table,
            repeats: entry.repeats,
            start_deadline: entry.start_deadline,
            choice_deadline: entry.choice_deadline,
        };
        let (id, blob) = program.encode();
        programs.push(PlannedProgram { program, id, blob });
    }
    Ok(programs)
}

/// The files in the order of their paths.
fn read_files(
    name: &str,
    entry: &ExternalEntry,
    folder: &Path,
) -> Result<Vec<ProgramFile>, PlanError> {
    let files = entry.files.iter().map(|file| {
        let path = folder.join(file);
        match bounded_file::read(&path, MAX_PROGRAM_BYTES as u64) {
            Ok(content) => Ok(ProgramFile {
                path: file.clone(),
                content,
            }),
            Err(source) => Err(PlanError::UnreadableProgram {
                method: name.to_owned(),
                path,
                source,
            }),
        }
    });
    let mut files: Vec<ProgramFile> = files.collect::<Result<_, _>>()?;
    files.sort();
    Ok(files)
}
