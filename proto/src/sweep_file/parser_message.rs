//! What the TOML parser says of a sweep file, short enough to be shown.

use super::error::SweepFileProblem;
use crate::excerpt::excerpt;

/// Longest message of the TOML parser that is passed on whole, in bytes: it quotes the line.
const PARSER_MESSAGE_BYTES: usize = 600;

/// The parser's message with its picture of the line, or without it if the line is long.
pub(super) fn describe(error: toml::de::Error, text: &str) -> SweepFileProblem {
    let mut message = error.to_string();
    if message.len() > PARSER_MESSAGE_BYTES {
        let place = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = line_of(text, place);
        message = format!("line {line}: {}", excerpt(error.message()));
    }
    SweepFileProblem::Toml {
        excerpt: message,
        source: Box::new(error),
    }
}

/// The line of a byte, counted from 1.
pub(super) fn line_of(text: &str, place: usize) -> usize {
    let before = text.bytes().take(place);
    1 + before.filter(|&byte| byte == b'\n').count()
}
