//! Collects a sweep's finished traces from the store, a little at a time.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use futures::{StreamExt, stream};
use loto_proto::identity::{JobId, SeriesId, SweepId};
use loto_proto::job::Series;
use loto_proto::sweep::Sweep;
use loto_proto::trace::Trace;
use loto_transport::TransportError;
use loto_transport::store::{Cursor, Store};

use super::kept_traces::{Keep, KeptTraces};
use super::objectives::{ObjectiveCache, TaskObjective};
use super::selection::Selection;
use super::trace_check;
use crate::CoordinatorError;
use loto_statistics::results::{BlackboxResults, SweepCurves, SweepResults, TaskResults};

/// Events read from the store's history at a time.
const EVENTS_PER_READ: usize = 10_000;

/// Time after which the seeds of all series are looked at again.
const LOOK_INTERVAL: Duration = Duration::from_secs(60);

/// Series whose finished seeds are asked for at a time.
const SERIES_PER_READ: usize = 1_000;

/// Traces of a series read at a time: a bound for memory, and for how long a thread is held.
const TRACES_PER_READ: usize = 250;

/// Reads of traces under way at a time.
const CONCURRENT_READS: usize = 8;

/// The finished traces of one sweep, as far as they were collected.
///
/// [`Self::refresh`] folds in what is new and reads nothing twice; it may be
/// dropped half-way, and goes on from there the next time.
pub struct ResultsCollector {
    store: Arc<dyn Store>,
    id: SweepId,
    sweep: Sweep,
    series: Vec<PlannedSeries>,
    positions: HashMap<SeriesId, usize>,
    /// Positions in `series` by black box, task and method.
    layout: Vec<Vec<Vec<usize>>>,
    reading: tokio::sync::Mutex<Reading>,
    /// Number of traces that are known to be finished and being read.
    backlog: AtomicUsize,
    folded: RwLock<Folded>,
}

/// One series of the sweep with the objective values of its task.
struct PlannedSeries {
    id: SeriesId,
    series: Series,
    objective: Arc<TaskObjective>,
    /// How many places of the sweep show it: black boxes may share a table.
    places: u64,
}

/// How far the store was read.
#[derive(Default)]
struct Reading {
    /// Where the history goes on; `None` before the first reading.
    cursor: Option<Cursor>,
    /// Position of the series and seed of what is finished but not folded in
    /// yet; damaged traces stay here until they are mended.
    pending: BTreeSet<(usize, u32)>,
    /// When the seeds of all series were last looked at.
    looked: Option<Instant>,
}

/// What was collected.
struct Folded {
    /// By position of the series.
    traces: Vec<KeptTraces>,
    done: u64,
    version: u64,
}

impl ResultsCollector {
    /// Prepares to collect a sweep: reads its tables, but no trace yet.
    ///
    /// # Errors
    /// [`TransportError::MissingTable`] and other errors of [`ObjectiveCache::table`];
    /// [`CoordinatorError::TaskNotInTable`] if the sweep does not fit its tables.
    pub async fn open(
        store: Arc<dyn Store>,
        tables: &ObjectiveCache,
        sweep: Sweep,
        keep: Keep,
    ) -> Result<Self, CoordinatorError> {
        let id = sweep.id();
        let mut all_series: Vec<PlannedSeries> = Vec::new();
        let mut positions = HashMap::new();
        let mut layout = Vec::with_capacity(sweep.blackboxes.len());
        for blackbox in &sweep.blackboxes {
            let table = tables.table(store.as_ref(), blackbox.table).await?;
            let mut tasks = Vec::with_capacity(blackbox.targets.len());
            for target in &blackbox.targets {
                let objective = table.get(target);
                let objective = objective.ok_or_else(|| CoordinatorError::TaskNotInTable {
                    sweep: id,
                    task: target.clone(),
                    table: blackbox.table,
                })?;
                let place = |method| {
                    let series = blackbox.series(method, target);
                    let position = *positions.entry(series.id()).or_insert_with_key(|&id| {
                        all_series.push(PlannedSeries {
                            id,
                            series,
                            objective: Arc::clone(objective),
                            places: 0,
                        });
                        all_series.len() - 1
                    });
                    all_series[position].places += 1;
                    position
                };
                tasks.push(blackbox.methods.iter().map(place).collect());
            }
            layout.push(tasks);
        }
        let folded = Folded {
            traces: all_series.iter().map(|_| KeptTraces::new(keep)).collect(),
            done: 0,
            version: 0,
        };
        Ok(Self {
            store,
            id,
            sweep,
            series: all_series,
            positions,
            layout,
            reading: tokio::sync::Mutex::default(),
            backlog: AtomicUsize::new(0),
            folded: RwLock::new(folded),
        })
    }

    /// The sweep's id.
    pub fn id(&self) -> SweepId {
        self.id
    }

    /// The plan of the sweep.
    pub fn sweep(&self) -> &Sweep {
        &self.sweep
    }

    /// Number of jobs whose traces were folded in, out of [`Sweep::job_count`].
    pub fn done(&self) -> u64 {
        self.folded().done
    }

