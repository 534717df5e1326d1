//! Texts from outside, short enough for a message.

use crate::untrusted_text::escape;

/// Most characters of a text that a message shows.
const SHOWN_CHARACTERS: usize = 80;

/// Most names that a message lists.
const LISTED_NAMES: usize = 20;

/// Bytes after which a message lists no further name.
const LISTED_BYTES: usize = 400;

/// The beginning of a text on one line, escaped.
pub fn excerpt(text: &str) -> String {
    excerpt_of(text, SHOWN_CHARACTERS)
}

/// As [`excerpt`], with at most so many characters.
pub fn excerpt_of(text: &str, most: usize) -> String {
    let mut characters = text.char_indices();
    match characters.nth(most) {
        None => escape(text).into_owned(),
        Some((end, _)) => format!("{}...", escape(&text[..end])),
    }
}

/// Names in a row; of many, the first with the number of the others.
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let mut listed = String::new();
    for name in names.by_ref().take(LISTED_NAMES) {
        if !listed.is_empty() {
            listed.push_str(", ");
        }
        listed.push_str(&excerpt(name));
        if listed.len() > LISTED_BYTES {
            break;
        }
    }
    match names.count() {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_and_stays_on_its_line() {
        assert_eq!(excerpt("as it is"), "as it is");
        assert_eq!(excerpt("a\nb\u{1b}[31mc\0"), "a\\nb\\x1b[31mc\\x00");
        assert_eq!(excerpt(&"\u{e9}".repeat(80)), "\u{e9}".repeat(80));
        assert_eq!(excerpt(&"x".repeat(81)), "x".repeat(80) + "...");
    }

    #[test]
    fn of_many_names_the_others_are_counted() {
        assert_eq!(list([]), "");
        assert_eq!(list(["a", "b"]), "a, b");
        let many: Vec<String> = (10..40).map(|number| number.to_string()).collect();
        let listed = list(many.iter().map(String::as_str));
        assert!(listed.ends_with("28, 29 and 10 more"), "{listed}");
        let long = vec!["\u{1f600}".repeat(1000); 20];
        let listed = list(long.iter().map(String::as_str));
        assert!(
            listed.len() < 1000 && listed.ends_with(" and 18 more"),
            "{listed}"
        );
    }
}
