//! Reads and checks single fields of a table.

use std::collections::{BTreeMap, HashMap};

use loto_proto::excerpt::excerpt;
use loto_proto::limits::{MAX_LEVEL_BYTES, MAX_LEVELS, MAX_MAGNITUDE, MAX_NAME_BYTES};
use loto_proto::suggestion::suggest;

use super::error::FieldError;

/// The levels of a categorical hyperparameter, numbered in the order of their first rows.
pub(super) type Levels = BTreeMap<String, u16>;

/// Reads a task's name, which a job must be able to carry.
pub(super) fn task_name(field: &[u8]) -> Result<String, FieldError> {
    match std::str::from_utf8(field) {
        Err(_) => Err(FieldError::NotUtf8),
        Ok(name) if !name.is_empty() && name.len() <= MAX_NAME_BYTES => Ok(name.to_owned()),
        Ok(_) => Err(FieldError::TaskName),
    }
}

/// Checks that the black box is the same in each row.
pub(super) fn check_blackbox(field: &[u8], known: &mut Option<String>) -> Result<(), FieldError> {
    match known {
        Some(known) if known.as_bytes() == field => Ok(()),
        Some(known) => Err(FieldError::OtherBlackbox {
            found: excerpt(&String::from_utf8_lossy(field)),
            expected: excerpt(known),
        }),
        None => match std::str::from_utf8(field) {
            Err(_) => Err(FieldError::NotUtf8),
            Ok(name) if name.len() <= MAX_NAME_BYTES => {
                *known = Some(name.to_owned());
                Ok(())
            }
            Ok(_) => Err(FieldError::BlackboxName),
        },
    }
}

/// Reads a number of moderate magnitude.
pub(super) fn number(field: &[u8]) -> Result<f64, FieldError> {
    let text = std::str::from_utf8(field).map(str::trim);
    match text.map(str::parse::<f64>) {
        // Adding zero makes -0 and 0 the same configuration.
        Ok(Ok(value)) if value.abs() <= MAX_MAGNITUDE => Ok(value + 0.0),
        Ok(Ok(value)) if value.is_finite() => Err(FieldError::LargeNumber(value)),
        _ => {
            let text = String::from_utf8_lossy(field);
            Err(FieldError::NotFinite(excerpt(&text)))
        }
    }
}

/// Reads a number of the hyperparameter `column`, which nobody declared to be anything else.
pub(super) fn linear_number(field: &[u8], column: &str) -> Result<f64, FieldError> {
    number(field).map_err(|error| {
        let text = String::from_utf8_lossy(field);
        match text.trim().to_lowercase().as_str() {
            // What stands for a missing number is no name of a level.
            "" | "na" | "n/a" | "nan" | "none" | "null" | "nil" | "?" | "-" => error,
            text if text.parse::<f64>().is_ok() => error,
            "true" | "false" => FieldError::UndeclaredBoolean {
                text: excerpt(text.trim()),
                column: column.to_owned(),
            },
            _ => FieldError::Text {
                text: excerpt(text.trim()),
                column: column.to_owned(),
            },
        }
    })
}

/// Reads what an evaluation costs.
pub(super) fn cost(field: &[u8]) -> Result<f64, FieldError> {
    match number(field)? {
        value if value > 0.0 => Ok(value),
        value => Err(FieldError::CostNotPositive(value)),
    }
}

/// Reads a number that has a logarithm.
pub(super) fn positive_number(field: &[u8]) -> Result<f64, FieldError> {
    match number(field)? {
        value if value > 0.0 => Ok(value),
        value => Err(FieldError::NotPositive(value)),
    }
}

/// Reads true as 1 and false as 0.
pub(super) fn boolean(field: &[u8]) -> Result<f64, FieldError> {
    let text = String::from_utf8_lossy(field);
    match text.trim().to_lowercase().as_str() {
        "true" | "yes" | "1" | "1.0" => Ok(1.0),
        "false" | "no" | "0" | "0.0" => Ok(0.0),
        _ => Err(FieldError::NotBoolean(excerpt(&text))),
    }
}

/// Levels in their order, by text and, if they are numbers, by number.
#[derive(Default)]
pub(super) struct OrderedLevels {
    texts: Vec<String>,
    positions: HashMap<String, usize>,
    numbers: Vec<(f64, usize)>,
}

impl OrderedLevels {
    pub(super) fn new(levels: &[String]) -> Self {
        let numbered = || (0..).zip(levels);
        let number = |(position, level): (usize, &String)| Some((level.parse().ok()?, position));
        Self {
            texts: levels.to_vec(),
            positions: numbered()
                .map(|(position, level)| (level.clone(), position))
                .collect(),
            numbers: numbered().filter_map(number).collect(),
        }
    }

    /// The position of the level of that text, or of the same number.
    pub(super) fn position(&self, field: &[u8]) -> Result<f64, FieldError> {
        let whole = String::from_utf8_lossy(field);
        let text = whole.trim();
        let by_number = || {
            let number: f64 = text.parse().ok()?;
            let mut numbers = self.numbers.iter();
            numbers.find(|(level, _)| *level == number)
        };
        let found = self.positions.get(text).copied();
        let found = found.or_else(|| by_number().map(|&(_, position)| position));
        found.map(|position| position as f64).ok_or_else(|| {
            let known: Vec<&str> = self.texts.iter().map(String::as_str).collect();
            FieldError::UnknownLevel {
                text: excerpt(text),
                suggestion: suggest(text, &known),
            }
        })
    }
}

/// Returns the number of a level, a new one if its text is new.
pub(super) fn level(field: &[u8], levels: &mut Levels) -> Result<u16, FieldError> {
    // A level with a space beside its name would be another level.
    let text = std::str::from_utf8(field).map_err(|_| FieldError::NotUtf8)?;
    let text = text.trim();
    if let Some(&level) = levels.get(text) {
        return Ok(level);
    }
    if text.len() > MAX_LEVEL_BYTES {
        return Err(FieldError::LongLevel(text.len()));
    }
    if levels.len() >= MAX_LEVELS {
        return Err(FieldError::TooManyLevels);
    }
    let level = levels.len() as u16;
    levels.insert(text.to_owned(), level);
    Ok(level)
}
