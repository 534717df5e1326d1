//! Sends finished traces one by one.

use std::collections::BTreeSet;
use std::sync::Arc;

use loto_proto::identity::JobId;
use loto_proto::job::Series;
use loto_proto::limits::MAX_REQUEST_SEEDS;
use loto_proto::sweep::Sweep;
use loto_proto::table_spec::Direction;
use loto_proto::trace::Trace;
use loto_service::wire;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::followed_sweep::FollowedSweep;
use super::request;
use super::resume_token::TracePlace;
use super::status::{stopping as stopping_status, to_status};
use crate::CoordinatorError;

/// Traces read from the store at a time.
const TRACES_PER_READ: usize = 64;

/// Traces that wait for a slow client.
const TRACES_AHEAD: usize = 16;

type Sender = mpsc::Sender<Result<wire::FinishedTrace, Status>>;

/// Which traces are sent; an empty set selects everything.
struct Filter {
    /// The place of the trace after which the stream begins.
    after: Option<TracePlace>,
    blackboxes: BTreeSet<String>,
    tasks: BTreeSet<String>,
    methods: BTreeSet<String>,
    seeds: BTreeSet<u32>,
}

/// The finished traces that a request asks for.
pub(super) async fn stream(
    sweep: Arc<FollowedSweep>,
    request: wire::StreamTracesRequest,
    stopping: CancellationToken,
) -> Result<ReceiverStream<Result<wire::FinishedTrace, Status>>, Status> {
    let filter = Filter::new(request, &sweep.sweep)?;
    // The tables that traces are checked against: their absence is told at once.
    sweep.planned().await.map_err(to_status)?;
    let (sender, receiver) = mpsc::channel(TRACES_AHEAD);
    tokio::spawn(async move {
        let ended = tokio::select! {
            ended = send_all(&sweep, &filter, &sender) => ended.map_err(to_status),
            () = sender.closed() => return,
            () = stopping.cancelled() => Err(stopping_status()),
        };
        if let Err(status) = ended {
            let _client_may_be_gone = sender.send(Err(status)).await;
        }
    });
    Ok(ReceiverStream::new(receiver))
}

impl Filter {
    fn new(request: wire::StreamTracesRequest, sweep: &Sweep) -> Result<Self, Status> {
        let blackboxes = || sweep.blackboxes.iter();
        let tasks = blackboxes()
            .flat_map(|blackbox| &blackbox.targets)
            .map(String::as_str);
        let methods = blackboxes().flat_map(|blackbox| &blackbox.methods);
        let methods = methods.map(|method| method.label());
        let names = blackboxes().map(|blackbox| blackbox.name.as_str());
        request::check_length("seeds", request.seeds.len(), MAX_REQUEST_SEEDS)?;
        if let Some(seed) = request.seeds.iter().find(|&&seed| seed >= sweep.seeds) {
            let problem = format!(
                "{seed} is out of range, the sweep has {} seeds, from 0",
                sweep.seeds
            );
            return Err(request::invalid("seeds", problem));
        }
        Ok(Self {
            after: TracePlace::of_token(&request.resume_token)?,
            blackboxes: request::names("blackboxes", request.blackboxes, &names.collect())?,
            tasks: request::names("tasks", request.tasks, &tasks.collect())?,
            methods: request::names("methods", request.methods, &methods.collect())?,
            seeds: request.seeds.into_iter().collect(),
        })
    }

    /// The seeds of a series that are sent, ascending.
    fn seeds_of(&self, place: [usize; 3], planned: u32) -> Vec<u32> {
        let begin = match self.after {
            Some(after) if place < after.series => return Vec::new(),
            Some(after) if place == after.series => after.seed.saturating_add(1),
            _ => 0,
        };
        if self.seeds.is_empty() {
            (begin..planned).collect()
        } else {
            self.seeds.range(begin..).copied().collect()
        }
    }
}

fn selects(names: &BTreeSet<String>, name: &str) -> bool {
    names.is_empty() || names.contains(name)
}

/// Sends a few traces after the other, so that only these are in memory; ends early if the client is gone.
async fn send_all(
    sweep: &FollowedSweep,
    filter: &Filter,
    sender: &Sender,
) -> Result<(), CoordinatorError> {
    let planned = sweep.planned().await?;
    for (blackbox_position, blackbox) in sweep.sweep.blackboxes.iter().enumerate() {
        if !selects(&filter.blackboxes, &blackbox.name) {
            continue;
        }
        for (task_position, target) in blackbox.targets.iter().enumerate() {
            if !selects(&filter.tasks, target) {
                continue;
            }
            for (method_position, method) in blackbox.methods.iter().enumerate() {
                if !selects(&filter.methods, method.label()) {
                    continue;
                }
                let series = blackbox.series(method, target);
                let place = [blackbox_position, task_position, method_position];
                let seeds = filter.seeds_of(place, sweep.sweep.seeds);
                for seeds in seeds.chunks(TRACES_PER_READ) {
                    let (direction, traces) = fetch(sweep, &series, seeds).await?;
                    for (seed, trace) in traces {
                        let trace = planned.on_task(place, seed, trace);
                        let finished = wire::FinishedTrace {
                            blackbox: blackbox.name.clone(),
                            task: target.clone(),
                            method: method.label().to_owned(),
                            seed,
                            job_id: JobId::new(series.id(), seed).to_string(),
                            trace: Some(to_wire(trace)),
                            resume_token: TracePlace {
                                series: place,
                                seed,
                            }
                            .token(),
                            maximised: direction == Direction::Maximise,
                        };
                        if sender.send(Ok(finished)).await.is_err() {
                            return Ok(());
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// The finished traces of these seeds of a series, each checked against the table, with values in the
/// units of the table, and which values are good.
async fn fetch(
    sweep: &FollowedSweep,
    series: &Series,
    seeds: &[u32],
) -> Result<(Direction, Vec<(u32, Trace)>), CoordinatorError> {
    let id = series.id();
    let mut traces = sweep.store.traces_of(id, seeds).await?;
    let planned = sweep.planned().await?;
    let direction = planned.direction(id);
    for (seed, trace) in &mut traces {
        planned.check(id, *seed, trace)?;
        for value in &mut trace.values {
            *value = direction.turn(*value);
        }
    }
    Ok((direction, traces))
}

fn to_wire(trace: Trace) -> loto_proto::wire::Trace {
    loto_proto::wire::Trace {
        rows: trace.rows,
        values: trace.values,
        microseconds: trace.microseconds,
        preparation_microseconds: trace.preparation_microseconds,
        linear_algebra: trace.linear_algebra,
        moved_proposals: trace.program.moved,
        program_versions: trace.program.versions,
        further_values: trace.further_values,
    }
}
