//! Traces of other programs beside those of a sweep.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use loto_engine::EngineError;
use loto_engine::table::Table;
use loto_proto::sweep::Sweep;
use loto_proto::table_spec::TableSpec;
use loto_proto::untrusted_text::escape;
use loto_report::AboutMethod;
use loto_statistics::results::SweepResults;
use loto_transport::store::{Store, table_blob};

use super::about;
use super::error::ReportingError;
use crate::CoordinatorError;
use crate::score::{self, ForeignValues, TableOfSweep};

/// What is put beside the traces of a sweep: files with other traces, and the best that there can be; nothing by default.
#[derive(Debug, Default)]
pub(crate) struct RecordedFiles<'a> {
    pub(crate) files: &'a [PathBuf],
    pub(crate) foreign_values: ForeignValues,
    pub(crate) best: bool,
}

impl RecordedFiles<'_> {
    /// Joins the traces of all files to the results of a sweep, whose tables the store has, and their methods to
    /// those that are told of.
    ///
    /// Returns what readers must know, one sentence each.
    pub(super) async fn join(
        &self,
        results: &mut SweepResults,
        methods: &mut Vec<AboutMethod>,
        store: &dyn Store,
        sweep: &Sweep,
    ) -> Result<Vec<String>, ReportingError> {
        if self.files.is_empty() {
            return Ok(Vec::new());
        }
        let mut tables = Vec::new();
        for blackbox in &sweep.blackboxes {
            let fingerprint = blackbox.table;
            let blob = table_blob(store, fingerprint).await?;
            let (spec, file) =
                TableSpec::decode(&blob, fingerprint).map_err(CoordinatorError::from)?;
            let name = format!("{fingerprint} in the store");
            let table = Table::read(&file, &spec, &name)
                .map_err(EngineError::from)
                .map_err(CoordinatorError::from)?;
            tables.push((table, spec, file));
        }
        let tables = tables
            .iter()
            .map(|(table, spec, file)| TableOfSweep { table, spec, file });
        let tables: Vec<_> = tables.collect();
        let mut notes = Vec::new();
        for path in self.files {
            let recorded = score::read_for(path, sweep, &tables, &self.foreign_values)?;
            let file = file_name(path);
            let known = method_names(results);
            notes.extend(score::join(results, recorded, &escape(&file)));
            about::add_recorded(methods, results, &known, &file);
        }
        Ok(notes)
    }
}

pub(super) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn method_names(results: &SweepResults) -> BTreeSet<String> {
    let blackboxes = results.blackboxes.iter();
    blackboxes
        .flat_map(|blackbox| blackbox.methods.iter().cloned())
        .collect()
}
