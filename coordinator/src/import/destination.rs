//! The folder that an import makes: tables, a sweep file, and nothing if something fails.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use loto_proto::limits::MAX_UNPACKED_BYTES;

use super::error::{ContentProblem, ImportError};
use super::sweep_text::{ImportedBlackbox, sweep_text};
use crate::plan::{Plan, SweepSource};

/// What an import made.
#[derive(Debug)]
pub struct Imported {
    /// The sweep file.
    pub sweep: PathBuf,
    /// The plan of the sweep file.
    pub plan: Plan,
    /// What the user must know, one sentence each.
    pub notes: Vec<String>,
}

/// A folder under a temporary name, which is removed if the import fails.
#[derive(Debug)]
pub(super) struct Destination {
    target: PathBuf,
    partial: PathBuf,
    names: BTreeSet<String>,
    finished: bool,
}

impl Destination {
    /// A new folder, to be called `target`, which must not be there or be empty.
    pub(super) fn new(target: &Path) -> Result<Self, ImportError> {
        if let Ok(mut entries) = fs::read_dir(target)
            && entries.next().is_some()
        {
            return Err(ImportError::NotEmpty(target.to_owned()));
        }
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        let partial = target.with_file_name(name);
        let created = fs::create_dir_all(&partial);
        created.map_err(|source| ImportError::Unwritable {
            path: partial.clone(),
            source,
        })?;
        Ok(Self {
            target: target.to_owned(),
            partial,
            names: BTreeSet::new(),
            finished: false,
        })
    }

    /// A table with these columns, in a file that is named as its black box.
    pub(super) fn table(
        &mut self,
        blackbox: &str,
        header: &[String],
    ) -> Result<TableWriter, ImportError> {
        let name = self.file_name(blackbox, ".csv.gz");
        let path = self.partial.join(&name);
        TableWriter::new(name, path, header)
    }

    /// Writes a text beside the tables.
    pub(super) fn write(
        &mut self,
        base: &str,
        end: &str,
        text: &str,
    ) -> Result<String, ImportError> {
        let name = self.file_name(base, end);
        let path = self.partial.join(&name);
        fs::write(&path, text).map_err(|source| ImportError::Unwritable { path, source })?;
        Ok(name)
    }

    /// Writes the sweep file, gives the folder its name, and plans the sweep.
    pub(super) fn finish(
        mut self,
        name: &str,
        seeds: u32,
        blackboxes: &[ImportedBlackbox],
        notes: Vec<String>,
    ) -> Result<Imported, ImportError> {
        let sweep = self.partial.join("sweep.toml");
        let text = sweep_text(name, seeds, blackboxes);
        let unwritable = |path: &Path| {
            let path = path.to_owned();
            move |source| ImportError::Unwritable { path, source }
        };
        fs::write(&sweep, text).map_err(unwritable(&sweep))?;
        fs::rename(&self.partial, &self.target).map_err(unwritable(&self.target))?;
        self.finished = true;
        // A refusal names the files, so they have their names by now and stay: the user can see and correct what is refused.
        let sweep = self.target.join("sweep.toml");
        let plan = Plan::read(&SweepSource::File(sweep.clone()), None);
        let plan = plan.map_err(|problem| ImportError::Plan {
            folder: self.target.clone(),
            problem: Box::new(problem),
        })?;
        Ok(Imported { sweep, plan, notes })
    }

    /// A file name that is not taken, from a name of the user.
    fn file_name(&mut self, name: &str, end: &str) -> String {
        let safe = |character: char| match character {
            safe if safe.is_ascii_alphanumeric() || matches!(safe, '-' | '_') => safe,
            _ => '_',
        };
        let base: String = name.chars().take(60).map(safe).collect();
        let mut candidate = format!("{base}{end}");
        let mut number = 2;
        while !self.names.insert(candidate.to_lowercase()) {
            candidate = format!("{base}-{number}{end}");
            number += 1;
        }
        candidate
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        if !self.finished {
            // The error that the user is told is the one that led here.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

/// A table that is being written, gzipped; the same rows give the same bytes.
pub(super) struct TableWriter {
    /// Its name in the folder.
    pub(super) name: String,
    path: PathBuf,
    lines: csv::Writer<GzEncoder<BufWriter<File>>>,
    bytes: u64,
}

impl TableWriter {
    fn new(name: String, path: PathBuf, header: &[String]) -> Result<Self, ImportError> {
        let file = File::create(&path).map_err(|source| ImportError::Unwritable {
            path: path.clone(),
            source,
        })?;
        let gzip = GzBuilder::new()
            .mtime(0)
            .write(BufWriter::new(file), Compression::default());
        let lines = csv::Writer::from_writer(gzip);
        let mut table = Self {
            name,
            path,
            lines,
            bytes: 0,
        };
        table.push(header)?;
        Ok(table)
    }

    /// Adds a row.
    pub(super) fn push(&mut self, fields: &[String]) -> Result<(), ImportError> {
        self.bytes += fields
            .iter()
            .map(|field| field.len() as u64 + 1)
            .sum::<u64>();
        if self.bytes > MAX_UNPACKED_BYTES {
            let name = self.name.clone();
            return Err(ImportError::content(
                &self.path,
                name,
                ContentProblem::LargeTable,
            ));
        }
        let written = self.lines.write_record(fields);
        written.map_err(|error| self.unwritable(error.into()))
    }

    /// Writes what is buffered.
    pub(super) fn finish(self) -> Result<String, ImportError> {
        let path = self.path;
        let unwritable = |source| ImportError::Unwritable { path, source };
        let gzip = self.lines.into_inner().map_err(|error| error.into_error());
        let finished = gzip.and_then(|gzip| gzip.finish()?.flush());
        finished.map_err(unwritable)?;
        Ok(self.name)
    }

    fn unwritable(&self, source: std::io::Error) -> ImportError {
        ImportError::Unwritable {
            path: self.path.clone(),
            source,
        }
    }
}

/// A number with all its digits, short also if it is tiny.
pub(super) fn number_text(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && !(1e-5..1e16).contains(&size) => format!("{value:e}"),
        _ => value.to_string(),
    }
}
