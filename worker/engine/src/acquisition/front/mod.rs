//! Acquisition functions for two objectives: how much a candidate is expected to move the front of what was observed.
//!
//! - `points`: the front, its hypervolume, and the prediction of a candidate;
//! - `hypervolume_improvement`: the expected hypervolume improvement (`ehi`);
//! - `optimistic_hypervolume`: the hypervolume gained by a lower confidence bound (`sms`);
//! - `maximin_improvement`: the expected maximin improvement (`emi`);
//! - `excursion_volume`: the expected reduction of the volume of rows that may improve the front (`sur`).

pub(crate) mod excursion_volume;
pub(crate) mod hypervolume_improvement;
pub(crate) mod maximin_improvement;
pub(crate) mod optimistic_hypervolume;
mod points;

pub(crate) use points::{Front, Prediction};

#[cfg(test)]
mod examples;
