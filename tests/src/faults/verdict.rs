//! What has to hold in the end, whatever happened on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use loto_proto::attempt::{Attempt, AttemptState};
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::job::{Job, MethodSpec};
use loto_proto::sweep::Sweep;
use loto_proto::trace::Trace;
use loto_transport::store;

use super::kept::Kept;
pub use super::left::leftovers;
use crate::programs;

/// A sweep and what it comes to where nothing goes wrong.
pub struct Undisturbed {
    file: PathBuf,
    sweep: Sweep,
    traces: BTreeMap<(SeriesId, u32), Trace>,
}

impl Undisturbed {
    /// Runs the sweep with this text by `loto run` in this folder.
    ///
    /// # Panics
    /// If that fails.
    pub async fn run(text: &str, folder: &Path) -> Self {
        Self::run_by(programs::command("loto"), text, folder).await
    }

    /// As [`Self::run`], by a `loto` that may be of another release.
    ///
    /// # Panics
    /// If that fails.
    pub async fn run_by(mut loto: Command, text: &str, folder: &Path) -> Self {
        let file = folder.join("sweep.toml");
        fs::write(&file, text).expect("the folder can be written to");
        let out = folder.join("undisturbed");
        loto.arg("run").arg(&file).arg("--out").arg(&out);
        let output = loto.output().expect("loto runs");
        assert!(output.status.success(), "{output:?}");
        let store = store::open(&out.join("sweep.loto").to_string_lossy()).await;
        let store = store.expect("it ran");
        // What was planned is read from the store: another release may plan the same file otherwise.
        let [id] = store.sweeps().await.expect("the store is sound")[..] else {
            panic!("it ran one sweep");
        };
        let sweep = store.sweep(id).await.expect("the store is sound");
        let sweep = sweep.expect("it is listed");
        let mut traces = BTreeMap::new();
        for job in sweep.jobs() {
            let series = job.series.id();
            let trace = store.trace(series, job.seed).await;
            let trace = trace.expect("the store is sound").expect("it is done");
            traces.insert((series, job.seed), trace);
        }
        Self {
            file,
            sweep,
            traces,
        }
    }

    /// The sweep with other methods in its plan, of which the traces are the same.
    #[must_use]
    pub fn with_methods(mut self, change: impl Fn(&mut MethodSpec)) -> Self {
        let was: Vec<Job> = self.jobs();
        for blackbox in &mut self.sweep.blackboxes {
            blackbox.methods.iter_mut().for_each(&change);
        }
        let mut traces = BTreeMap::new();
        for (was, is) in was.iter().zip(self.sweep.jobs()) {
            let trace = &self.traces[&(was.series.id(), was.seed)];
            traces.insert((is.series.id(), is.seed), trace.clone());
        }
        self.traces = traces;
        self
    }

    /// This sweep and another one as if they were one, for a store that both are in.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.sweep.blackboxes.extend(other.sweep.blackboxes);
        self.traces.extend(other.traces);
        self
    }

    /// The sweep file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The id of the sweep.
    pub fn id(&self) -> SweepId {
        self.sweep.id()
    }

    /// Every job of the sweep.
    pub fn jobs(&self) -> Vec<Job> {
        self.sweep.jobs().collect()
    }

    /// Compares what a store keeps with what it should; returns what is wrong. The jobs of the
    /// `poisoned` seeds must have been given up, all others must be done.
    ///
    /// A Redis whose append-only file was `torn` off within a transaction keeps its beginning:
    /// when it starts once more, Redis 7.0 runs that together with the next one. Events may then
    /// stand there twice or be lost, which readers have to make good; they are not looked at. The same
    /// holds if the history was emptied.
    ///
    /// # Panics
    /// If the store does not answer.
    pub async fn compare(&self, store: &str, poisoned: &BTreeSet<u32>, torn: bool) -> Vec<String> {
        let mut complaints = Vec::new();
        let Kept {
            traces,
            told,
            conflicts,
        } = Kept::read(store).await;
        for ((series, seed), trace) in &traces {
            let Some(expected) = self.traces.get(&(*series, *seed)) else {
                complaints.push(format!("series {series}, seed {seed} was never planned"));
                continue;
            };
            match trace {
                Err(error) => complaints.push(format!("series {series}, seed {seed}: {error}")),
                Ok(trace) => {
                    if let Some(iteration) = trace.first_difference(expected) {
                        complaints.push(format!(
                            "series {series}, seed {seed} differs from the undisturbed run at {iteration}"
                        ));
                    }
                }
            }
        }
        let kept: BTreeSet<_> = traces.into_keys().collect();
        let all = self.traces.keys().copied();
        let planned: BTreeSet<_> = all.filter(|(_, seed)| !poisoned.contains(seed)).collect();
        let missing = planned.difference(&kept).count();
        if missing > 0 {
            complaints.push(format!("{missing} of {} traces are missing", planned.len()));
        }
        let beyond = kept.difference(&planned).count();
        if beyond > 0 {
            complaints.push(format!("{beyond} traces are there that should not be"));
        }
        if !torn {
            complaints.extend(compare_history(&told, &kept));
        }
        complaints.extend(self.compare_attempts(store, poisoned).await);
        complaints.extend(conflicts);
        complaints
    }

    /// Attempts are kept only of jobs that were given up.
    async fn compare_attempts(&self, store: &str, poisoned: &BTreeSet<u32>) -> Vec<String> {
        let mut complaints = Vec::new();
        let store = store::open(store).await.expect("the store answers");
        let series: Vec<SeriesId> = self.sweep.series().map(|series| series.id()).collect();
        let attempts = store.attempts(&series).await.expect("the store answers");
        for (series, attempts) in series.iter().zip(attempts) {
            let seeds: BTreeSet<u32> = attempts.iter().map(|(seed, _)| *seed).collect();
            let is_poisoned =
                |(_, attempt): &(u32, Attempt)| attempt.state == AttemptState::Poisoned;
            if &seeds != poisoned || !attempts.iter().all(is_poisoned) {
                complaints.push(format!("attempts of {series}: {attempts:?}"));
            }
        }
        complaints
    }
}

/// Every trace has to be told of once.
fn compare_history(told: &[(SeriesId, u32)], kept: &BTreeSet<(SeriesId, u32)>) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut once = BTreeSet::new();
    for (series, seed) in told {
        if !once.insert((*series, *seed)) {
            complaints.push(format!("told twice: series {series}, seed {seed}"));
        }
    }
    if &once != kept {
        let (told, kept) = (once.len(), kept.len());
        complaints.push(format!(
            "the history tells of {told} traces, {kept} are kept"
        ));
    }
    complaints
}
