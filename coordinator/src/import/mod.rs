//! Writes tables and a sweep file to start from, from the data of others.
//!
//! [`hpob`] reads the meta-dataset of HPO-B, [`syne_tune`] a black box of Syne Tune's repository, [`columns`] any CSV or Parquet
//! file whose columns are named. What they read goes to a [`destination`], a new folder that is there as a whole or not at all:
//! the sweep file is planned before the folder gets its name.

pub mod columns;
pub mod destination;
pub mod error;
pub mod hpob;
mod hpob_json;
mod npy;
mod scales;
mod sweep_text;
pub mod syne_tune;

#[cfg(test)]
mod tests;
