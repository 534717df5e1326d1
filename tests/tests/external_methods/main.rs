//! Programs of users as methods, as real processes: the same traces as the built-in method, whatever carries the jobs;
//! and nothing is left of one that misbehaves.

mod confinement;
mod handover;
mod isolation;
mod misbehaviour;
mod python_package;
mod remains;
mod traces;
