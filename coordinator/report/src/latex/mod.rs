//! `tables.tex`: the tables of a report for papers, with booktabs.

mod escape;
mod table;
mod tables;

pub(crate) use tables::tables;
