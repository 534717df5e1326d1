//! Reads and checks single fields of a table.

use std::collections::BTreeMap;

use loto_proto::excerpt::excerpt;
use loto_proto::limits::{MAX_LEVEL_BYTES, MAX_LEVELS, MAX_MAGNITUDE, MAX_NAME_BYTES};

/// A task's name: a job must be able to carry it.
pub(super) fn task_name(name: &[u8], line: u64) -> Result<String, String> {
    match std::str::from_utf8(name) {
        Ok(name) if !name.is_empty() && name.len() <= MAX_NAME_BYTES => Ok(name.to_owned()),
        _ => Err(format!(
            "line {line}, column `task`: a task's name must be a text of 1 to {MAX_NAME_BYTES} bytes"
        )),
    }
}

/// Checks that the black box is the same in each row.
pub(super) fn check_blackbox(
    value: &[u8],
    known: &mut Option<String>,
    line: u64,
) -> Result<(), String> {
    match known {
        None => match std::str::from_utf8(value) {
            Ok(name) if name.len() <= MAX_NAME_BYTES => *known = Some(name.to_owned()),
            _ => {
                return Err(format!(
                    "line {line}, column `blackbox`: the name must be a text of at most \
                     {MAX_NAME_BYTES} bytes"
                ));
            }
        },
        Some(known) if known.as_bytes() != value => {
            return Err(format!(
                "line {line}, column `blackbox`: `{}` after `{}`; a table holds one black box",
                excerpt(&String::from_utf8_lossy(value)),
                excerpt(known)
            ));
        }
        Some(_) => {}
    }
    Ok(())
}

/// A number of moderate magnitude.
pub(super) fn number(field: &[u8], column: &str, line: u64) -> Result<f64, String> {
    let text = std::str::from_utf8(field).map(str::trim);
    match text.map(str::parse::<f64>) {
        // Adding zero makes -0 and 0 the same configuration.
        Ok(Ok(value)) if value.abs() <= MAX_MAGNITUDE => Ok(value + 0.0),
        Ok(Ok(value)) if value.is_finite() => Err(format!(
            "line {line}, column `{column}`: {value:e} is too large a number, allowed are \
             magnitudes up to {MAX_MAGNITUDE:e}"
        )),
        _ => Err(format!(
            "line {line}, column `{column}`: `{}` is not a finite number",
            excerpt(&String::from_utf8_lossy(field))
        )),
    }
}

/// The number of a level, a new one if its text is new.
pub(super) fn level(
    field: &[u8],
    levels: &mut BTreeMap<String, u16>,
    column: &str,
    line: u64,
) -> Result<u16, String> {
    let text = std::str::from_utf8(field)
        .map_err(|_| format!("line {line}, column `{column}`: the level is not valid UTF-8"))?;
    if let Some(&level) = levels.get(text) {
        return Ok(level);
    }
    if text.len() > MAX_LEVEL_BYTES {
        return Err(format!(
            "line {line}, column `{column}`: the level has {} bytes, allowed are {MAX_LEVEL_BYTES}",
            text.len()
        ));
    }
    if levels.len() >= MAX_LEVELS {
        return Err(format!(
            "line {line}, column `{column}`: more than {MAX_LEVELS} levels, which is the most allowed; is it numeric?"
        ));
    }
    let level = levels.len() as u16;
    levels.insert(text.to_owned(), level);
    Ok(level)
}
