//! Checks of names, numbers and lists in a sweep file.

use std::collections::BTreeSet;

use super::error::SweepFileProblem;
use crate::limits::MAX_NAME_BYTES;

pub(super) fn check_name(key: &str, name: &str) -> Result<(), SweepFileProblem> {
    if name.trim().is_empty() || name.len() > MAX_NAME_BYTES {
        return Err(SweepFileProblem::NameLength(key.to_owned()));
    }
    Ok(())
}

pub(super) fn check_range(
    key: &'static str,
    value: u32,
    most: u32,
) -> Result<(), SweepFileProblem> {
    if value == 0 || value > most {
        return Err(SweepFileProblem::OutOfRange { key, value, most });
    }
    Ok(())
}

/// Checks a list of names; gives them as a set.
pub(super) fn check_distinct<'a>(
    key: &'static str,
    names: &'a [String],
    most: usize,
) -> Result<BTreeSet<&'a String>, SweepFileProblem> {
    let count = names.len();
    if count > most {
        return Err(SweepFileProblem::LongList { key, count, most });
    }
    let mut seen = BTreeSet::new();
    for name in names {
        check_name(key, name)?;
        if !seen.insert(name) {
            let name = name.clone();
            return Err(SweepFileProblem::Repeated { key, name });
        }
    }
    Ok(seen)
}