    /// Number of traces that [`Self::refresh`] has found and is about to fold in.
    pub fn backlog(&self) -> usize {
        self.backlog.load(Ordering::Relaxed)
    }

    /// Grows whenever something was folded in.
    pub fn version(&self) -> u64 {
        self.folded().version
    }

    /// What was collected of the selected black boxes and methods, trace by trace. A black
    /// box that runs none of the methods is left out.
    pub fn results(&self, selection: &Selection) -> SweepResults {
        self.arrange(selection, KeptTraces::traces)
    }

    /// The same for statistics: takes little time and memory, and holds up nobody.
    pub fn curves(&self, selection: &Selection) -> SweepCurves {
        self.arrange(selection, |traces, _| traces.curves())
    }

    /// Puts what was collected in the order of the sweep; `show` gets the traces of a series
    /// and the number of iterations.
    fn arrange<Traces>(
        &self,
        selection: &Selection,
        show: impl Fn(&KeptTraces, usize) -> Traces,
    ) -> SweepResults<Traces> {
        let folded = self.folded();
        let blackboxes = self.sweep.blackboxes.iter().zip(&self.layout);
        let selected = blackboxes.filter(|(blackbox, _)| selection.has_blackbox(&blackbox.name));
        let results = selected.filter_map(|(blackbox, tasks)| {
            let methods: Vec<(usize, &str)> = (blackbox.methods.iter().enumerate())
                .map(|(position, method)| (position, method.id.as_str()))
                .filter(|(_, id)| selection.has_method(id))
                .collect();
            if methods.is_empty() {
                return None;
            }
            let iterations = blackbox.iterations as usize;
            let task = |(target, positions): (&String, &Vec<usize>)| {
                let first = positions.first().map(|&position| &self.series[position]);
                let traces = methods.iter().map(|&(method, _)| {
                    let traces = &folded.traces[positions[method]];
                    show(traces, iterations)
                });
                TaskResults {
                    name: target.clone(),
                    objective: first.map_or_else(Arc::default, |series| {
                        Arc::clone(&series.objective.ascending)
                    }),
                    traces: traces.collect(),
                }
            };
            Some(BlackboxResults {
                name: blackbox.name.clone(),
                iterations,
                methods: methods.iter().map(|(_, id)| (*id).to_owned()).collect(),
                tasks: blackbox.targets.iter().zip(tasks).map(task).collect(),
            })
        });
        SweepResults {
            name: self.sweep.name.clone(),
            seeds: self.sweep.seeds,
            blackboxes: results.collect(),
        }
    }

    /// Checks a trace of this sweep against its task's table.
    ///
    /// # Errors
    /// [`CoordinatorError::CorruptTrace`] if it does not fit.
    pub(crate) fn check(
        &self,
        series: SeriesId,
        seed: u32,
        trace: &Trace,
    ) -> Result<(), CoordinatorError> {
        let position = self.positions[&series];
        let planned = &self.series[position];
        trace_check::check(trace, planned.series.iterations, &planned.objective.by_row)
            .map_err(|problem| self.corrupt(position, seed, problem))
    }

    /// Folds in what was finished since the last call; gives the new version.
    ///
    /// # Errors
    /// [`CoordinatorError::CorruptTrace`] if a trace is damaged: all others are
    /// folded in first, and the damaged one is tried again by the next call.
    /// [`CoordinatorError::Transport`] if the store is out of reach.
    pub async fn refresh(&self) -> Result<u64, CoordinatorError> {
        let mut reading = self.reading.lock().await;
        match reading.cursor.clone() {
            None => {
                // The end of the history first: what is finished meanwhile is seen twice, not missed.
                let end = self.store.latest_cursor().await?;
                self.look_at_all_series(&mut reading).await?;
                reading.cursor = Some(end);
            }
            Some(cursor) => self.follow_history(&mut reading, cursor).await?,
        }
        // A server that lost its last seconds may leave gaps in the history.
        let is_old = |looked: Instant| looked.elapsed() >= LOOK_INTERVAL;
        if reading.looked.is_some_and(is_old) && self.done() < self.sweep.job_count() {
            self.look_at_all_series(&mut reading).await?;
        }
        self.fold_pending(&mut reading).await?;
        Ok(self.version())
    }

    /// Finds what is finished by the seeds of every series.
    async fn look_at_all_series(&self, reading: &mut Reading) -> Result<(), CoordinatorError> {
        reading.looked = Some(Instant::now());
        for (chunk, all_series) in self.series.chunks(SERIES_PER_READ).enumerate() {
            let ids: Vec<SeriesId> = all_series.iter().map(|series| series.id).collect();
            let done = self.store.seeds_done(&ids).await?;
            let folded = self.folded();
            for (position, seeds) in (chunk * SERIES_PER_READ..).zip(done) {
                let planned = seeds.into_iter().filter(|&seed| seed < self.sweep.seeds);
                let new = planned.filter(|seed| !folded.traces[position].contains(*seed));
                reading.pending.extend(new.map(|seed| (position, seed)));
            }
        }
        Ok(())
    }

