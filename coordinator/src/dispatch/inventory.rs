//! What the workers of a sweep need in the store, kept in case the store loses it.

use std::time::SystemTime;

use loto_proto::external_program::ExternalProgram;
use loto_proto::identity::{Fingerprint, ProgramId, SeriesId, SweepId};
use loto_proto::sweep::Sweep;
use loto_proto::table_spec::TableSpec;
use loto_transport::TransportError;
use loto_transport::store::{Store, note_recorded, table_blob};

use crate::plan::Plan;

/// A sweep's record, its tables and the programs of its external methods.
pub struct Inventory {
    id: SweepId,
    sweep: Sweep,
    /// What its blobs are, and their bytes.
    blobs: Vec<(Content, Vec<u8>)>,
}

/// What a blob is named by: a hash of what is in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Table(Fingerprint),
    Program(ProgramId),
}

impl Content {
    fn blob_name(self) -> String {
        match self {
            Self::Table(table) => table.blob_name(),
            Self::Program(program) => program.blob_name(),
        }
    }

    /// Whether the bytes are what their name says.
    fn is_in(self, bytes: &[u8]) -> bool {
        match self {
            Self::Table(table) => TableSpec::decode(bytes, table).is_ok(),
            Self::Program(program) => ExternalProgram::decode(bytes, program).is_ok(),
        }
    }

    /// Puts the bytes into the store if it has none, or has damaged ones and these are sound.
    async fn put(self, bytes: &[u8], store: &dyn Store) -> Result<(), TransportError> {
        let name = self.blob_name();
        let is_damaged = match store.blob(&name).await {
            Ok(Some(found)) if found == bytes => return Ok(()),
            Ok(found) => found.is_some_and(|found| !self.is_in(&found)),
            Err(TransportError::CorruptValue { .. }) => true,
            Err(error) => return Err(error),
        };
        if is_damaged && self.is_in(bytes) {
            tracing::warn!("blob {name} in the store was damaged: it is replaced");
            store.discard_blob(&name).await?;
        }
        store.put_blob(&name, bytes).await
    }
}

impl Inventory {
    /// What is recorded of a plan.
    pub fn of_plan(plan: &Plan) -> Self {
        let tables = plan.tables.iter();
        let tables = tables.map(|table| (Content::Table(table.fingerprint()), table.blob()));
        let programs = plan.programs.iter();
        let programs = programs.map(|program| (Content::Program(program.id), program.blob.clone()));
        Self {
            id: plan.sweep.id(),
            sweep: plan.sweep.clone(),
            blobs: tables.chain(programs).collect(),
        }
    }

    /// What the store has of a sweep.
    ///
    /// # Errors
    /// [`TransportError::MissingTable`] and [`TransportError::MissingProgram`] if one is not there; others if the store fails.
    pub async fn read(
        id: SweepId,
        sweep: &Sweep,
        store: &dyn Store,
    ) -> Result<Self, TransportError> {
        let mut blobs: Vec<(Content, Vec<u8>)> = Vec::new();
        for blackbox in &sweep.blackboxes {
            let content = Content::Table(blackbox.table);
            if blobs.iter().all(|(known, _)| *known != content) {
                blobs.push((content, table_blob(store, blackbox.table).await?));
            }
            for program in blackbox.methods.iter().filter_map(|method| method.program) {
                let content = Content::Program(program);
                if blobs.iter().all(|(known, _)| *known != content) {
                    let bytes = store.blob(&content.blob_name()).await?;
                    let bytes = bytes.ok_or(TransportError::MissingProgram(program))?;
                    blobs.push((content, bytes));
                }
            }
        }
        let sweep = sweep.clone();
        Ok(Self { id, sweep, blobs })
    }

    /// Puts it into the store, as far as it is not there or damaged. Of a sweep that is new, jobs may be begun, also if
    /// they are part of another one that was cancelled, or of one that was deleted.
    ///
    /// # Errors
    /// [`TransportError`] if the store fails.
    pub async fn record(&self, store: &dyn Store) -> Result<SweepId, TransportError> {
        // The tables and programs first: who finds the sweep finds them, too.
        for (content, bytes) in &self.blobs {
            content.put(bytes, store).await?;
        }
        if !store.sweeps().await?.contains(&self.id) {
            let series: Vec<SeriesId> = self.sweep.series().map(|series| series.id()).collect();
            store.resume_sweep(self.id, &series).await?;
            note_recorded(store, self.id, SystemTime::now()).await?;
        }
        store.put_sweep(&self.sweep).await
    }

    /// Records the sweep and its tables again if the store has lost any of them, and says whether it had.
    ///
    /// # Errors
    /// [`TransportError`] if the store fails.
    pub(super) async fn restore(&self, store: &dyn Store) -> Result<bool, TransportError> {
        if self.is_whole(store).await? {
            return Ok(false);
        }
        self.record(store).await?;
        let name = &self.sweep.name;
        tracing::warn!(
            "the store has lost sweep {name} or a table or program of it: recorded it again, with all of them"
        );
        Ok(true)
    }

    /// A store that is emptied while a sweep is recorded keeps what came after that.
    async fn is_whole(&self, store: &dyn Store) -> Result<bool, TransportError> {
        if !store.sweeps().await?.contains(&self.id) {
            return Ok(false);
        }
        for (content, _) in &self.blobs {
            if !store.has_blob(&content.blob_name()).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
