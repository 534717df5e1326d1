//! A sweep as the first page lists it.

use std::sync::Arc;
use std::time::SystemTime;

use loto_proto::identity::SweepId;

use crate::aggregator::Overview;

/// A sweep of the list.
pub(super) struct Listed {
    pub(super) id: SweepId,
    pub(super) content: Content,
    pub(super) recorded: Option<SystemTime>,
}

/// What is known of a sweep of the list.
pub(super) enum Content {
    /// Its name, number of jobs, and how far it is if that is followed.
    Sweep {
        name: String,
        jobs: u64,
        overview: Option<Arc<Overview>>,
    },
    /// It cannot be read.
    Damaged(String),
}
