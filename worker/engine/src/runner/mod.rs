//! Runs one job: on a target task, or on a stream of tasks. `evaluation` is the optimisation loop over a task's rows.

mod cpu_watch;
mod evaluation;
mod stream;

use std::num::NonZeroUsize;
use std::sync::Arc;

use loto_proto::identity::Fingerprint;
use loto_proto::job::{Job, MethodSpec};
use loto_proto::protocol::Protocol;
use loto_proto::table_spec::TableSpec;
use loto_proto::trace::Trace;

use self::cpu_watch::CpuWatch;
use self::evaluation::{Evaluated, evaluate};
use crate::blas;
use crate::blobs::Blobs;
use crate::cache::Cache;
use crate::error::{EngineError, ImpossibleJob};
use crate::external::ExternalMethods;
use crate::external::caller::Programs;
use crate::fits::SharedFits;
use crate::methods;
use crate::search::Search;
use crate::setting::Setting;
use crate::table::Table;

/// Tables kept in memory; the largest public one takes about 20 MB.
const KEPT_TABLES: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// Runs jobs; shared by all threads of a process. Caches tables and fits.
pub struct TraceRunner {
    blobs: Arc<dyn Blobs>,
    tables: Cache<Fingerprint, Table>,
    shared: SharedFits,
    external: Option<ExternalMethods>,
}

impl TraceRunner {
    /// A runner that takes tables from, and shares fits through, `blobs`.
    pub fn new(blobs: Arc<dyn Blobs>) -> Self {
        Self {
            shared: SharedFits::new(Arc::clone(&blobs)),
            tables: Cache::new(KEPT_TABLES),
            blobs,
            external: None,
        }
    }

    /// The runner, which also runs external methods, whose programs `programs` starts.
    pub fn with_programs(mut self, programs: Arc<dyn Programs>) -> Self {
        self.external = Some(ExternalMethods::new(programs));
        self
    }

    /// Runs a job to its end: CPU work, to be called from a thread that may block.
    ///
    /// # Errors
    /// [`EngineError::Blobs`] if the store failed (retrying may help); any other if
    /// the job cannot be run.
    pub fn run(&self, job: &Job) -> Result<Trace, EngineError> {
        let linear_algebra = blas::single_threaded().to_owned();
        let watch = CpuWatch::start();
        let table = self.table(job.series.table)?;
        self.run_on(&table, job, watch, linear_algebra)
    }

    fn run_on(
        &self,
        table: &Table,
        job: &Job,
        mut watch: CpuWatch,
        linear_algebra: String,
    ) -> Result<Trace, EngineError> {
        let evaluated = match table.protocol {
            Protocol::LeaveOneOut => self.run_on_task(table, job, &mut watch)?,
            Protocol::Stream => stream::run(table, job, &mut watch)?,
        };
        Ok(Trace {
            rows: evaluated.rows,
            values: evaluated.values,
            further_values: evaluated.further_values,
            microseconds: evaluated.microseconds,
            preparation_microseconds: evaluated.preparation_microseconds,
            linear_algebra,
            program: evaluated.program,
        })
    }

    fn run_on_task(
        &self,
        table: &Table,
        job: &Job,
        watch: &mut CpuWatch,
    ) -> Result<Evaluated, EngineError> {
        let name = &job.series.task;
        let position = table.tasks.iter().position(|task| task.name == *name);
        let target = position.ok_or_else(|| ImpossibleJob::UnknownTask { task: name.clone() })?;
        let iterations = job.series.iterations as usize;
        let setting = Setting::new(table, target, job.seed, iterations, &self.shared);
        evaluate(
            &setting,
            |setting| self.start(&job.series.method, setting),
            watch,
        )
    }

    fn start<'a>(
        &'a self,
        spec: &MethodSpec,
        setting: &Setting<'a>,
    ) -> Result<Box<dyn Search + 'a>, EngineError> {
        match (spec.program, &self.external) {
            (None, _) => methods::start(spec, setting),
            (Some(id), Some(external)) => external.start(spec, id, setting, &*self.blobs),
            (Some(_), None) => Err(EngineError::NoPrograms {
                id: spec.id.clone(),
            }),
        }
    }

    fn table(&self, fingerprint: Fingerprint) -> Result<Arc<Table>, EngineError> {
        self.tables.get_or_make(&fingerprint, || {
            let name = fingerprint.blob_name();
            let blob = self.blobs.get(&name)?;
            let bytes = blob.ok_or(EngineError::MissingTable(fingerprint))?;
            let (spec, file) = TableSpec::decode(&bytes, fingerprint)?;
            // Many jobs take the most memory while they read the table.
            drop(bytes);
            Ok(Table::read(&file, &spec, &name)?)
        })
    }
}

#[cfg(test)]
mod tests;
