//! Published figures over time beside a sweep's own: Table 6 of the paper of 2019.
//!
//! Two of its columns tune error and time together, the others the error alone, and all are compared by the error at a time. A
//! sweep has them as two black boxes over one table: one with the objective, and one with two objectives, both with costs. The
//! fingerprint of a table covers its objectives, so that the two are known to be of one table by its values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use loto_proto::sweep::Blackbox;
use loto_statistics::over_cost::{common_costs, mean_gaps};
use loto_statistics::random_search::RANDOM_SEARCH_METHOD;
use loto_statistics::relative_improvement::relative_improvement;
use loto_statistics::results::{
    BestCurves, BlackboxResults, Measure, OF_AVERAGES, SeedTraces, SweepResults,
};

use super::by_task::{
    ITERATIONS, PapersTable, PublishedFigure, PublishedTasks, of_other_parameters,
};
use super::protocol::{Departure, papers_name};

/// What the paper's columns end in whose methods tune error and time together.
const BOTH: &str = "+mo";

static TABLE: LazyLock<PapersTable> = LazyLock::new(|| {
    let text = include_str!("../../published/iclr-table6.csv");
    PapersTable::read(6, PublishedFigure::RelativeImprovementOverCost, text)
});

/// The figures over cost of all black boxes of a sweep to which the published ones apply.
pub fn compare_over_cost(results: &SweepResults, planned: &[Blackbox]) -> Vec<PublishedTasks> {
    let blackboxes = results.blackboxes.iter();
    let of_error = blackboxes.filter(|blackbox| has_costs(blackbox, Measure::DistanceToMinimum));
    let compared = of_error.filter_map(|of_error| {
        let plan = plan_of(planned, of_error);
        let of_table = plan.and_then(|plan| papers_name(plan.table));
        let name = of_table.unwrap_or(&of_error.name);
        let mut others = results.blackboxes.iter();
        let of_both = others.find(|other| {
            has_costs(other, Measure::HypervolumeError)
                && other.iterations == of_error.iterations
                && values(other) == values(of_error)
        });
        let mut compared = compare(name, of_error, of_both)?;
        let plan_of_both = of_both.and_then(|of_both| plan_of(planned, of_both));
        // The baseline is the traces of random search here, whatever that of the report is.
        let departure = of_table.is_none().then_some(Departure::OtherTable);
        let mut remarks = Vec::from_iter(departure.map(|known| known.sentence().to_owned()));
        remarks.extend(compared.columns.iter().filter_map(|column| {
            let (plan, method) = match column.strip_suffix(BOTH) {
                None => (plan, column.as_str()),
                Some(method) => (plan_of_both, method),
            };
            of_other_parameters(plan, method, column)
        }));
        compared.remarks.extend(remarks);
        Some(compared)
    });
    compared.collect()
}

fn plan_of<'a>(planned: &'a [Blackbox], results: &BlackboxResults) -> Option<&'a Blackbox> {
    planned.iter().find(|known| known.name == results.name)
}

fn has_costs(blackbox: &BlackboxResults, measure: Measure) -> bool {
    let mut tasks = blackbox.tasks.iter();
    blackbox.measure() == measure && tasks.all(|task| task.mean_cost.is_some())
}

/// By task, the values of the first objective and the mean cost: what two black boxes over one table share.
fn values(blackbox: &BlackboxResults) -> BTreeMap<&str, (&[f64], Option<f64>)> {
    let tasks = blackbox.tasks.iter();
    tasks
        .map(|task| (task.name.as_str(), (&*task.objective, task.mean_cost)))
        .collect()
}

fn tasks(blackbox: &BlackboxResults) -> BTreeSet<&str> {
    let tasks = blackbox.tasks.iter();
    tasks.map(|task| task.name.as_str()).collect()
}

