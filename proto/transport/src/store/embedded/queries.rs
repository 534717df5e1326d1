//! Statements in one call; each is prepared once per connection.

use rusqlite::{Connection, OptionalExtension, Params, Result, Row};

/// Runs a statement and returns how many rows it changed.
pub(super) fn execute(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
) -> Result<usize> {
    connection.prepare_cached(statement)?.execute(parameters)
}

/// The first row, if there is one.
pub(super) fn find<Found>(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
    read: impl FnOnce(&Row) -> Result<Found>,
) -> Result<Option<Found>> {
    let mut select = connection.prepare_cached(statement)?;
    select.query_row(parameters, read).optional()
}

/// Every row.
pub(super) fn list<Found>(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
    read: impl FnMut(&Row) -> Result<Found>,
) -> Result<Vec<Found>> {
    let mut select = connection.prepare_cached(statement)?;
    select.query_map(parameters, read)?.collect()
}
