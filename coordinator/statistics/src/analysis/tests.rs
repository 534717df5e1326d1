use std::collections::BTreeMap;

use super::*;
use crate::random_search::Baseline;
use crate::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};

/// Part of the expected message, and what is to cause it.
type Change<Input> = (&'static str, fn(&mut Input));

fn trace(values: &[f64]) -> SeedTrace {
    SeedTrace {
        values: values.to_vec(),
        ..SeedTrace::default()
    }
}

/// A task with the objective values 0, 1, .. 10 and traces by method, seeds counted from 0.
fn task(name: &str, traces: &[&[&[f64]]]) -> TaskResults {
    let by_seed = |traces: &&[&[f64]]| {
        let numbered = (0..).zip(traces.iter());
        numbered
            .map(|(seed, values)| (seed, trace(values)))
            .collect()
    };
    TaskResults {
        name: name.into(),
        objective: (0..=10).map(f64::from).collect(),
        hypervolume: None,
        mean_cost: None,
        traces: traces.iter().map(by_seed).collect(),
    }
}

fn sweep(methods: &[&str], seeds: u32, tasks: Vec<TaskResults>) -> SweepResults {
    SweepResults {
        name: "test".into(),
        seeds,
        blackboxes: vec![BlackboxResults {
            name: "A".into(),
            direction: Default::default(),
            iterations: 2,
            methods: methods.iter().map(|&method| method.into()).collect(),
            tasks,
            arrivals: None,
            unmarked: Default::default(),
        }],
    }
}

/// Methods `rs`, `good` and `bad` on two tasks with two seeds each.
pub(super) fn complete() -> SweepResults {
    let tasks = vec![
        task(
            "one",
            &[
                &[&[6.0, 4.0], &[4.0, 8.0]],
                &[&[2.0, 0.0], &[4.0, 2.0]],
                &[&[9.0, 8.0], &[9.0, 6.0]],
            ],
        ),
        task(
            "two",
            &[
                &[&[5.0, 3.0], &[7.0, 1.0]],
                &[&[3.0, 0.0], &[1.0, 0.0]],
                &[&[8.0, 9.0], &[8.0, 8.0]],
            ],
        ),
    ];
    sweep(&["rs", "good", "bad"], 2, tasks)
}

pub(super) fn sampled() -> AnalysisOptions {
    AnalysisOptions {
        baseline: Baseline::Sampled,
        bootstrap_resamples: 200,
        ..AnalysisOptions::default()
    }
}

pub(super) fn averages(analysis: &SweepAnalysis, method: usize) -> &MethodAverages {
    analysis.blackboxes[0].methods[method]
        .averages
        .as_ref()
        .unwrap()
}

pub(super) fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (left, right) in found.iter().zip(expected) {
        assert!(
            (left - right).abs() < 1e-14,
            "{found:?}, expected {expected:?}"
        );
    }
}

#[test]
fn averages_of_a_complete_sweep_are_those_computed_by_hand() {
    let analysis = analyse(&complete(), &sampled()).unwrap();
    // DTM: rs .5 .4 and .6 .2; good .3 .1 and .2 0; bad .9 .7 and .8 .8
    let good = averages(&analysis, 1);
    assert_close(&good.adtm.mean, &[0.25, 0.05]);
    assert_close(&[good.final_adtm], &[0.05]);
    let one = (0.2 / 0.5 + 0.3 / 0.4) / 2.0;
    let two = (0.4 / 0.6 + 0.2 / 0.2) / 2.0;
    assert_close(&[good.improvement], &[(one + two) / 2.0]);
    assert_close(
        &[good.average_rank, averages(&analysis, 2).average_rank],
        &[1.0, 3.0],
    );
    assert_close(&good.average_rank_at, &[1.0, 1.0]);
    assert_close(&good.by_iteration["unsolved_fraction"], &[1.0, 0.25]);
    // The minimum is 0, so the mean best is DTM times 10 and the ICLR improvement is the ICML one.
    assert_close(
        &[good.relative_improvement.mean.unwrap()],
        &[(one + two) / 2.0],
    );
    assert!(good.relative_improvement.at.is_empty());
    assert_close(&[averages(&analysis, 0).improvement], &[0.0]);
    assert_eq!(
        (analysis.planned_traces, analysis.finished_traces),
        (12, 12)
    );
    assert!(analysis.missing.is_empty() && !analysis.unbalanced);

    let comparison = analysis.blackboxes[0].comparison.computed().unwrap();
    assert_eq!(comparison.average_ranks, [2.0, 1.0, 3.0]);
    assert!((comparison.friedman.plain.chi_square - 4.0).abs() < 1e-12);
    assert_eq!(comparison.wilcoxon.len(), 3);
    let pair = &comparison.wilcoxon[0];
    assert_eq!(
        (pair.first, pair.second, pair.wins, pair.losses),
        (0, 1, 0, 2)
    );
    assert_eq!(analysis.comparison, analysis.blackboxes[0].comparison);
}

