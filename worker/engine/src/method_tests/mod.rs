//! Tests of all methods, on two small tables.
//!
//! - `example`: the tables, and a run of a method choice by choice;
//! - `recorded_traces`: no trace changes unless the method's version is raised;
//! - `random_streams`: no two parts of the program draw from one random stream unless they share the code that does;
//! - `unseen_values`: no choice depends on a value that is not evaluated yet;
//! - `dense`: each choice is the one that the papers' equations demand.

pub(crate) mod dense;
pub(crate) mod example;
mod random_streams;
mod recorded_traces;
mod unseen_values;
