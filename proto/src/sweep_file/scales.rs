//! The scales that a sweep file declares, and the columns that they are for.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::checks::{check_distinct, check_name};
use super::error::SweepFileProblem;
use super::parameter::Parameter;
use crate::excerpt::excerpt;
use crate::limits::MAX_LEVELS;
use crate::scale::Scale;
use crate::suggestion::suggest;
use crate::table_spec::Categorical;

/// `categorical = "all"` or a list of columns.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "expected \"all\" or a list of hp_ columns")]
pub enum CategoricalEntry {
    /// The word `all`.
    Word(String),
    /// Columns by their full names.
    Columns(Vec<String>),
}

impl Default for CategoricalEntry {
    fn default() -> Self {
        Self::Columns(Vec::new())
    }
}

/// The scale of a column: one of the words of [`Scale::WORDS`], or its levels in their order.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(
    untagged,
    expecting = "expected \"linear\", \"log\", \"ordinal\", \"categorical\", \"boolean\" or a list of levels"
)]
pub enum ScaleEntry {
    /// A word.
    Word(String),
    /// The levels of an ordinal scale.
    Levels(Vec<Parameter>),
}

/// Why the scales of a black box do not fit the columns of its table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScaleProblem {
    /// A name or pattern is that of no column.
    #[error("scales: no hyperparameter column matches `{name}`; {suggestion}")]
    NoColumn {
        /// The name or pattern.
        name: String,
        /// What may have been meant, and what there is.
        suggestion: String,
    },

    /// Two patterns give a column different scales.
    #[error(
        "scales: `{first}` makes {column} {first_scale} and `{second}` makes it {second_scale}: \
         write {column} = \"{first_scale}\" or \"{second_scale}\" as well, which goes before patterns"
    )]
    Contradiction {
        /// The column.
        column: String,
        /// A pattern.
        first: String,
        /// Its scale.
        first_scale: &'static str,
        /// Another pattern.
        second: String,
        /// Its scale.
        second_scale: &'static str,
    },

    /// A column that is listed as categorical has another scale.
    #[error(
        "{column} is categorical by `categorical` and {scale} by `scales`: leave one of them out"
    )]
    Categorical {
        /// The column.
        column: String,
        /// Its scale.
        scale: &'static str,
    },

    /// A column has another scale where all columns are categorical.
    #[error(
        "categorical is \"all\", but by `scales` {column} is {scale}: list the categorical columns \
         by name, or leave the scale out"
    )]
    AllCategorical {
        /// The column.
        column: String,
        /// Its scale.
        scale: &'static str,
    },
}

/// Checks what can be checked without the table.
pub(super) fn check(entries: &BTreeMap<String, ScaleEntry>) -> Result<(), SweepFileProblem> {
    for (name, entry) in entries {
        check_name("the name of a column in scales", name)?;
        let levels = match entry {
            ScaleEntry::Word(word) if Scale::of_word(word).is_some() => continue,
            ScaleEntry::Word(word) => {
                return Err(SweepFileProblem::UnknownScale {
                    column: excerpt(name),
                    word: excerpt(word),
                    suggestion: suggest(word, &Scale::WORDS),
                });
            }
            ScaleEntry::Levels(levels) => levels,
        };
        // A list of levels for many columns would be repeated for each in the store.
        if name.contains('*') {
            return Err(SweepFileProblem::LevelsOfPattern(excerpt(name)));
        }
        if levels.len() < 2 {
            return Err(SweepFileProblem::FewLevels(excerpt(name)));
        }
        let levels: Vec<String> = levels.iter().map(level).collect();
        check_distinct("scales: the levels of a column", &levels, MAX_LEVELS)?;
    }
    Ok(())
}

fn level(level: &Parameter) -> String {
    level.canonical().trim().to_owned()
}

fn scale_of(entry: &ScaleEntry) -> Scale {
    match entry {
        ScaleEntry::Word(word) => Scale::of_word(word).unwrap_or(Scale::Linear),
        ScaleEntry::Levels(levels) => Scale::Levels(levels.iter().map(level).collect()),
    }
}

