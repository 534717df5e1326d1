//! Finds the program of a job and starts a search with it.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use loto_proto::excerpt::excerpt;
use loto_proto::external_program::{ExternalProgram, PROTOCOL};
use loto_proto::identity::ProgramId;
use loto_proto::job::MethodSpec;

use super::caller::Programs;
use super::handover::Handover;
use super::nearest::Configurations;
use super::row_order::RowOrders;
use super::search::{ExternalSearch, places};
use crate::blobs::Blobs;
use crate::cache::Cache;
use crate::error::{EngineError, ImpossibleJob};
use crate::random::StreamName;
use crate::search::Search;
use crate::setting::Setting;
use crate::strategies::random_search::random_order;

/// The seed that a program is given.
const SEED: StreamName = StreamName::new("external", "seed");

/// Programs kept in memory, each of about 1 MiB at most.
const KEPT: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// The external methods of a process that runs jobs.
pub(crate) struct ExternalMethods {
    programs: Arc<dyn Programs>,
    known: Cache<ProgramId, ExternalProgram>,
    orders: RowOrders,
}

impl ExternalMethods {
    /// Methods whose programs this caller runs.
    pub(crate) fn new(programs: Arc<dyn Programs>) -> Self {
        Self {
            programs,
            known: Cache::new(KEPT),
            orders: RowOrders::default(),
        }
    }

    /// Starts the search that a job asks for; the program comes from `blobs`.
    ///
    /// # Errors
    /// [`EngineError::MissingProgram`] if the program is not in the store, [`EngineError::Message`] if it is
    /// damaged, [`EngineError::Program`] if it does not run.
    pub(crate) fn start<'a>(
        &'a self,
        spec: &MethodSpec,
        id: ProgramId,
        setting: &Setting<'a>,
        blobs: &dyn Blobs,
    ) -> Result<Box<dyn Search + 'a>, EngineError> {
        if spec.version != PROTOCOL {
            return Err(EngineError::OtherVersion {
                method: spec.id.clone(),
                wanted: spec.version,
                available: PROTOCOL,
            });
        }
        let program = self.known.get_or_make(&id, || {
            let blob = blobs.get(&id.blob_name())?;
            let bytes = blob.ok_or(EngineError::MissingProgram(id))?;
            Ok::<_, EngineError>(ExternalProgram::decode(&bytes, id)?)
        })?;
        if program.method_id() != spec.id {
            let id = excerpt(&spec.id);
            return Err(ImpossibleJob::OtherProgram { id }.into());
        }
        let (table, target) = (setting.table(), setting.target());
        let order = self.orders.of(table, target, true);
        let places = places(&order);
        let random_rows = random_order(setting);
        let handover = Handover {
            table,
            target,
            sources: setting.source_positions(),
            iterations: setting.iterations,
            seed: setting.random(SEED).below(1 << 31),
            random_rows: random_rows
                .into_iter()
                .take(setting.iterations)
                .map(|row| places[row as usize])
                .collect(),
            parameters: &spec.parameters,
            orders: &self.orders,
        };
        let started = Instant::now();
        let choices = self.programs.start(&program, &handover)?;
        let configurations =
            Configurations::new(setting.space(), setting.columns(), setting.rows());
        Ok(Box::new(ExternalSearch::new(
            program,
            choices,
            configurations,
            order,
            places,
            started,
        )))
    }
}