    /// Finds what is finished by the history after `cursor`.
    async fn follow_history(
        &self,
        reading: &mut Reading,
        mut cursor: Cursor,
    ) -> Result<(), CoordinatorError> {
        loop {
            let events = self.store.events_after(&cursor, EVENTS_PER_READ).await?;
            if events.incomplete {
                self.look_at_all_series(reading).await?;
            }
            for event in &events.events {
                let Some(&position) = self.positions.get(&event.series) else {
                    continue; // of another sweep
                };
                let folded = self.folded().traces[position].contains(event.seed);
                if event.seed < self.sweep.seeds && !folded {
                    reading.pending.insert((position, event.seed));
                }
            }
            reading.cursor = Some(events.next.clone());
            if events.events.len() < EVENTS_PER_READ {
                return Ok(());
            }
            cursor = events.next;
        }
    }

    /// Fetches what is pending and folds it in.
    async fn fold_pending(&self, reading: &mut Reading) -> Result<(), CoordinatorError> {
        self.backlog.store(reading.pending.len(), Ordering::Relaxed);
        let reads = reads(&reading.pending);
        let mut problem = None;
        let mut fetches = stream::iter(reads)
            .map(|(position, seeds)| async move {
                let fetched = self.fetch(position, &seeds).await;
                (position, seeds, fetched)
            })
            .buffered(CONCURRENT_READS);
        while let Some((position, seeds, fetched)) = fetches.next().await {
            let mut sound = Vec::with_capacity(seeds.len());
            let mut damaged = BTreeSet::new();
            for (seed, trace) in fetched? {
                let checked = trace.and_then(|trace| {
                    self.check(self.series[position].id, seed, &trace)?;
                    Ok(trace)
                });
                match checked {
                    Ok(trace) => sound.push((seed, trace)),
                    Err(error) => {
                        damaged.insert(seed);
                        problem.get_or_insert(error);
                    }
                }
            }
            self.fold(position, &sound);
            // A seed that was announced but is gone from the store is not done any more.
            for seed in seeds.into_iter().filter(|seed| !damaged.contains(seed)) {
                reading.pending.remove(&(position, seed));
            }
            self.backlog.store(reading.pending.len(), Ordering::Relaxed);
        }
        problem.map_or(Ok(()), Err)
    }

    /// The traces of some seeds of a series; each may be damaged by itself.
    async fn fetch(&self, position: usize, seeds: &[u32]) -> Result<Fetched, CoordinatorError> {
        let id = self.series[position].id;
        if seeds.len() > 1 {
            match self.store.traces_of(id, seeds).await {
                Ok(traces) => {
                    let whole = traces.into_iter();
                    return Ok(whole.map(|(seed, trace)| (seed, Ok(trace))).collect());
                }
                Err(error) if error.concerns_server() => return Err(error.into()),
                Err(_) => {} // One of them is damaged: find out which, below.
            }
        }
        let mut fetched = Fetched::with_capacity(seeds.len());
        for &seed in seeds {
            match self.store.trace(id, seed).await {
                Ok(trace) => fetched.extend(trace.map(|trace| (seed, Ok(trace)))),
                Err(error) if error.concerns_server() => return Err(error.into()),
                Err(error) => {
                    let corrupt = self.corrupt(position, seed, problem_text(error));
                    fetched.push((seed, Err(corrupt)));
                }
            }
        }
        Ok(fetched)
    }

    fn fold(&self, position: usize, sound: &[(u32, Trace)]) {
        let mut folded = self.folded_mut();
        let added = folded.traces[position].insert(sound);
        folded.done += added * self.series[position].places;
        folded.version += added;
    }

    fn corrupt(&self, position: usize, seed: u32, problem: String) -> CoordinatorError {
        let PlannedSeries { id, series, .. } = &self.series[position];
        CoordinatorError::CorruptTrace {
            sweep: self.id,
            job: JobId::new(*id, seed),
            method: series.method.id.clone(),
            task: series.task.clone(),
            seed,
            problem,
        }
    }

    fn folded(&self) -> RwLockReadGuard<'_, Folded> {
        // Nothing panics while it holds the lock half-way through a change.
        self.folded.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn folded_mut(&self) -> RwLockWriteGuard<'_, Folded> {
        self.folded.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Position of the series and seeds of each read that fetches what is pending.
fn reads(pending: &BTreeSet<(usize, u32)>) -> Vec<(usize, Vec<u32>)> {
    let mut reads: Vec<(usize, Vec<u32>)> = Vec::new();
    for &(position, seed) in pending {
        match reads.last_mut() {
            Some((last, seeds)) if *last == position && seeds.len() < TRACES_PER_READ => {
                seeds.push(seed);
            }
            _ => reads.push((position, vec![seed])),
        }
    }
    reads
}

/// Traces by seed, each as it was found.
type Fetched = Vec<(u32, Result<Trace, CoordinatorError>)>;

fn problem_text(error: TransportError) -> String {
    match error {
        // The key is what the user needs to delete it; the store they know.
        TransportError::CorruptValue { key, reason, .. } => format!("{key}: {reason}"),
        other => other.to_string(),
    }
}
