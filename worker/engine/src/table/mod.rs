//! Lookup tables: every configuration of a black box, evaluated on several tasks.
//!
//! `file` reads a table file: [`container`] unpacks it, [`foreign_format`] knows what is no CSV, [`records`] reads its
//! lines, `header` finds the columns, `csv_reader` reads and checks the rows, `fields` each field,
//! and `scaling` turns them into points of the unit cube, which [`encoding`] describes. [`profile`] says
//! what the columns held before that; [`row_lookup`] finds the row of a configuration. [`Measurements`] are those that are repeated.
//! `costs` are what the evaluations cost, which no method sees. `features` describe tasks, `source_rows` are those that methods learn from.

pub mod container;
mod costs;
mod csv_reader;
pub mod encoding;
pub mod error;
mod features;
mod fields;
mod file;
pub mod foreign_format;
mod header;
mod lookup_table;
mod measurements;
pub mod profile;
pub mod records;
pub mod row_lookup;
mod scaling;
mod source_rows;

pub use lookup_table::{Table, Task};
pub use measurements::Measurements;

#[cfg(test)]
mod declared_column_tests;
#[cfg(test)]
mod limit_tests;
#[cfg(test)]
mod objective_tests;
#[cfg(test)]
mod profile_tests;
#[cfg(test)]
mod repeat_tests;
#[cfg(test)]
mod scale_tests;
#[cfg(test)]
mod tests;
