//! How a client reads the stream of a simulated Redis: the rules of
//! `proto/transport/src/store/redis/traces.rs`.

use loto_transport::store::{Cursor, Event, Events};

use super::database::Entry;

/// Where a reader stands: the number and the mark of the last event that it has seen.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Position {
    pub(super) number: u64,
    mark: u64,
}

/// The cursor behind an event.
pub(super) fn cursor_at(newest: Option<Entry>) -> Cursor {
    cursor(newest.map_or_else(Position::default, Position::of))
}

fn cursor(Position { number, mark }: Position) -> Cursor {
    Cursor(format!("{number}:{mark}"))
}

/// Where a cursor is; the beginning if it is none of ours.
pub(super) fn position(cursor: &Cursor) -> Position {
    let parts = cursor.0.split_once(':').and_then(|(number, mark)| {
        let (number, mark) = (number.parse().ok()?, mark.parse().ok()?);
        Some(Position { number, mark })
    });
    parts.unwrap_or_default()
}

impl Position {
    fn of(entry: Entry) -> Self {
        let Entry { number, mark, .. } = entry;
        Self { number, mark }
    }
}

/// Whether the server lost the last event that was seen; `entries` begin with its number.
pub(super) fn are_lost(seen: Position, entries: &[Entry]) -> bool {
    match entries.first() {
        Some(first) if first.number == seen.number => first.mark != seen.mark,
        Some(_) => false,
        None => seen.number > 0,
    }
}

/// The events behind a position.
pub(super) fn after(
    mut seen: Position,
    mut entries: Vec<Entry>,
    limit: usize,
    is_lost: bool,
) -> Events {
    entries.retain(|entry| entry.number > seen.number);
    entries.truncate(limit);
    let first = entries.first().map(|entry| entry.number);
    let is_trimmed = first.is_some_and(|first| first != seen.number + 1);
    let mut events = Vec::with_capacity(entries.len());
    for entry in entries {
        seen = Position::of(entry);
        events.push(Event {
            series: entry.series,
            seed: entry.seed,
        });
    }
    Events {
        events,
        next: cursor(seen),
        incomplete: is_lost || is_trimmed,
    }
}