#[test]
fn the_exact_baseline_is_the_expectation_over_the_table() {
    let analysis = analyse(&complete(), &AnalysisOptions::default()).unwrap();
    let baseline = analysis.blackboxes[0].tasks[0].baseline.as_ref().unwrap();
    // Mean of 0..10, and of the lesser of two different ones: (11 + 1) / 3 - 1.
    assert_close(&baseline.best, &[5.0, 3.0]);
    assert_close(baseline.dtm.as_ref().unwrap(), &[0.5, 0.3]);
}

#[test]
fn bands_enclose_the_mean_and_another_method_does_not_move_them() {
    let analysis = analyse(&complete(), &sampled()).unwrap();
    let band = &averages(&analysis, 1).adtm;
    for ((mean, lower), upper) in band.mean.iter().zip(&band.lower).zip(&band.upper) {
        assert!(lower < mean && mean < upper, "{lower} {mean} {upper}");
    }
    let task_band = analysis.blackboxes[0].tasks[0].methods[1]
        .dtm
        .as_ref()
        .unwrap();
    // Two seeds say next to nothing: .1, stretched by 1.4 and 12.7 / 1.96, reaches as far as DTM can be.
    assert_close(&[task_band.lower[0], task_band.upper[0]], &[0.0, 1.0]);

    let mut fewer = complete();
    fewer.blackboxes[0].methods.pop();
    for task in &mut fewer.blackboxes[0].tasks {
        task.traces.pop();
    }
    let fewer = analyse(&fewer, &sampled()).unwrap();
    assert_eq!(&averages(&fewer, 1).adtm, band);
}

#[test]
fn missing_seeds_are_counted_and_unequal_seed_sets_are_told() {
    let mut results = complete();
    results.blackboxes[0].tasks[1].traces[2].remove(&0);
    let analysis = analyse(&results, &sampled()).unwrap();
    assert_eq!(
        analysis.missing,
        [MissingSeeds {
            blackbox: "A".into(),
            task: "two".into(),
            method: "bad".into(),
            finished: 1,
            planned: 2,
        }]
    );
    assert!(analysis.unbalanced && analysis.blackboxes[0].unbalanced);
    assert!(!analysis.blackboxes[0].tasks[0].unbalanced);
    assert!(analysis.comparison.computed().unwrap().unbalanced);
    assert_eq!(analysis.finished_traces, 11);
}

#[test]
fn a_task_without_traces_of_a_method_is_excluded_by_name() {
    let mut results = complete();
    results.blackboxes[0].tasks[1].traces[2].clear();
    let analysis = analyse(&results, &sampled()).unwrap();
    let blackbox = &analysis.blackboxes[0];
    let reason = ExclusionReason::NoTrace {
        methods: vec!["bad".into()],
    };
    assert_eq!(
        blackbox.excluded_tasks,
        [ExcludedTask {
            task: "two".into(),
            reason
        }]
    );
    assert_eq!(blackbox.averaged_tasks, 1);
    assert_close(&averages(&analysis, 1).adtm.mean, &[0.3, 0.1]);
    assert_eq!(blackbox.tasks[1].methods[1].rank, None);
    assert!(blackbox.tasks[1].methods[1].improvement.is_some());
    let ComparisonOutcome::Impossible { reason } = &blackbox.comparison else {
        panic!("compared over one task");
    };
    assert!(reason.contains("there are 1 of 2"), "{reason}");
}

