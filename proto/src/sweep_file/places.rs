//! The lines of a sweep file on which its keys are.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

/// The lines, from 1, of the keys at the top and of those of each black box, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Places {
    top: BTreeMap<String, usize>,
    blackboxes: Vec<BTreeMap<String, usize>>,
}

impl Places {
    /// Looks the keys of a text up; there are none if it is no TOML.
    pub(super) fn of(text: &str) -> Self {
        let Ok(table) = DeTable::parse(text) else {
            return Self::default();
        };
        let blackboxes = match table.get_ref().get("blackbox").map(|value| value.get_ref()) {
            Some(DeValue::Array(entries)) => entries
                .iter()
                .map(|entry| match entry.get_ref() {
                    DeValue::Table(entry) => lines(entry, text),
                    _ => BTreeMap::new(),
                })
                .collect(),
            _ => Vec::new(),
        };
        Self {
            top: lines(table.get_ref(), text),
            blackboxes,
        }
    }

    /// The line of a key at the top.
    pub(super) fn of_top(&self, key: &str) -> Option<usize> {
        self.top.get(key).copied()
    }

    /// The line of a key of the black box at `position`, or of the same key at the top, or of the
    /// name of the black box.
    pub(crate) fn of_blackbox(&self, position: usize, key: &str) -> Option<usize> {
        let keys = self.blackboxes.get(position)?;
        let own = keys.get(key).or_else(|| self.top.get(key));
        own.or_else(|| keys.get("name")).copied()
    }
}

fn lines(table: &DeTable, text: &str) -> BTreeMap<String, usize> {
    let line = |place: usize| {
        let before = text.bytes().take(place);
        1 + before.filter(|&byte| byte == b'\n').count()
    };
    let keys = table.keys();
    keys.map(|key| (key.get_ref().to_string(), line(key.span().start)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_line() {
        let text = "# a comment\nname = \"x\"\n\n[[blackbox]]\nname = \"A\"\n\n\
                    [[blackbox]]\nname = \"B\"\ntargets = [\n  \"a\",\n]\niterations = 3\n";
        let places = Places::of(text);
        assert_eq!(places.of_top("name"), Some(2));
        assert_eq!(places.of_top("seeds"), None);
        assert_eq!(places.of_blackbox(0, "iterations"), Some(5));
        assert_eq!(places.of_blackbox(1, "targets"), Some(9));
        assert_eq!(places.of_blackbox(1, "iterations"), Some(12));
        assert_eq!(places.of_blackbox(2, "name"), None);
        assert_eq!(Places::of("name = "), Places::default());
    }
}
