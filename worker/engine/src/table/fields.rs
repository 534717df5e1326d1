//! Reads and checks single fields of a table.

use std::collections::BTreeMap;

use loto_proto::excerpt::excerpt;
use loto_proto::limits::{MAX_LEVEL_BYTES, MAX_LEVELS, MAX_MAGNITUDE, MAX_NAME_BYTES};

use super::error::FieldError;

/// The levels of a categorical hyperparameter, numbered in the order of their first rows.
pub(super) type Levels = BTreeMap<String, u16>;

/// Reads a task's name, which a job must be able to carry.
pub(super) fn task_name(field: &[u8]) -> Result<String, FieldError> {
    match std::str::from_utf8(field) {
        Ok(name) if !name.is_empty() && name.len() <= MAX_NAME_BYTES => Ok(name.to_owned()),
        _ => Err(FieldError::TaskName),
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
            Ok(name) if name.len() <= MAX_NAME_BYTES => {
                *known = Some(name.to_owned());
                Ok(())
            }
            _ => Err(FieldError::BlackboxName),
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

/// Returns the number of a level, a new one if its text is new.
pub(super) fn level(field: &[u8], levels: &mut Levels) -> Result<u16, FieldError> {
    let text = std::str::from_utf8(field).map_err(|_| FieldError::NotUtf8)?;
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
