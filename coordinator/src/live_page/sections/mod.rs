//! The parts of the pages, one file each.

pub(super) mod events;
pub(super) mod grid;
pub(super) mod problems;
pub(super) mod standing;
pub(super) mod state;
pub(super) mod sweep_list;
pub(super) mod workers;
