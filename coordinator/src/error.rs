//! What can go wrong while finished traces are read, analysed and served.

use loto_engine::EngineError;
use loto_proto::identity::{Fingerprint, SweepId};
use loto_proto::message_error::MessageError;
use loto_statistics::StatisticsError;
use loto_transport::TransportError;
use tokio::task::JoinError;

use crate::trace_check::DamagedTrace;

/// What to do about a damaged trace.
const CURE: &str =
    "`loto resume` has it computed again; for a sweep of `loto run`, give that command again";

/// What to do about damaged traces.
pub(crate) const RECOMPUTE: &str =
    "`loto resume` has them computed again; for a sweep of `loto run`, give that command again";

/// Why finished traces cannot be read, analysed or served.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The store failed.
    #[error(transparent)]
    Transport(#[from] TransportError),

    /// A table in the store is damaged.
    #[error(transparent)]
    Message(#[from] MessageError),

    /// A job or a table was refused.
    #[error(transparent)]
    Engine(#[from] EngineError),

    /// There are no statistics.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),

    /// A sweep is asked for that is not in the store.
    #[error("sweep `{0}`: it is not in the store; ListSweeps tells which are")]
    UnknownSweep(SweepId),

    /// An option or argument that makes no sense; names it and says what to do.
    #[error("{0}")]
    InvalidInput(String),

    /// A trace in the store does not fit its job and table, or cannot be read.
    #[error("sweep {sweep}: {damaged}. {CURE}")]
    CorruptTrace {
        /// The sweep whose traces were read.
        sweep: SweepId,
        /// The job, and what is wrong with its trace.
        #[source]
        damaged: Box<DamagedTrace>,
    },

    /// A sweep names a task that its table does not have.
    #[error("sweep {sweep} has the target task `{task}`, which table {table} does not have")]
    TaskNotInTable {
        /// The sweep.
        sweep: SweepId,
        /// The task.
        task: String,
        /// The table.
        table: Fingerprint,
    },

    /// A sweep takes tasks for a stream that are none, or not all of it, or the other way round.
    #[error(
        "sweep {sweep}: the tasks of black box `{blackbox}` are not what table {table} declares: a stream has all tasks of \
         its table, in their order"
    )]
    NotTheStream {
        /// The sweep.
        sweep: SweepId,
        /// The black box.
        blackbox: String,
        /// The table.
        table: Fingerprint,
    },

    /// A table has more objectives than statistics know.
    #[error(
        "table {table} has {objectives} objectives: statistics are known for one, and for two by their hypervolume"
    )]
    ManyObjectives {
        /// The table.
        table: Fingerprint,
        /// Number of its objectives.
        objectives: usize,
    },

    /// A thread that computed for this process died: a bug, reported as such.
    #[error("{task} stopped: {source}")]
    ThreadDied {
        /// What it computed.
        task: &'static str,
        /// How it ended.
        source: JoinError,
    },

    /// The gRPC service cannot listen, or had to stop.
    #[error("cannot serve on {address}: {problem}")]
    Serving {
        /// Where it was to listen.
        address: String,
        /// What happened.
        problem: String,
    },
}
