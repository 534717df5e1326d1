//! The names of keys and fields; [`super`] says what is under them.

use loto_proto::identity::{SeriesId, SweepId};

/// List of all sweeps.
pub(super) const SWEEPS: &str = "loto:sweeps";

/// Set of series of which nothing is begun.
pub(super) const STOPPED: &str = "loto:stopped";

/// Hash of the outcomes that were not stored.
pub(super) const CONFLICTS: &str = "loto:conflicts";

/// Hash of the workers' heartbeats.
pub(super) const WORKERS: &str = "loto:workers";

/// Fields of a sweep's state.
pub(super) const PUBLISHED: &str = "published";
pub(super) const CANCELLED: &str = "cancelled";

/// Stream of new traces.
pub(super) const EVENTS: &str = "loto:events";

/// The ids as members of a set.
pub(super) fn texts(series: &[SeriesId]) -> Vec<String> {
    series.iter().map(ToString::to_string).collect()
}

pub(super) fn sweep_key(id: SweepId) -> String {
    format!("loto:sweep:{id}")
}

pub(super) fn traces_key(series: SeriesId) -> String {
    format!("loto:traces:{series}")
}

pub(super) fn attempts_key(series: SeriesId) -> String {
    format!("loto:attempts:{series}")
}

pub(super) fn conflict_field(series: SeriesId, seed: u32) -> String {
    format!("{series}:{seed}")
}

pub(super) fn sweep_state_key(id: SweepId) -> String {
    format!("loto:sweep-state:{id}")
}

pub(super) fn blob_key(name: &str) -> String {
    format!("loto:blob:{name}")
}