fn compare(
    papers_name: &str,
    of_error: &BlackboxResults,
    of_both: Option<&BlackboxResults>,
) -> Option<PublishedTasks> {
    let rows = TABLE.of_blackbox(papers_name);
    let theirs: BTreeSet<&str> = rows.iter().map(|(_, task, _)| task.as_str()).collect();
    if of_error.iterations != ITERATIONS || tasks(of_error) != theirs {
        return None;
    }
    let columns = TABLE.columns.iter().enumerate();
    let shared = columns.filter(|(_, column)| {
        let mut tasks = theirs.iter();
        tasks.any(|task| traces(of_error, of_both, column, task).is_some())
    });
    let shared: Vec<(usize, &String)> = shared.collect();
    let compared = rows.iter().map(|(_, task, published)| {
        let curves_of = |column: &str| {
            let traces = traces(of_error, of_both, column, task)?;
            Some(curves_of_first_objective(traces))
        };
        let curves = shared.iter().map(|(_, column)| curves_of(column));
        let curves: Vec<Option<BestCurves>> = curves.collect();
        let own = improvements(curves_of(RANDOM_SEARCH_METHOD), &curves);
        let own = own.unwrap_or_else(|| vec![None; shared.len()]);
        let figures = shared.iter().zip(own);
        let figures = figures.map(|(&(index, _), own)| (own, published[index]));
        (task.clone(), figures.collect())
    });
    let compared = (!shared.is_empty()).then(|| PublishedTasks {
        blackbox: of_error.name.clone(),
        table: TABLE.number,
        figure: TABLE.figure,
        columns: shared.iter().map(|(_, column)| (*column).clone()).collect(),
        tasks: compared.collect(),
        remarks: vec![format!("Columns with {BOTH} tune error and time together.")],
    })?;
    let mut figures = compared.tasks.iter().flat_map(|(_, figures)| figures);
    let has_own = figures.any(|(own, _)| own.is_some());
    has_own.then_some(compared)
}

/// The finished traces of a column of the paper's table on a task.
fn traces<'a>(
    of_error: &'a BlackboxResults,
    of_both: Option<&'a BlackboxResults>,
    column: &str,
    task: &str,
) -> Option<&'a SeedTraces> {
    let (blackbox, name) = match column.strip_suffix(BOTH) {
        None => (of_error, column.to_owned()),
        Some(id) => (of_both?, format!("{id}{OF_AVERAGES}")),
    };
    let method = blackbox.methods.iter().position(|known| *known == name)?;
    let task = blackbox.tasks.iter().find(|known| known.name == task)?;
    let traces = task.traces.get(method)?;
    (!traces.is_empty()).then_some(traces)
}

/// The best values of the first objective over cost, whatever the method saw.
fn curves_of_first_objective(traces: &SeedTraces) -> BestCurves {
    let mut curves = BestCurves::default();
    for (&seed, trace) in traces {
        curves.insert_with_costs(seed, &trace.values, &trace.costs);
    }
    curves
}

