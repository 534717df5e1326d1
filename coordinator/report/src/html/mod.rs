//! `report.html`: one page with everything, which needs nothing from a network.
//!
//! The markup is made by maud, which escapes every text that is put into it.

mod blackbox;
mod comparison;
mod differences;
mod evaluations;
mod fronts;
mod iterations;
pub mod live;
mod made;
mod matrix;
mod over_cost;
mod page;
mod picture;
mod practical;
mod published;
mod scores;
mod stream;
mod summary;
mod table;
mod tasks;

pub(crate) use page::page;
