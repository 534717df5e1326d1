//! Checks what comes in: every request is untrusted.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use loto_proto::excerpt::list;
use loto_proto::identity::SweepId;
use loto_proto::limits::{MAX_NAME_BYTES, MAX_REQUEST_NAMES};
use loto_proto::sweep::Sweep;
use loto_proto::untrusted_text::check_name;
use loto_service::wire;
use tonic::Status;

use crate::results::Selection;
use loto_statistics::random_search::Baseline;

/// The status of a request whose field is wrong.
pub(super) fn invalid(field: &str, problem: impl std::fmt::Display) -> Status {
    Status::invalid_argument(format!("field `{field}`: {problem}"))
}

/// Reads a sweep id.
pub(super) fn sweep_id(field: &str, text: &str) -> Result<SweepId, Status> {
    text.parse().map_err(|error| invalid(field, error))
}

/// Reads a list of names, each of which must be known.
pub(super) fn names(
    field: &str,
    names: Vec<String>,
    known: &BTreeSet<&str>,
) -> Result<BTreeSet<String>, Status> {
    check_length(field, names.len(), MAX_REQUEST_NAMES)?;
    for name in &names {
        if name.len() > MAX_NAME_BYTES {
            let length = name.len();
            return Err(invalid(
                field,
                format!("a name has {length} bytes, allowed are {MAX_NAME_BYTES}"),
            ));
        }
        if !known.contains(name.as_str()) {
            check_name(name).map_err(|hazard| invalid(field, hazard))?;
            return Err(invalid(
                field,
                format!(
                    "`{name}` is not part of the sweep: known are {}",
                    list(known.iter().copied())
                ),
            ));
        }
    }
    Ok(names.into_iter().collect())
}

/// Checks the length of a list.
pub(super) fn check_length(field: &str, length: usize, most: usize) -> Result<(), Status> {
    if length > most {
        return Err(invalid(
            field,
            format!("it has {length} entries, allowed are {most}"),
        ));
    }
    Ok(())
}

/// Reads a choice of black boxes and methods; absent means all.
pub(super) fn selection(
    request: Option<wire::Selection>,
    sweep: &Sweep,
) -> Result<Selection, Status> {
    let request = request.unwrap_or_default();
    let known = sweep
        .blackboxes
        .iter()
        .map(|blackbox| blackbox.name.as_str());
    let blackboxes = names("selection.blackboxes", request.blackboxes, &known.collect())?;
    let blackboxes_only = Selection {
        blackboxes,
        ..Selection::default()
    };
    let selected = sweep.blackboxes.iter();
    let selected = selected.filter(|blackbox| blackboxes_only.has_blackbox(&blackbox.name));
    let known = selected.flat_map(|blackbox| blackbox.methods.iter().map(|method| method.label()));
    let methods = names("selection.methods", request.methods, &known.collect())?;
    Ok(Selection {
        methods,
        ..blackboxes_only
    })
}

/// Reads a baseline; unspecified means exact.
pub(super) fn baseline(number: i32) -> Result<Baseline, Status> {
    match wire::Baseline::try_from(number) {
        Ok(wire::Baseline::Unspecified | wire::Baseline::Exact) => Ok(Baseline::Exact),
        Ok(wire::Baseline::ExactWithReplacement) => Ok(Baseline::ExactWithReplacement),
        Ok(wire::Baseline::Sampled) => Ok(Baseline::Sampled),
        Err(_) => Err(invalid(
            "baseline",
            format!(
                "{number} is no baseline: known are 1 (exact), 2 (exact with replacement) and 3 (sampled)"
            ),
        )),
    }
}

/// Reads an optional number and checks its range; NaN is in none.
pub(super) fn number(
    field: &str,
    number: Option<f64>,
    default: f64,
    range: RangeInclusive<f64>,
) -> Result<f64, Status> {
    let number = number.unwrap_or(default);
    if range.contains(&number) {
        return Ok(number);
    }
    let (least, most) = range.into_inner();
    Err(invalid(
        field,
        format!("{number} is out of range, allowed are {least} to {most}"),
    ))
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;

    fn message<T: std::fmt::Debug>(outcome: Result<T, Status>) -> String {
        let status = outcome.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        status.message().to_owned()
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert_eq!(number("alpha", None, 0.05, 0.001..=0.5).unwrap(), 0.05);
        assert_eq!(number("alpha", Some(0.5), 0.05, 0.001..=0.5).unwrap(), 0.5);
        for wrong in [0.0, -1.0, 0.51, f64::NAN, f64::INFINITY] {
            let message = message(number("alpha", Some(wrong), 0.05, 0.001..=0.5));
            assert!(message.starts_with("field `alpha`"), "{message}");
        }
    }

    #[test]
    fn names_must_be_known_and_few_and_short() {
        let known = BTreeSet::from(["gp", "rs"]);
        let chosen = names("methods", vec!["rs".into(), "rs".into()], &known).unwrap();
        assert_eq!(chosen, BTreeSet::from(["rs".to_string()]));
        let unknown = message(names("methods", vec!["gpp".into()], &known));
        assert!(
            unknown.contains("`gpp`") && unknown.contains("gp, rs"),
            "{unknown}"
        );
        let hazard = message(names("methods", vec!["r\u{202e}s".into()], &known));
        let told = "field `methods`: character 2 of the name is U+202E";
        assert!(hazard.starts_with(told), "{hazard}");
        // One that a store has already can be asked for.
        let stored = BTreeSet::from(["r\u{202e}s"]);
        assert!(names("methods", vec!["r\u{202e}s".into()], &stored).is_ok());
        let long = message(names("methods", vec!["x".repeat(5000)], &known));
        assert!(long.contains("5000 bytes") && long.len() < 200, "{long}");
        // The answer's status is a header, which clients refuse if it is long.
        let tasks: Vec<String> = (0..10_000).map(|n| format!("{n:0200}")).collect();
        let tasks = tasks.iter().map(String::as_str).collect();
        let unknown = message(names("tasks", vec!["x".into()], &tasks));
        assert!(unknown.len() < 1000, "{} bytes", unknown.len());
        let many = message(names("methods", vec!["rs".into(); 1001], &known));
        assert!(many.contains("1001 entries"), "{many}");
    }

    #[test]
    fn baselines_are_read_and_others_refused() {
        assert_eq!(baseline(0).unwrap(), Baseline::Exact);
        assert_eq!(baseline(3).unwrap(), Baseline::Sampled);
        assert!(message(baseline(4)).contains("baseline"));
        assert!(message(baseline(-1)).contains("baseline"));
    }
}