/// The relative improvements over random search in percent; `None` if there is nothing to compare.
fn improvements(
    random: Option<BestCurves>,
    methods: &[Option<BestCurves>],
) -> Option<Vec<Option<f64>>> {
    let random = random?;
    let costs = common_costs(methods.iter().flatten().chain([&random]))?;
    let best = |curves: &BestCurves| -> Option<Vec<f64>> {
        mean_gaps(curves, 0.0, &costs).into_iter().collect()
    };
    let baseline = best(&random)?;
    let of_method = |curves: &Option<BestCurves>| {
        let best = best(curves.as_ref()?)?;
        let improvement = relative_improvement(&best, &baseline, Default::default());
        improvement.mean.map(|share| 100.0 * share)
    };
    Some(methods.iter().map(of_method).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use loto_statistics::hypervolume::TaskHypervolume;
    use loto_statistics::results::{SeedTrace, TaskResults};

    use super::super::tests::planned;
    use super::*;

    const FCNET: [&str; 4] = ["naval", "parkinsons", "protein", "slice"];

    /// Methods that find a value at once, and pay so much for each evaluation.
    fn blackbox(name: &str, hypervolume: bool, methods: &[(&str, f64, f64)]) -> BlackboxResults {
        let trace = |value: f64, cost: f64| SeedTrace {
            values: vec![value; ITERATIONS],
            further_values: vec![1.0; if hypervolume { ITERATIONS } else { 0 }],
            costs: vec![cost; ITERATIONS],
            ..SeedTrace::default()
        };
        let both = TaskHypervolume::new(vec![[1.0, 2.0], [2.0, 1.0]]);
        let both = Arc::new(both);
        let task = |name: &&str| TaskResults {
            name: (*name).to_owned(),
            objective: [1.0, 2.0, 4.0].into(),
            hypervolume: hypervolume.then(|| Arc::clone(&both)),
            mean_cost: Some(1.0),
            traces: methods
                .iter()
                .map(|&(_, value, cost)| [(0, trace(value, cost))].into())
                .collect(),
        };
        BlackboxResults {
            name: name.into(),
            direction: Default::default(),
            iterations: ITERATIONS,
            methods: methods
                .iter()
                .map(|(name, ..)| (*name).to_owned())
                .collect(),
            tasks: FCNET.iter().map(task).collect(),
            arrivals: None,
            unmarked: Default::default(),
        }
    }

    #[test]
    fn error_alone_and_error_with_time_are_compared_over_one_time() {
        let of_error = blackbox("FCNET", false, &[("rs", 4.0, 1.0), ("gp", 3.0, 2.0)]);
        let of_both = blackbox("FCNET-time", true, &[("cts + MO", 1.0, 0.5)]);
        let results = SweepResults {
            name: "test".into(),
            seeds: 1,
            blackboxes: vec![of_error, of_both],
        };
        let compared = compare_over_cost(&results, &[]);
        assert_eq!(compared.len(), 1);
        let compared = &compared[0];
        assert_eq!((compared.table, compared.blackbox.as_str()), (6, "FCNET"));
        assert_eq!(compared.columns, ["cts+mo", "gp"]);
        let (task, figures) = &compared.tasks[0];
        assert_eq!(task, "naval");
        assert_eq!(figures, &[(Some(75.0), 89.5), (Some(25.0), -150.0)]);
        let remarks: Vec<&str> = compared.remarks.iter().map(String::as_str).collect();
        let of_both = "Columns with +mo tune error and time together.";
        assert_eq!(remarks, [of_both, Departure::OtherTable.sentence()]);
        // Without random search there is nothing to compare with.
        let mut alone = results.clone();
        alone.blackboxes[0].methods[0] = "box-rs".into();
        assert!(compare_over_cost(&alone, &[]).is_empty());
    }

    #[test]
    fn other_tables_and_parameters_are_told() {
        let results = SweepResults {
            name: "test".into(),
            seeds: 1,
            blackboxes: vec![
                blackbox("mine", false, &[("rs", 4.0, 1.0), ("gp", 3.0, 2.0)]),
                blackbox("mine-time", true, &[("cts + MO", 1.0, 0.5)]),
            ],
        };
        let plan = |name: &str, table: &str, method: &str| {
            let mut plan = planned(name, table, &[("kernel", "se")]);
            plan.methods[0].id = method.into();
            plan
        };
        let plans = [
            plan("mine", "DeepAR", "gp"),
            plan("mine-time", "another", "cts"),
        ];
        // The paper's table of another black box has other tasks.
        assert!(compare_over_cost(&results, &plans).is_empty());
        let mut of_paper = results.clone();
        for blackbox in &mut of_paper.blackboxes {
            let rows = TABLE.of_blackbox("DeepAR");
            let task = blackbox.tasks[0].clone();
            let named = rows.iter().map(|(_, name, _)| TaskResults {
                name: name.clone(),
                ..task.clone()
            });
            blackbox.tasks = named.collect();
        }
        let remarks = &compare_over_cost(&of_paper, &plans)[0].remarks;
        assert_eq!(
            remarks[1..],
            [
                "cts+mo has other parameters than the paper's (kernel = se).",
                "gp has other parameters than the paper's (kernel = se)."
            ]
        );
    }

    #[test]
    fn both_black_boxes_are_of_one_table_and_as_long() {
        let of_error = blackbox("FCNET", false, &[("rs", 4.0, 1.0), ("gp", 3.0, 2.0)]);
        let of_both = |name: &str| blackbox(name, true, &[("cts + MO", 1.0, 0.5)]);
        let mut of_other_table = of_both("other table");
        of_other_table.tasks[1].objective = [1.0, 2.0, 5.0].into();
        let mut of_other_costs = of_both("other costs");
        of_other_costs.tasks[1].mean_cost = Some(2.0);
        let mut shorter = of_both("shorter");
        shorter.iterations -= 1;
        let columns = |others: &[&BlackboxResults]| {
            let others = others.iter().map(|&other| other.clone());
            let results = SweepResults {
                name: "test".into(),
                seeds: 1,
                blackboxes: std::iter::once(of_error.clone()).chain(others).collect(),
            };
            compare_over_cost(&results, &[])[0].columns.clone()
        };
        let unfit = [&of_other_table, &of_other_costs, &shorter];
        assert_eq!(columns(&unfit), ["gp"]);
        let [first, second, third] = unfit;
        assert_eq!(
            columns(&[first, second, third, &of_both("FCNET-time")]),
            ["cts+mo", "gp"]
        );
    }
}
