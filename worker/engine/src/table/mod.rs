//! Lookup tables: every configuration of a black box, evaluated on several tasks.
//!
//! `file` reads a table file: [`container`] unpacks it, [`bounded_lines`] bounds the length of its
//! lines, `header` finds the columns, `csv_reader` reads and checks the rows, `fields` each field,
//! and `scaling` turns them into points of the unit cube, which [`encoding`] describes.

pub mod bounded_lines;
pub mod container;
mod csv_reader;
pub mod encoding;
pub mod error;
mod fields;
mod file;
mod header;
mod lookup_table;
mod scaling;

pub use lookup_table::{Table, Task};

#[cfg(test)]
mod limit_tests;
#[cfg(test)]
mod tests;
