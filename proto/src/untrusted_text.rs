//! Texts that others wrote: which characters do harm, and how such texts are shown.
//!
//! Every text that is not ours goes through this file on its way to a terminal, a log line, a CSV file or
//! a page. A character that could command a terminal, begin a line or hide what is written is shown as an
//! escape: `\x1b`, `\n`, `\u{202e}`. Everything else, in any script, is shown as it is.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character may command a terminal, break a line, reverse the order of others or be invisible.
pub fn is_hazardous(character: char) -> bool {
    character.is_control()
        || matches!(character,
            // Soft hyphen, grapheme joiner, Arabic letter mark.
            '\u{ad}' | '\u{34f}' | '\u{61c}'
            // Blank letters.
            | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}'
            // Variation selectors.
            | '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}'
            // Zero-width characters and marks of direction.
            | '\u{200b}'..='\u{200f}'
            // Line and paragraph separators, embeddings and overrides of direction.
            | '\u{2028}'..='\u{202e}'
            // Invisible operators, isolates of direction.
            | '\u{2060}'..='\u{206f}'
            // Byte order mark, annotations, what is no character.
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            // Tags and more variation selectors.
            | '\u{e0000}'..='\u{e0fff}')
}

/// The text in one line, its hazardous characters as escapes.
pub fn escape(text: &str) -> Cow<'_, str> {
    replace(text, is_hazardous, visible)
}

/// As [`escape`], but newlines stay: for texts of ours, in which those of others are escaped already.
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    replace(text, is_hazardous_in_lines, visible)
}

/// JSON with its hazardous characters as escapes of JSON, so that it means the same. Newlines stay: inside of a
/// string there are none.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    replace(json, is_hazardous_in_lines, |character, escaped| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _infallible = write!(escaped, "\\u{unit:04x}");
        }
    })
}

/// A hazardous character in a name, where it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "character {position} of the name is U+{code:04X}, which is invisible or commands a terminal: \
     take it out",
    code = u32::from(*.character)
)]
pub struct HazardousCharacter {
    /// Which one, counted from 1.
    pub position: usize,
    /// The character.
    pub character: char,
}

/// Checks a name where it is made.
///
/// # Errors
/// [`HazardousCharacter`], the first of them.
pub fn check_name(name: &str) -> Result<(), HazardousCharacter> {
    let mut hazards = (1..).zip(name.chars());
    match hazards.find(|(_, character)| is_hazardous(*character)) {
        None => Ok(()),
        Some((position, character)) => Err(HazardousCharacter {
            position,
            character,
        }),
    }
}

fn is_hazardous_in_lines(character: char) -> bool {
    character != '\n' && is_hazardous(character)
}

fn replace(
    text: &str,
    is_replaced: impl Fn(char) -> bool,
    replacement: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    let Some(first) = text.find(&is_replaced) else {
        return Cow::Borrowed(text);
    };
    let mut escaped = String::with_capacity(text.len() + 16);
    escaped.push_str(&text[..first]);
    for character in text[first..].chars() {
        match is_replaced(character) {
            true => replacement(character, &mut escaped),
            false => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

fn visible(character: char, escaped: &mut String) {
    let _infallible = match character {
        '\n' => escaped.write_str("\\n"),
        '\r' => escaped.write_str("\\r"),
        '\t' => escaped.write_str("\\t"),
        '\0'..='\x7f' => write!(escaped, "\\x{:02x}", u32::from(character)),
        _ => write!(escaped, "\\u{{{:x}}}", u32::from(character)),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_harm_is_shown_as_an_escape_and_the_rest_as_it_is() {
        let harmless = "caf\u{e9} \u{5d0}\u{628}\u{4e2d} \u{1f600} a\\b = +1";
        assert!(matches!(escape(harmless), Cow::Borrowed(same) if same == harmless));
        assert_eq!(escape("a\n\r\tb"), "a\\n\\r\\tb");
        // Sets the clipboard of a terminal.
        assert_eq!(
            escape("\x1b]52;c;cm0=\x07\x7f"),
            "\\x1b]52;c;cm0=\\x07\\x7f"
        );
        assert_eq!(
            escape("\u{9b}2J\u{202e}\u{200b}\u{feff}\u{2028}\u{e0041}"),
            "\\u{9b}2J\\u{202e}\\u{200b}\\u{feff}\\u{2028}\\u{e0041}"
        );
        assert_eq!(escape_lines("a\nb\x1b"), "a\nb\\x1b");
    }

    #[test]
    fn nothing_hazardous_is_left_of_any_character() {
        let all: String = ('\0'..=char::MAX).collect();
        assert!(!escape(&all).chars().any(is_hazardous));
        // Every control and every format character of Unicode whose general category std knows.
        let hidden = ('\0'..='\u{20}').chain('\u{7f}'..='\u{9f}');
        assert_eq!(
            hidden.filter(|&c| !is_hazardous(c)).collect::<String>(),
            " "
        );
    }

    #[test]
    fn escaped_json_means_the_same() {
        let text = "a\u{9b}\u{202e}\u{7f}\u{e0041} \u{1f600} \"\\\n\x1b";
        let json = serde_json::to_string(text).unwrap();
        let escaped = escape_json(&json);
        assert!(!escaped.chars().any(is_hazardous), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }

    #[test]
    fn a_name_is_refused_with_the_character() {
        assert_eq!(check_name("wine-\u{e9}"), Ok(()));
        let hazard = check_name("wi\u{202e}ne").unwrap_err();
        assert_eq!((hazard.position, hazard.character), (3, '\u{202e}'));
        assert!(
            hazard
                .to_string()
                .contains("character 3 of the name is U+202E")
        );
    }
}
