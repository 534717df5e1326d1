//! Input that means harm: texts that command a terminal, clients that take all connections or guess tokens,
//! files put in the way of a run.

mod connections;
mod run_folder;
mod terminal;
mod tokens;
