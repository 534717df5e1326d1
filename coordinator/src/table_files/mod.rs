//! Files and folders that a sweep file may name as a table, beside CSV.
//!
//! Workers read CSV alone. Whatever else a table comes as is turned into one CSV text by its content: the same
//! content gives the same text and so the same fingerprint, however it was packed. [`parquet`] reads Parquet, [`folder`] a
//! folder with a file per task, [`csv_text`] writes the text.

pub mod csv_text;
pub mod error;
pub mod folder;
mod pages;
pub mod parquet;
mod read;

pub(crate) use read::origin;
pub use read::read;

#[cfg(test)]
mod tests;
