//! The lines of a sweep file on which its keys are.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The lines, from 1, of the keys at the top, of those of each black box, in their order, and of those of each section of a method.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Places {
    top: BTreeMap<String, usize>,
    blackboxes: Vec<BTreeMap<String, usize>>,
    methods: BTreeMap<String, Section>,
    externals: BTreeMap<String, Section>,
}

/// Where a section of a method is.
#[derive(Debug, Clone, PartialEq)]
struct Section {
    line: usize,
    keys: BTreeMap<String, usize>,
}

impl Places {
    /// Looks the keys of a text up; there are none if it is no TOML.
    pub(super) fn of(text: &str) -> Self {
        let Ok(table) = DeTable::parse(text) else {
            return Self::default();
        };
        let value = |key: &str| table.get_ref().get(key).map(|value| value.get_ref());
        let blackboxes = match value("blackbox") {
            Some(DeValue::Array(entries)) => {
                entries.iter().map(|entry| lines(entry, text)).collect()
            }
            _ => Vec::new(),
        };
        Self {
            top: lines_of_keys(table.get_ref(), text),
            blackboxes,
            methods: sections(value("method"), text),
            externals: sections(value("external"), text),
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

    /// The line where the section of that method begins.
    pub(super) fn of_method(&self, name: &str) -> Option<usize> {
        self.methods.get(name).map(|section| section.line)
    }

    /// The line of a key in the section of that method.
    pub(super) fn of_method_key(&self, name: &str, key: &str) -> Option<usize> {
        self.methods.get(name)?.keys.get(key).copied()
    }

    /// The line where the section of that external method begins.
    pub(super) fn of_external(&self, name: &str) -> Option<usize> {
        self.externals.get(name).map(|section| section.line)
    }
}

/// The sections `[method.ID]`, by id, or `[[method]]`, by name.
fn sections(value: Option<&DeValue>, text: &str) -> BTreeMap<String, Section> {
    match value {
        Some(DeValue::Table(sections)) => {
            let sections = sections.iter().map(|(id, section)| {
                let line = line_at(id.span().start, text);
                let keys = lines(section, text);
                (id.get_ref().to_string(), Section { line, keys })
            });
            sections.collect()
        }
        Some(DeValue::Array(entries)) => {
            let sections = entries.iter().filter_map(|entry| {
                let table = entry.get_ref().as_table()?;
                let name = table.get("name").or_else(|| table.get("id"))?;
                let line = line_at(entry.span().start, text);
                let keys = lines_of_keys(table, text);
                Some((name.get_ref().as_str()?.to_owned(), Section { line, keys }))
            });
            sections.collect()
        }
        _ => BTreeMap::new(),
    }
}

fn lines(value: &Spanned<DeValue>, text: &str) -> BTreeMap<String, usize> {
    let table = value.get_ref().as_table();
    table.map_or_else(BTreeMap::new, |table| lines_of_keys(table, text))
}

fn lines_of_keys(table: &DeTable, text: &str) -> BTreeMap<String, usize> {
    let keys = table.keys();
    keys.map(|key| (key.get_ref().to_string(), line_at(key.span().start, text)))
        .collect()
}

fn line_at(place: usize, text: &str) -> usize {
    let before = text.bytes().take(place);
    1 + before.filter(|&byte| byte == b'\n').count()
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

    #[test]
    fn each_section_of_a_method_has_its_lines() {
        let text = "[method.gp]\nhyperprior = \"none\"\n[external.mine]\ncommand = [\"x\"]\n";
        let places = Places::of(text);
        assert_eq!(places.of_method("gp"), Some(1));
        assert_eq!(places.of_method_key("gp", "hyperprior"), Some(2));
        assert_eq!(places.of_method_key("gp", "id"), None);
        assert_eq!(places.of_external("mine"), Some(3));
        let text =
            "[[method]]\nid = \"gp\"\nname = \"mine\"\n\n[[method]]\nid = \"ts\"\n[[method]]\n";
        let places = Places::of(text);
        assert_eq!(places.of_method("mine"), Some(1));
        assert_eq!(places.of_method_key("ts", "id"), Some(6));
        assert_eq!(places.of_method("gp"), None);
    }
}
