//! What the workers of a sweep need in the store, kept in case the store loses it.

use std::time::SystemTime;

use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::sweep::Sweep;
use loto_transport::TransportError;
use loto_transport::store::{Store, note_recorded, table_blob};

use crate::plan::Plan;

/// A sweep's record, its tables and the programs of its external methods.
pub struct Inventory {
    id: SweepId,
    sweep: Sweep,
    /// Names and bytes.
    blobs: Vec<(String, Vec<u8>)>,
}

impl Inventory {
    /// What is recorded of a plan.
    pub fn of_plan(plan: &Plan) -> Self {
        Self {
            id: plan.sweep.id(),
            sweep: plan.sweep.clone(),
            blobs: plan.blobs().collect(),
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
        let mut blobs: Vec<(String, Vec<u8>)> = Vec::new();
        for blackbox in &sweep.blackboxes {
            let name = blackbox.table.blob_name();
            if blobs.iter().all(|(known, _)| *known != name) {
                blobs.push((name, table_blob(store, blackbox.table).await?));
            }
            for program in blackbox.methods.iter().filter_map(|method| method.program) {
                let name = program.blob_name();
                if blobs.iter().all(|(known, _)| *known != name) {
                    let bytes = store.blob(&name).await?;
                    let bytes = bytes.ok_or(TransportError::MissingProgram(program))?;
                    blobs.push((name, bytes));
                }
            }
        }
        let sweep = sweep.clone();
        Ok(Self { id, sweep, blobs })
    }

    /// Puts it into the store, as far as it is not there. Of a sweep that is new, jobs may be begun, also if
    /// they are part of another one that was cancelled, or of one that was deleted.
    ///
    /// # Errors
    /// [`TransportError`] if the store fails.
    pub async fn record(&self, store: &dyn Store) -> Result<SweepId, TransportError> {
        // The tables and programs first: who finds the sweep finds them, too.
        for (name, bytes) in &self.blobs {
            store.put_blob(name, bytes).await?;
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
        for (name, _) in &self.blobs {
            if !store.has_blob(name).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
