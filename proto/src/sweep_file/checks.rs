//! Checks of names, numbers and lists in a sweep file.

use std::collections::BTreeSet;

use super::error::SweepFileProblem;
use super::parameter::Parameter;
use crate::limits::MAX_NAME_BYTES;

pub(super) fn check_name(key: &str, name: &str) -> Result<(), SweepFileProblem> {
    let what = || key.to_owned();
    match name.len() {
        _ if name.trim().is_empty() => Err(SweepFileProblem::Blank(what())),
        bytes if bytes > MAX_NAME_BYTES => {
            let what = what();
            Err(SweepFileProblem::NameLength { what, bytes })
        }
        _ => Ok(()),
    }
}

/// Checks a parameter that a method is given by its canonical spelling.
pub(super) fn check_parameter(what: String, value: &Parameter) -> Result<(), SweepFileProblem> {
    let canonical = value.canonical();
    check_name(&what, &canonical)?;
    let given = Parameter::of_canonical(&canonical);
    if value.is_same_as(&given) {
        return Ok(());
    }
    Err(SweepFileProblem::UnfaithfulParameter {
        what,
        value: value.to_string(),
        given: given.to_string(),
    })
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
