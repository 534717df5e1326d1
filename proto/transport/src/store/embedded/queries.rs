//! Statements in one call; each is prepared once per connection.

use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::failure::Failure;

/// Runs a statement and returns how many rows it changed.
pub(super) fn execute(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
) -> rusqlite::Result<usize> {
    connection.prepare_cached(statement)?.execute(parameters)
}

/// The first row, if there is one; `statement` reads one table.
pub(super) fn find<Found>(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
    read: impl FnOnce(&Row) -> rusqlite::Result<Found>,
) -> Result<Option<Found>, Failure> {
    let mut select = connection.prepare_cached(statement)?;
    let found = select.query_row(parameters, read).optional();
    found.map_err(|error| Failure::of_reading(table_of(statement), error))
}

/// Every row; `statement` reads one table.
pub(super) fn list<Found>(
    connection: &Connection,
    statement: &str,
    parameters: impl Params,
    read: impl FnMut(&Row) -> rusqlite::Result<Found>,
) -> Result<Vec<Found>, Failure> {
    let mut select = connection.prepare_cached(statement)?;
    let rows = select.query_map(parameters, read)?;
    let found = rows.collect::<rusqlite::Result<_>>();
    found.map_err(|error| Failure::of_reading(table_of(statement), error))
}

/// The table that a statement reads.
fn table_of(statement: &str) -> &str {
    let mut words = statement.split_whitespace();
    words.find(|word| *word == "FROM");
    words.next().unwrap_or_default()
}
