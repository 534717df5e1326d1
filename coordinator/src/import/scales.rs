//! What the columns of an imported table are called, and which declarations they need, by their values.

use std::collections::BTreeSet;

use loto_proto::excerpt::excerpt;

/// What a column of texts holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Numeric,
    Boolean,
    Categorical,
}

/// What the columns hold whose values come row by row.
#[derive(Debug)]
pub(super) struct ColumnKinds {
    /// Whether some values are numbers.
    numbers: Vec<bool>,
    /// The first value that is not a number.
    text: Vec<Option<String>>,
    words: Vec<Option<BTreeSet<String>>>,
}

impl ColumnKinds {
    pub(super) fn new(columns: usize) -> Self {
        Self {
            numbers: vec![false; columns],
            text: vec![None; columns],
            words: vec![Some(BTreeSet::new()); columns],
        }
    }

    /// Takes the fields of a row.
    pub(super) fn add<'a>(&mut self, fields: impl IntoIterator<Item = &'a str>) {
        let columns = self.numbers.iter_mut().zip(&mut self.text);
        let columns = columns.zip(&mut self.words);
        for (((numbers, text), words), field) in columns.zip(fields) {
            match field.trim().parse().is_ok_and(f64::is_finite) {
                true => *numbers = true,
                false if text.is_none() => *text = Some(field.to_owned()),
                false => {}
            }
            let lower = field.trim().to_lowercase();
            match words {
                Some(known) if matches!(lower.as_str(), "true" | "false") => {
                    known.insert(lower);
                }
                words => *words = None,
            }
        }
    }

    /// What each column holds.
    pub(super) fn kinds(&self) -> Vec<ColumnKind> {
        let columns = self.text.iter().zip(&self.words);
        let kind = |(text, words): (&Option<String>, &Option<_>)| match (text, words) {
            (None, _) => ColumnKind::Numeric,
            (Some(_), Some(_)) => ColumnKind::Boolean,
            (Some(_), None) => ColumnKind::Categorical,
        };
        columns.map(kind).collect()
    }

    /// What the user must know of columns that hold numbers and texts, by their `names`: one text by mistake makes a column of
    /// numbers categorical.
    pub(super) fn notes(&self, names: &[String]) -> Vec<String> {
        let columns = names.iter().zip(&self.numbers).zip(&self.text);
        let mixed = columns.filter(|((_, numbers), _)| **numbers);
        let note = |((name, _), text): ((&String, _), &Option<String>)| {
            let text = excerpt(text.as_ref()?);
            let name = excerpt(name);
            Some(format!(
                "The column `{name}` holds numbers and texts such as `{text}`, so that it is declared categorical. If the texts are \
                 mistakes, correct them and import again."
            ))
        };
        mixed.filter_map(note).collect()
    }
}

/// The name of a column, with the prefix that columns of its kind have.
pub(super) fn prefixed(prefix: &str, name: &str) -> String {
    match name.starts_with(prefix) {
        true => name.to_owned(),
        false => format!("{prefix}{name}"),
    }
}
