//! The history of new traces, and where its readers stand.
//!
//! Events are numbered without gaps, so that a reader sees when it missed some. A server
//! that loses its last second gives the numbers of lost events to others: by the random
//! mark of the last event it has seen, a reader sees that, too.

use std::collections::HashMap;

use redis::Cmd;

use super::RedisStore;
use super::keys::EVENTS;
use crate::error::TransportError;
use crate::store::{Cursor, Event, Events};
use loto_proto::excerpt::excerpt;

/// Id and fields of a stream's entry.
type RawEvent = (String, HashMap<Vec<u8>, Vec<u8>>);

/// Numbers of events end below: the script that gives them counts in floating point.
const END_OF_EVENTS: u64 = 1 << 53;

/// Where a reader of the history stands.
#[derive(Default)]
struct Position {
    /// The number of the last event it has seen, 0 if none.
    number: u64,
    /// That event's mark.
    mark: String,
}

impl Position {
    fn cursor(&self) -> Cursor {
        Cursor(format!("{}:{}", self.number, self.mark))
    }

    fn of(cursor: &Cursor) -> Result<Self, TransportError> {
        if cursor.0.is_empty() {
            return Ok(Self::default());
        }
        let parts = cursor.0.split_once(':');
        let position = parts.and_then(|(number, mark)| {
            let number = number.parse().ok();
            Some(Self {
                number: number.filter(|number| *number < END_OF_EVENTS)?,
                mark: mark.to_owned(),
            })
        });
        position.ok_or_else(|| TransportError::InvalidCursor {
            cursor: excerpt(&cursor.0),
            store: "a Redis store",
        })
    }
}

impl RedisStore {
    /// The end of the history.
    pub(super) async fn end_of_history(&self) -> Result<Cursor, TransportError> {
        let newest: Vec<RawEvent> = self
            .ask(EVENTS, &Cmd::xrevrange_count(EVENTS, "+", "-", 1))
            .await?;
        let newest = newest.first().map(|entry| self.position(entry));
        Ok(newest.transpose()?.unwrap_or_default().cursor())
    }

    /// At most `limit` events after the cursor.
    pub(super) async fn history_after(
        &self,
        cursor: &Cursor,
        limit: usize,
    ) -> Result<Events, TransportError> {
        let mut seen = Position::of(cursor)?;
        // The last one it has seen once more: is it still the same?
        let one_more = limit.saturating_add(1);
        let mut entries = self.events_from(seen.number, one_more).await?;
        let is_lost = match entries.first() {
            Some((first, _)) if first.number == seen.number => first.mark != seen.mark,
            Some(_) => false,
            None => seen.number > 0,
        };
        if is_lost {
            // The server counts them again: so does its reader.
            seen = Position::default();
            entries = self.events_from(0, limit).await?;
        }
        entries.retain(|(position, _)| position.number > seen.number);
        entries.truncate(limit);
        let first = entries.first().map(|(position, _)| position.number);
        let is_trimmed = first.is_some_and(|first| first != seen.number + 1);
        let mut events = Vec::with_capacity(entries.len());
        for (position, event) in entries {
            seen = position;
            events.push(event);
        }
        Ok(Events {
            events,
            next: seen.cursor(),
            incomplete: is_lost || is_trimmed,
        })
    }

    /// At most `limit` events from that number on.
    async fn events_from(
        &self,
        number: u64,
        limit: usize,
    ) -> Result<Vec<(Position, Event)>, TransportError> {
        let begin = format!("{number}-0");
        let entries: Vec<RawEvent> = self
            .ask(EVENTS, &Cmd::xrange_count(EVENTS, begin, "+", limit))
            .await?;
        let entries = entries.iter().map(|entry| self.decode_event(entry));
        entries.collect()
    }

    fn decode_event(&self, entry: &RawEvent) -> Result<(Position, Event), TransportError> {
        let (id, fields) = entry;
        let field = |name: &str| {
            let value = fields.get(name.as_bytes())?;
            std::str::from_utf8(value).ok()
        };
        let position = self.position(entry)?;
        let series = field("series").and_then(|series| series.parse().ok());
        let seed = field("seed").and_then(|seed| seed.parse().ok());
        match (series, seed) {
            (Some(series), Some(seed)) => Ok((position, Event { series, seed })),
            _ => Err(self.corrupt(
                format!("{EVENTS}, entry {id}"),
                "it names no series and seed",
            )),
        }
    }

    fn position(&self, (id, fields): &RawEvent) -> Result<Position, TransportError> {
        let number = id.strip_suffix("-0").and_then(|number| number.parse().ok());
        let number = number.filter(|number| *number < END_OF_EVENTS);
        let number = number.ok_or_else(|| {
            self.corrupt(
                format!("{EVENTS}, entry {id}"),
                "its id is not of the form NUMBER-0, with a number below 2^53",
            )
        })?;
        let mark = fields.get("mark".as_bytes());
        let mark = mark.map(|mark| String::from_utf8_lossy(mark).into_owned());
        Ok(Position {
            number,
            mark: mark.unwrap_or_default(),
        })
    }
}
