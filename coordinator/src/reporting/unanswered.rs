//! What a report was asked for and cannot tell, in notes for its reader.

use loto_statistics::analysis::{AnalysisOptions, BlackboxAnalysis, RopeUnit, SweepAnalysis};
use loto_statistics::random_search::RANDOM_SEARCH_METHOD;
use loto_statistics::results::{BEST, Measure, find_method};

/// What the hierarchical test needs.
const HIERARCHICAL_NEEDS: &str =
    "it needs traces of two seeds, the same of both methods, on two tasks";

/// A note for each option and declared cost that has no effect on some or all of the black boxes; `best` is whether the best row
/// of each task was to be put beside the methods.
pub(super) fn notes(
    options: &AnalysisOptions,
    best: bool,
    analysis: &SweepAnalysis,
) -> Vec<String> {
    let rope_is_of_values = options
        .rope
        .is_some_and(|rope| rope.unit == RopeUnit::Value);
    let mut notes = Vec::new();
    if rope_is_of_values && analysis.blackboxes.len() > 1 {
        notes.push(
            "over all black boxes together it is not told which differences matter: their values have different units"
                .to_owned(),
        );
    }
    for blackbox in &analysis.blackboxes {
        let name = &blackbox.name;
        let has_two_objectives = blackbox.measure == Measure::HypervolumeError;
        if rope_is_of_values && has_two_objectives {
            notes.push(format!(
                "{name} has two objectives: the rope is a difference of the hypervolume error there"
            ));
        }
        if best && has_two_objectives {
            notes.push(format!(
                "{name} has two objectives: no row is the best, and `{BEST}` is not shown there"
            ));
        }
        notes.extend(without_costs(blackbox));
        match without_against(options, blackbox) {
            Some(note) => notes.push(note),
            None if options.hierarchical => notes.extend(without_hierarchical(blackbox)),
            None => {}
        }
    }
    notes
}

fn without_costs(blackbox: &BlackboxAnalysis) -> Option<String> {
    let over_cost = blackbox.over_cost.as_ref()?;
    let name = &blackbox.name;
    if !over_cost.is_known() {
        return Some(format!(
            "{name}: nothing is known over cost: it needs finished traces of all methods that say which rows they evaluated"
        ));
    }
    let has_random_search = over_cost
        .methods
        .iter()
        .any(|own| own.method == RANDOM_SEARCH_METHOD);
    (!has_random_search).then(|| {
        format!("{name}: there is no improvement over cost: it is over the method rs, which does not run there")
    })
}

fn without_against(options: &AnalysisOptions, blackbox: &BlackboxAnalysis) -> Option<String> {
    let wanted = options.against.as_deref()?;
    let methods = blackbox.methods.iter().map(|own| own.method.clone());
    let methods: Vec<String> = methods.collect();
    let name = &blackbox.name;
    match find_method(&methods, wanted) {
        Some(_) => None,
        None => Some(format!(
            "{name}: {wanted} does not run there: no differences to it"
        )),
    }
}

fn without_hierarchical(blackbox: &BlackboxAnalysis) -> Option<String> {
    let name = &blackbox.name;
    let Some(compared) = &blackbox.hierarchical else {
        let methods = blackbox.methods.iter();
        let needs = match methods.filter(|own| own.finished_traces > 0).count() {
            0 | 1 => "it needs finished traces of two methods",
            _ => HIERARCHICAL_NEEDS,
        };
        return Some(format!("{name}: no hierarchical test: {needs}"));
    };
    let is_compared = |method: &str| {
        let mut others = compared.methods.iter();
        method == compared.against || others.any(|other| other.method == method)
    };
    let methods = blackbox.methods.iter().map(|own| own.method.as_str());
    let left_out: Vec<&str> = methods.filter(|method| !is_compared(method)).collect();
    (!left_out.is_empty()).then(|| {
        format!(
            "{name}: the hierarchical test is without {}: {HIERARCHICAL_NEEDS}",
            left_out.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use loto_statistics::analysis::{Rope, analyse};
    use loto_statistics::hypervolume::TaskHypervolume;
    use loto_statistics::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};

    use super::*;

    /// Traces of so many seeds on two tasks; the methods evaluate the second row and then the first.
    fn blackbox(name: &str, methods: &[&str], seeds: u32) -> BlackboxResults {
        let trace = SeedTrace {
            rows: vec![1, 0],
            values: vec![2.0, 1.0],
            ..SeedTrace::default()
        };
        let traces: BTreeMap<u32, SeedTrace> =
            (0..seeds).map(|seed| (seed, trace.clone())).collect();
        let task = |name: &str| TaskResults {
            name: name.into(),
            objective: [1.0, 2.0, 3.0].into(),
            hypervolume: None,
            mean_cost: None,
            traces: methods.iter().map(|_| traces.clone()).collect(),
        };
        BlackboxResults {
            name: name.into(),
            direction: Default::default(),
            iterations: 2,
            methods: methods.iter().map(|method| (*method).to_owned()).collect(),
            tasks: vec![task("one"), task("two")],
            arrivals: None,
            unmarked: Default::default(),
        }
    }

    fn with_two_objectives(mut blackbox: BlackboxResults) -> BlackboxResults {
        for task in &mut blackbox.tasks {
            let values = vec![[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]];
            task.hypervolume = Some(Arc::new(TaskHypervolume::new(values)));
            for trace in task.traces.iter_mut().flat_map(BTreeMap::values_mut) {
                trace.further_values = vec![2.0, 3.0];
            }
        }
        blackbox
    }

    fn told(
        blackboxes: Vec<BlackboxResults>,
        options: &AnalysisOptions,
        best: bool,
    ) -> Vec<String> {
        let results = SweepResults {
            name: "test".into(),
            seeds: 2,
            blackboxes,
        };
        notes(options, best, &analyse(&results, options).unwrap())
    }

    #[test]
    fn what_has_an_effect_everywhere_is_not_noted() {
        let options = AnalysisOptions {
            against: Some("gp".into()),
            hierarchical: true,
            ..AnalysisOptions::default()
        };
        let blackboxes = vec![blackbox("A", &["rs", "gp"], 2)];
        assert!(told(blackboxes, &options, true).is_empty());
    }

    #[test]
    fn what_has_no_effect_on_a_black_box_is_noted_with_its_name() {
        let options = AnalysisOptions {
            against: Some("gp".into()),
            hierarchical: true,
            rope: Some(Rope {
                width: 0.1,
                unit: RopeUnit::Value,
            }),
            ..AnalysisOptions::default()
        };
        let blackboxes = vec![
            blackbox("one method", &["gp"], 2),
            blackbox("one seed", &["rs", "gp"], 1),
            blackbox("others", &["rs", "ts"], 2),
            with_two_objectives(blackbox("two", &["rs", "gp"], 2)),
        ];
        assert_eq!(
            told(blackboxes, &options, true),
            [
                "over all black boxes together it is not told which differences matter: their values have different units",
                "one method: no hierarchical test: it needs finished traces of two methods",
                "one seed: no hierarchical test: it needs traces of two seeds, the same of both methods, on two tasks",
                "others: gp does not run there: no differences to it",
                "two has two objectives: the rope is a difference of the hypervolume error there",
                "two has two objectives: no row is the best, and `best` is not shown there",
            ]
        );
    }
}
