//! Refuses names in a sweep file that are not what they look like.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::error::SweepFileProblem;
use super::parser_message::{describe, line_of};
use crate::excerpt::excerpt;
use crate::untrusted_text::check_name;

/// Checks every key and every text of a sweep file: most become names, and the others are shown, too.
pub(super) fn refuse(text: &str) -> Result<(), SweepFileProblem> {
    let file = DeTable::parse(text).map_err(|error| describe(error, text))?;
    Hazards { text }.in_table(file.get_ref())
}

struct Hazards<'a> {
    text: &'a str,
}

impl Hazards<'_> {
    fn in_table(&self, table: &DeTable<'_>) -> Result<(), SweepFileProblem> {
        for (key, value) in table {
            let name: &str = key.get_ref();
            self.check(name, name, key.span())?;
            self.in_value(name, value.get_ref(), value.span())?;
        }
        Ok(())
    }

    fn in_value(
        &self,
        key: &str,
        value: &DeValue<'_>,
        place: Range<usize>,
    ) -> Result<(), SweepFileProblem> {
        match value {
            DeValue::String(text) => self.check(key, text, place),
            DeValue::Table(table) => self.in_table(table),
            DeValue::Array(values) => values
                .iter()
                .try_for_each(|value| self.in_value(key, value.get_ref(), value.span())),
            _ => Ok(()),
        }
    }

    fn check(&self, key: &str, text: &str, place: Range<usize>) -> Result<(), SweepFileProblem> {
        check_name(text).map_err(|hazard| SweepFileProblem::Hazard {
            line: line_of(self.text, place.start),
            key: excerpt(key),
            hazard,
        })
    }
}
