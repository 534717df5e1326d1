//! What the columns of an imported table are called, and which declarations they need, by their values.

use std::collections::BTreeSet;

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
    numeric: Vec<bool>,
    words: Vec<Option<BTreeSet<String>>>,
}

impl ColumnKinds {
    pub(super) fn new(columns: usize) -> Self {
        Self {
            numeric: vec![true; columns],
            words: vec![Some(BTreeSet::new()); columns],
        }
    }

    /// Takes the fields of a row.
    pub(super) fn add<'a>(&mut self, fields: impl IntoIterator<Item = &'a str>) {
        let columns = self.numeric.iter_mut().zip(&mut self.words);
        for ((numeric, words), field) in columns.zip(fields) {
            *numeric &= field.trim().parse().is_ok_and(f64::is_finite);
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
        let columns = self.numeric.iter().zip(&self.words);
        let kind = |(numeric, words): (&bool, &Option<BTreeSet<String>>)| match (numeric, words) {
            (true, _) => ColumnKind::Numeric,
            (false, Some(_)) => ColumnKind::Boolean,
            (false, None) => ColumnKind::Categorical,
        };
        columns.map(kind).collect()
    }
}

/// The name of a column, with the prefix that columns of its kind have.
pub(super) fn prefixed(prefix: &str, name: &str) -> String {
    match name.starts_with(prefix) {
        true => name.to_owned(),
        false => format!("{prefix}{name}"),
    }
}
