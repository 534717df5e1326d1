//! Puts recorded traces beside the results of a sweep.

use std::collections::{BTreeMap, BTreeSet};

use loto_report::numbers;
use loto_statistics::results::SweepResults;

use super::assemble::ScoredTraces;

/// Adds recorded traces, which were checked against the same sweep, to its results; `file` is the name of the
/// recording. An optimizer with the name of a method of the sweep gets that of the file behind its own.
///
/// Returns what readers must know, one sentence each.
pub fn join(results: &mut SweepResults, recorded: ScoredTraces, file: &str) -> Vec<String> {
    let ScoredTraces {
        results: recorded,
        notes: of_recording,
    } = recorded;
    let names = free_names(&recorded, file, results);
    for blackbox in recorded.blackboxes {
        let mut own = results.blackboxes.iter_mut();
        let Some(own) = own.find(|own| own.name == blackbox.name) else {
            // Recordings are checked against the same sweep, so that there is one.
            continue;
        };
        let methods = blackbox.methods.iter();
        own.methods
            .extend(methods.map(|method| names[method].clone()));
        for (own, recorded) in own.tasks.iter_mut().zip(blackbox.tasks) {
            own.traces.extend(recorded.traces);
        }
    }
    let (seeds, planned) = (recorded.seeds, results.seeds);
    results.seeds = seeds.max(planned);
    let listed = names.into_values().collect::<Vec<_>>().join(", ");
    let mut notes = vec![format!(
        "The traces of {listed} were recorded elsewhere ({file}) and checked against the tables."
    )];
    if seeds > planned {
        notes.push(format!(
            "{file} has {}, and the sweep plans {}: what its own methods lack of them is listed as missing.",
            numbers::count(seeds.into(), "seed"),
            numbers::grouped(planned.into()),
        ));
    }
    let of_file = |note: String| format!("{file}: {note}");
    notes.extend(of_recording.into_iter().map(of_file));
    notes
}

/// The name of each recorded method: its own, or that of the file behind it if it is taken, and a number if this is taken, too.
fn free_names(
    recorded: &SweepResults,
    file: &str,
    results: &SweepResults,
) -> BTreeMap<String, String> {
    let methods = |results: &SweepResults| -> BTreeSet<String> {
        let blackboxes = results.blackboxes.iter();
        let methods = blackboxes.flat_map(|blackbox| blackbox.methods.iter().cloned());
        methods.collect()
    };
    let (own, recorded) = (methods(results), methods(recorded));
    let mut taken: BTreeSet<String> = own.union(&recorded).cloned().collect();
    let mut names = BTreeMap::new();
    for method in recorded {
        let mut name = method.clone();
        let mut number = 1;
        while own.contains(&method) && taken.contains(&name) {
            name = match number {
                1 => format!("{method} ({file})"),
                _ => format!("{method} ({file}, {number})"),
            };
            number += 1;
        }
        taken.insert(name.clone());
        names.insert(method, name);
    }
    names
}