#[test]
fn a_method_that_has_not_begun_excludes_nothing_but_itself() {
    let mut results = complete();
    for task in &mut results.blackboxes[0].tasks {
        task.traces[2].clear();
    }
    let analysis = analyse(&results, &sampled()).unwrap();
    let blackbox = &analysis.blackboxes[0];
    assert_eq!(blackbox.absent_methods, ["bad"]);
    assert!(blackbox.excluded_tasks.is_empty());
    assert_eq!(blackbox.methods[2].averages, None);
    assert_close(&[averages(&analysis, 0).average_rank], &[2.0]);
    let comparison = analysis.comparison.computed().unwrap();
    assert_eq!(comparison.methods, ["rs", "good"]);
    assert_eq!(comparison.excluded_methods, ["bad"]);
    assert_eq!(analysis.missing.len(), 2);
}

#[test]
fn nothing_finished_is_an_analysis_too() {
    let mut results = complete();
    for task in &mut results.blackboxes[0].tasks {
        task.traces.iter_mut().for_each(BTreeMap::clear);
    }
    let analysis = analyse(&results, &sampled()).unwrap();
    assert_eq!(analysis.missing.len(), 6);
    assert_eq!(analysis.comparison.computed(), None);
    let blackbox = &analysis.blackboxes[0];
    assert_eq!(
        blackbox.excluded_tasks[0].reason,
        ExclusionReason::NoBaseline
    );
    let empty = SweepResults {
        name: "empty".into(),
        seeds: 0,
        blackboxes: Vec::new(),
    };
    assert!(
        analyse(&empty, &sampled())
            .unwrap()
            .comparison
            .computed()
            .is_none()
    );
}

#[test]
fn undefined_scores_are_left_out_with_their_reason_and_counted() {
    let mut results = complete();
    let tasks = &mut results.blackboxes[0].tasks;
    tasks[0].objective = [4.0; 11].into();
    // The baseline finds the optimum of the second task with its second draw.
    for seed in tasks[1].traces[0].values_mut() {
        seed.values = vec![5.0, 0.0];
    }
    let analysis = analyse(&results, &sampled()).unwrap();
    let blackbox = &analysis.blackboxes[0];
    assert_eq!(
        blackbox.excluded_tasks[0].reason,
        ExclusionReason::ConstantObjective
    );
    assert_eq!(blackbox.tasks[0].methods[0].dtm, None);
    assert_eq!(averages(&analysis, 1).improvement_terms_left_out, 1);
    assert_eq!(
        averages(&analysis, 1).relative_improvement.terms_left_out,
        1
    );
    assert_close(&[averages(&analysis, 1).improvement], &[(0.5 - 0.2) / 0.5]);

    for seed in results.blackboxes[0].tasks[1].traces[0].values_mut() {
        seed.values = vec![0.0, 7.0];
    }
    let analysis = analyse(&results, &sampled()).unwrap();
    let reason = &analysis.blackboxes[0].excluded_tasks[1].reason;
    assert_eq!(*reason, ExclusionReason::BaselineAlwaysOptimal);
}

#[test]
fn methods_of_one_blackbox_only_are_left_out_of_the_overall_comparison() {
    let mut results = complete();
    let mut second = results.blackboxes[0].clone();
    second.name = "B".into();
    second.methods[2] = "rea".into();
    results.blackboxes.push(second);
    let analysis = analyse(&results, &sampled()).unwrap();
    let comparison = analysis.comparison.computed().unwrap();
    assert_eq!(comparison.methods, ["rs", "good"]);
    assert_eq!(comparison.excluded_methods, ["bad", "rea"]);
    assert_eq!(comparison.tasks.len(), 4);
    assert_eq!(comparison.tasks[2].blackbox, "B");
}

