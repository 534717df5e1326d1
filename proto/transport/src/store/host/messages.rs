//! Parts of messages that several calls have.

use loto_proto::identity::{SeriesId, SweepId};

use crate::host::protocol::wire;

/// Series that are asked for at a time.
pub(super) const SERIES_PER_CALL: usize = 1000;

pub(super) fn named(name: &str, value: Vec<u8>) -> wire::NamedBytes {
    wire::NamedBytes {
        name: name.to_owned(),
        value,
    }
}

pub(super) fn job_place(series: SeriesId, seed: u32) -> wire::JobPlace {
    wire::JobPlace {
        series: series.0.to_vec(),
        seed,
    }
}

pub(super) fn series_list(series: &[SeriesId]) -> wire::SeriesList {
    wire::SeriesList {
        series: series.iter().map(|series| series.0.to_vec()).collect(),
    }
}

pub(super) fn sweep_series(id: SweepId, series: &[SeriesId]) -> wire::SweepSeries {
    wire::SweepSeries {
        sweep: id.0.to_vec(),
        series: series_list(series).series,
    }
}
