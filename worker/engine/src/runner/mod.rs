//! Runs one job: the optimisation loop over a target task's rows.

use std::num::NonZeroUsize;
use std::sync::Arc;

use loto_proto::identity::Fingerprint;
use loto_proto::job::{Job, MethodSpec};
use loto_proto::table_spec::TableSpec;
use loto_proto::trace::Trace;
use rustix::time::{ClockId, clock_gettime};

use crate::blas;
use crate::blobs::Blobs;
use crate::cache::Cache;
use crate::error::{EngineError, ImpossibleJob};
use crate::external::ExternalMethods;
use crate::external::caller::Programs;
use crate::fits::SharedFits;
use crate::methods;
use crate::random::StreamName;
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::table::Table;

/// Tables kept in memory; the largest public one takes about 20 MB.
const KEPT_TABLES: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// What draws the measurement of each row that is shown, where measurements are repeated.
const MEASUREMENTS: StreamName = StreamName::new("runner", "measurements shown");

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
        let name = &job.series.task;
        let position = table.tasks.iter().position(|task| task.name == *name);
        let target = position.ok_or_else(|| ImpossibleJob::UnknownTask { task: name.clone() })?;
        let task = &table.tasks[target];
        let objective = &task.objective;
        let iterations = job.series.iterations as usize;
        if iterations > objective.len() {
            let (task, rows) = (name.clone(), objective.len());
            return Err(ImpossibleJob::TooManyIterations {
                iterations,
                task,
                rows,
            }
            .into());
        }
        let setting = Setting::new(table, target, job.seed, iterations, &self.shared);
        let mut search = self.start(&job.series.method, &setting)?;
        let drawn = task.measurements.as_ref().map(|measurements| {
            let mut random = setting.random(MEASUREMENTS);
            measurements.draw(&mut random)
        });
        let shown = drawn.as_ref().unwrap_or(objective);
        let preparation_microseconds = watch.lap() + search.take_outside_microseconds();

        let mut observations = Observations::new(objective.len());
        let mut microseconds = Vec::with_capacity(iterations);
        let given = table.initial.rows(name, job.seed);
        for iteration in 0..iterations {
            let row = match given.get(iteration) {
                Some(&row) => row,
                None => search.choose(&observations)?,
            };
            let value = shown.get(row as usize).copied();
            match value {
                Some(value) if !observations.evaluated[row as usize] => {
                    observations.record(row, value)
                }
                _ if iteration < given.len() => {
                    return Err(ImpossibleJob::NotAnInitialRow { row }.into());
                }
                _ => return Err(ImpossibleJob::NotACandidate { row }.into()),
            }
            let took = watch.lap() + search.take_outside_microseconds();
            microseconds.push(took.try_into().unwrap_or(u32::MAX));
        }
        let program = search.program_record();
        search.end(&observations);
        let rows = observations.rows;
        Ok(Trace {
            values: rows.iter().map(|&row| objective[row as usize]).collect(),
            rows,
            microseconds,
            preparation_microseconds,
            linear_algebra,
            program,
        })
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
            Ok(Table::read(&file, &spec, &name)?)
        })
    }
}

/// Measures the CPU time of the calling thread.
struct CpuWatch {
    last: u64,
}

impl CpuWatch {
    fn now() -> u64 {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as u64 * 1_000_000 + time.tv_nsec as u64 / 1_000
    }

    fn start() -> Self {
        Self { last: Self::now() }
    }

    /// Microseconds since the last call, or the start.
    fn lap(&mut self) -> u64 {
        let now = Self::now();
        let passed = now.saturating_sub(self.last);
        self.last = now;
        passed
    }
}

#[cfg(test)]
mod tests;