#[test]
fn evaluations_without_a_usable_value_keep_the_best_so_far() {
    let mut results = complete();
    let seed = results.blackboxes[0].tasks[0].traces[1]
        .get_mut(&0)
        .unwrap();
    seed.values[1] = f64::INFINITY;
    let analysis = analyse(&results, &sampled()).unwrap();
    let dtm = analysis.blackboxes[0].tasks[0].methods[1]
        .dtm
        .as_ref()
        .unwrap();
    assert_close(&dtm.mean, &[0.3, 0.2]);
}

#[test]
fn results_that_contradict_their_plan_are_refused() {
    let changes: [Change<SweepResults>; 9] = [
        ("1 iterations instead of 2", |results| {
            first_trace(results).values.pop();
        }),
        ("iteration 2 has the value NaN", |results| {
            first_trace(results).values[1] = f64::NAN
        }),
        ("iteration 1 has the value inf", |results| {
            first_trace(results).values[0] = f64::INFINITY
        }),
        ("task one, method rs, seed 7", |results| {
            let extra = first_trace(results).clone();
            results.blackboxes[0].tasks[0].traces[0].insert(7, extra);
        }),
        ("no row", |results| {
            results.blackboxes[0].tasks[0].objective = [].into()
        }),
        ("ascending", |results| {
            results.blackboxes[0].tasks[0].objective = [2.0, 1.0].into()
        }),
        ("2 methods, 3 are planned", |results| {
            results.blackboxes[0].tasks[0].traces.pop();
        }),
        ("method rs is listed twice", |results| {
            results.blackboxes[0].methods[2] = "rs".into()
        }),
        ("no iteration", |results| {
            results.blackboxes[0].iterations = 0
        }),
    ];
    for (expected, change) in changes {
        let mut results = complete();
        change(&mut results);
        let error = analyse(&results, &sampled()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

fn first_trace(results: &mut SweepResults) -> &mut SeedTrace {
    results.blackboxes[0].tasks[0].traces[0]
        .get_mut(&0)
        .unwrap()
}

#[test]
fn options_out_of_range_are_refused_by_name() {
    let changes: [Change<AnalysisOptions>; 4] = [
        ("resamples", |options| options.bootstrap_resamples = 0),
        ("resamples", |options| {
            options.bootstrap_resamples = usize::MAX
        }),
        ("confidence", |options| options.confidence = 1.0),
        ("significance", |options| options.significance = f64::NAN),
    ];
    for (expected, change) in changes {
        let mut options = sampled();
        change(&mut options);
        let error = analyse(&complete(), &options).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let mut results = complete();
    results.blackboxes[0].methods[0] = "gp".into();
    let error = analyse(&results, &sampled()).unwrap_err().to_string();
    assert!(error.contains("A has no method rs"), "{error}");
}

#[test]
fn the_analysis_repeats_and_becomes_json() {
    let analysis = analyse(&complete(), &sampled()).unwrap();
    assert_eq!(analysis, analyse(&complete(), &sampled()).unwrap());
    let json = serde_json::to_value(&analysis).unwrap();
    assert_eq!(json["baseline"], "sampled");
    let comparison = &json["blackboxes"][0]["comparison"];
    assert_eq!(comparison["status"], "computed");
    // All tasks rank the methods alike: F is infinite, which JSON cannot tell.
    assert!(comparison["friedman"]["plain"]["iman_davenport"].is_null());
}

#[test]
fn the_best_row_of_each_task_is_ahead_of_all_or_tied() {
    let mut results = complete();
    assert!(results.add_best());
    assert!(!results.add_best(), "the name is taken");
    let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    let blackbox = &analysis.blackboxes[0];
    let best = blackbox
        .methods
        .iter()
        .find(|method| method.method == "best");
    let averages = best.unwrap().averages.as_ref().unwrap();
    assert_eq!(averages.adtm.mean, [0.0, 0.0]);
    assert_eq!(averages.improvement, 1.0);
    assert_eq!(averages.by_iteration["unsolved_fraction"], [0.0, 0.0]);
    assert_eq!(averages.average_rank, 1.0);
}