/// The categorical columns, and the scales of those that are neither categorical nor linear.
/// What is not declared is left as it is, so that its table keeps its fingerprint.
pub(super) fn resolve(
    categorical: &CategoricalEntry,
    entries: &BTreeMap<String, ScaleEntry>,
    columns: &[String],
) -> Result<(Categorical, BTreeMap<String, Scale>), ScaleProblem> {
    let mut declared: BTreeMap<&String, (&String, Scale)> = BTreeMap::new();
    let (patterns, names): (Vec<_>, Vec<_>) =
        entries.iter().partition(|(name, _)| name.contains('*'));
    for (name, entry) in patterns.into_iter().chain(names) {
        let matching = columns.iter().filter(|column| matches(name, column));
        let mut is_used = false;
        for column in matching {
            is_used = true;
            let scale = scale_of(entry);
            let earlier = declared.insert(column, (name, scale.clone()));
            match earlier {
                // A full name comes after the patterns and goes before them.
                Some((first, first_scale)) if first_scale != scale && name.contains('*') => {
                    return Err(ScaleProblem::Contradiction {
                        column: column.clone(),
                        first: first.clone(),
                        first_scale: first_scale.word(),
                        second: name.clone(),
                        second_scale: scale.word(),
                    });
                }
                _ => {}
            }
        }
        if !is_used {
            let known: Vec<&str> = columns.iter().map(String::as_str).collect();
            return Err(ScaleProblem::NoColumn {
                name: excerpt(name),
                suggestion: suggest(name, &known),
            });
        }
    }
    let mut scales = BTreeMap::new();
    let mut categorical = match categorical {
        CategoricalEntry::Word(_) => Categorical::All,
        CategoricalEntry::Columns(listed) => Categorical::Columns(listed.iter().cloned().collect()),
    };
    for (column, (_, scale)) in declared {
        match (&mut categorical, scale) {
            (Categorical::All, Scale::Categorical) => {}
            (Categorical::All, scale) => {
                return Err(ScaleProblem::AllCategorical {
                    column: column.clone(),
                    scale: scale.word(),
                });
            }
            (Categorical::Columns(listed), Scale::Categorical) => {
                listed.insert(column.clone());
            }
            (Categorical::Columns(listed), scale) if listed.contains(column) => {
                return Err(ScaleProblem::Categorical {
                    column: column.clone(),
                    scale: scale.word(),
                });
            }
            (_, Scale::Linear) => {}
            (_, scale) => {
                scales.insert(column.clone(), scale);
            }
        }
    }
    Ok((categorical, scales))
}

/// True if a name or pattern of the sweep file is for the column.
pub(super) fn declares(entries: &BTreeMap<String, ScaleEntry>, column: &str) -> bool {
    entries.keys().any(|name| matches(name, column))
}

/// True if a name is that of the column, where `*` stands for any characters.
fn matches(pattern: &str, column: &str) -> bool {
    let Some((beginning, rest)) = pattern.split_once('*') else {
        return pattern == column;
    };
    let Some(mut left) = column.strip_prefix(beginning) else {
        return false;
    };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        // The first place is as good as any: what comes after it leaves most to the rest.
        match left.find(piece) {
            Some(place) => left = &left[place + piece.len()..],
            None => return false,
        }
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Resolved = Result<(Categorical, BTreeMap<String, Scale>), String>;

    fn resolved(categorical: &[&str], entries: &[(&str, &str)]) -> Resolved {
        let columns = ["hp_lr", "hp_n_1", "hp_n_2", "hp_kind"].map(str::to_owned);
        let categorical = categorical.iter().map(|column| (*column).to_owned());
        let entries = entries.iter().map(|&(name, word)| {
            let entry = ScaleEntry::Word(word.to_owned());
            (name.to_owned(), entry)
        });
        let categorical = CategoricalEntry::Columns(categorical.collect());
        resolve(&categorical, &entries.collect(), &columns).map_err(|error| error.to_string())
    }

    #[test]
    fn patterns_stand_for_columns_and_full_names_go_before_them() {
        let (_, scales) = resolved(&[], &[("hp_n_*", "log"), ("hp_n_2", "ordinal")]).unwrap();
        let expected = [("hp_n_1", Scale::Log), ("hp_n_2", Scale::Ordinal)];
        assert_eq!(
            scales,
            expected.map(|(name, scale)| (name.into(), scale)).into()
        );
        for (pattern, column, expected) in [
            ("hp_*", "hp_", true),
            ("*", "hp_lr", true),
            ("hp_*_units_*", "hp_n_units_1", true),
            ("hp_*_units_*", "hp_units_1", false),
            ("*_1", "hp_n_1_1", true),
            ("hp_a*a", "hp_a", false),
            ("hp_lr", "hp_lr2", false),
        ] {
            assert_eq!(matches(pattern, column), expected, "{pattern} {column}");
        }
    }

    #[test]
    fn what_is_as_it_would_be_without_a_declaration_adds_nothing() {
        assert_eq!(
            resolved(&[], &[("hp_*", "linear"), ("hp_kind", "categorical")]),
            resolved(&["hp_kind"], &[])
        );
        let all = CategoricalEntry::Word("all".into());
        let entry = ScaleEntry::Word("categorical".into());
        let columns = ["hp_kind".to_owned()];
        let resolved = resolve(&all, &[("hp_kind".into(), entry)].into(), &columns);
        assert_eq!(resolved, Ok((Categorical::All, BTreeMap::new())));
    }

    #[test]
    fn mistakes_are_named_with_their_cure() {
        for (categorical, entries, expected) in [
            (&[][..], &[("hp_lrr", "log")][..], "did you mean `hp_lr`?"),
            (
                &[],
                &[("hp_units_*", "log")],
                "no hyperparameter column matches `hp_units_*`",
            ),
            (
                &[],
                &[("hp_n_*", "log"), ("*_1", "ordinal")],
                "write hp_n_1 = ",
            ),
            (
                &["hp_lr"],
                &[("hp_l*", "log")],
                "hp_lr is categorical by `categorical` and log",
            ),
        ] {
            let message = resolved(categorical, entries).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
        let all = CategoricalEntry::Word("all".into());
        let entry = ScaleEntry::Word("log".into());
        let columns = ["hp_lr".to_owned()];
        let problem = resolve(&all, &[("hp_lr".into(), entry)].into(), &columns).unwrap_err();
        let message = problem.to_string();
        assert!(
            message.contains("list the categorical columns by name"),
            "{message}"
        );
    }
}
