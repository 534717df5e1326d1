//! Names the methods that were made for one objective where they run on the average of several.

use loto_proto::job::MethodSpec;
use loto_proto::sweep::Blackbox;
use loto_statistics::results::{Measure, OF_AVERAGES, SweepResults};

use super::selection::Naming;

/// Methods that are for two objectives, and random search, which looks at none.
const FOR_ANY: [&str; 5] = ["rs", "ehi", "sms", "emi", "sur"];

/// Adds to the names of methods on black boxes with several objectives, as far as they see the average of the transformed objectives:
/// not external methods, which see all of them. Names of the plan stay, and those that lack the mark are listed.
pub(super) fn mark<Traces>(
    results: &mut SweepResults<Traces>,
    planned: &[Blackbox],
    naming: Naming,
) {
    for blackbox in &mut results.blackboxes {
        let mut known = planned.iter().filter(|known| known.name == blackbox.name);
        let Some(known) = known.next() else { continue };
        if blackbox.measure() == Measure::DistanceToMinimum {
            continue;
        }
        for spec in known.methods.iter().filter(|spec| sees_average(spec)) {
            let label = spec.label();
            let mut names = blackbox.methods.iter_mut();
            let Some(name) = names.find(|name| *name == label) else {
                continue;
            };
            match naming {
                Naming::Reported => name.push_str(OF_AVERAGES),
                Naming::Planned => {
                    blackbox.unmarked.insert(name.clone());
                }
            }
        }
    }
}

fn sees_average(spec: &MethodSpec) -> bool {
    spec.program.is_none() && !FOR_ANY.contains(&spec.id.as_str())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use loto_proto::identity::Fingerprint;
    use loto_statistics::hypervolume::TaskHypervolume;
    use loto_statistics::results::{BlackboxResults, SeedTraces, TaskResults};

    use super::*;

    #[test]
    fn methods_for_one_objective_are_marked_where_there_are_two() {
        let spec = |name: Option<&str>, id: &str| MethodSpec {
            name: name.map(str::to_owned),
            id: id.into(),
            version: 1,
            parameters: Default::default(),
            program: None,
        };
        let methods = vec![
            spec(None, "rs"),
            spec(None, "gp"),
            spec(Some("mine"), "gcp"),
            spec(Some("theirs"), "ehi"),
        ];
        let labels: Vec<String> = methods.iter().map(|spec| spec.label().into()).collect();
        let planned = |name: &str| Blackbox {
            name: name.into(),
            table: Fingerprint([0; 16]),
            table_file: None,
            targets: Vec::new(),
            iterations: 1,
            protocol: Default::default(),
            cost: None,
            methods: methods.clone(),
        };
        let rows = vec![[0.0, 1.0], [1.0, 0.0]];
        let results = |name: &str, hypervolume: Option<Arc<TaskHypervolume>>| BlackboxResults {
            name: name.into(),
            direction: Default::default(),
            iterations: 1,
            methods: labels.clone(),
            tasks: vec![TaskResults {
                name: "one".into(),
                objective: [0.0, 1.0].into(),
                hypervolume,
                mean_cost: None,
                traces: Vec::<SeedTraces>::new(),
            }],
            arrivals: None,
            unmarked: Default::default(),
        };
        let mut all = SweepResults {
            name: "test".into(),
            seeds: 1,
            blackboxes: vec![
                results("one objective", None),
                results("two", Some(Arc::new(TaskHypervolume::new(rows)))),
            ],
        };
        let plan = [planned("one objective"), planned("two")];
        let mut as_planned = all.clone();
        mark(&mut as_planned, &plan, Naming::Planned);
        mark(&mut all, &plan, Naming::Reported);
        assert_eq!(all.blackboxes[0].methods, labels);
        let marked = ["rs", "gp + MO", "mine + MO", "theirs"];
        assert_eq!(all.blackboxes[1].methods, marked);
        assert!(all.blackboxes[1].unmarked.is_empty());
        assert!(as_planned.blackboxes[0].unmarked.is_empty());
        assert_eq!(as_planned.blackboxes[1].methods, labels);
        let unmarked = ["gp", "mine"].map(str::to_owned);
        assert_eq!(as_planned.blackboxes[1].unmarked, unmarked.into());
    }
}
