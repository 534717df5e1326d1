//! Tests of what is said of the tasks, and of scores beside the improvement.

use loto_proto::table_spec::Direction;

use super::tests::{assert_close, averages, complete, sampled};
use super::*;

#[test]
fn standard_errors_and_areas_are_those_of_numpy() {
    let analysis = analyse(&complete(), &sampled()).unwrap();
    let good = averages(&analysis, 1);
    // DTM of the seeds of good: .2 0 and .4 .2 on one task, .3 0 and .1 0 on the other.
    // numpy.sqrt(numpy.var([0, .2], ddof=1) / 2 + 0) / 2 = 0.05
    assert_close(&[good.final_adtm_standard_error.unwrap()], &[0.05]);
    // numpy.mean([.25, .05]) = 0.15
    assert_close(&[good.area_under_adtm], &[0.15]);
    let one = &analysis.blackboxes[0].tasks[0].methods[1];
    assert_close(&[one.final_dtm_standard_error.unwrap()], &[0.1]);
    assert_close(&[one.area_under_dtm.unwrap()], &[0.2]);
    assert_close(&[one.final_best.unwrap()], &[1.0]);
    // Its rank is 1 on either task.
    assert_eq!(good.average_rank_standard_error, Some(0.0));
    let mut results = complete();
    results.blackboxes[0].tasks.truncate(1);
    let analysis = analyse(&results, &sampled()).unwrap();
    let good = averages(&analysis, 1);
    assert_eq!(good.average_rank_standard_error, None);
    assert_eq!((good.over_tasks, &good.adtm_over_tasks), (None, &None));
}

#[test]
fn runs_are_counted_by_their_improvement() {
    let analysis = analyse(&complete(), &sampled()).unwrap();
    let profile = averages(&analysis, 1).performance_profile.clone().unwrap();
    // Improvements of the seeds: .8 and .35 on one task, .75 and 11/12 on the other.
    let share = |threshold: f64| {
        let mut thresholds = profile.thresholds.iter();
        profile.shares[thresholds.position(|known| *known == threshold).unwrap()]
    };
    let found = [0.34, 0.36, 0.74, 0.76, 0.82, 0.92].map(share);
    assert_eq!(found, [1.0, 0.75, 0.75, 0.5, 0.25, 0.0]);
}

#[test]
fn intervals_over_tasks_hold_the_average_and_differ_from_those_over_seeds() {
    let options = AnalysisOptions {
        bootstrap_resamples: 4000,
        ..sampled()
    };
    let analysis = analyse(&complete(), &options).unwrap();
    let good = averages(&analysis, 1);
    let over_tasks = good.over_tasks.unwrap();
    // Two tasks are drawn in four ways: (a, a), (a, b), (b, a), (b, b). So the percentiles are a = .575 and b = 5/6,
    // and the stretch is sqrt(2) * scipy.stats.t.isf(.025, 1) / scipy.stats.norm.isf(.025) = 9.16817207; 1 is the greatest.
    let (a, b) = (0.575, 2.5 / 3.0);
    let lower = (a + b) / 2.0 - 9.16817207149058 * (b - a) / 2.0;
    let found = over_tasks.improvement;
    assert!((found.lower - lower).abs() < 1e-8, "{found:?}, {lower}");
    assert_eq!(found.upper, 1.0);
    assert_ne!(Some(found), good.improvement_interval);
    // Ranked best on both tasks.
    let rank = over_tasks.average_rank;
    assert_eq!((rank.lower, rank.upper), (1.0, 1.0));
    let limits = good.adtm_over_tasks.as_ref().unwrap();
    let last = |curve: &[f64]| *curve.last().unwrap();
    let found = (last(&limits.lower), last(&limits.upper));
    let expected = over_tasks.final_adtm;
    assert_close(&[found.0, found.1], &[expected.lower, expected.upper]);

    let averages_only = AnalysisOptions {
        bands: Bands::Averages,
        ..sampled()
    };
    let analysis = analyse(&complete(), &averages_only).unwrap();
    assert_eq!(averages(&analysis, 1).adtm_over_tasks, None);
}

#[test]
fn a_maximised_objective_is_told_in_its_own_units() {
    let minimised = analyse(&complete(), &sampled()).unwrap();
    // The table has 0, 1, .. 10 still: as they are minimised, these are the negatives of 0, -1, .. -10.
    let mut results = complete();
    results.blackboxes[0].direction = Direction::Maximise;
    let maximised = analyse(&results, &sampled()).unwrap();
    assert_eq!(maximised.blackboxes[0].direction, Direction::Maximise);
    let task = &maximised.blackboxes[0].tasks[0];
    assert_eq!((task.minimum, task.maximum), (-10.0, 0.0));
    assert_eq!(task.methods[1].final_best, Some(-1.0));
    let improvement = |analysis| averages(analysis, 1).improvement;
    assert_eq!(improvement(&minimised), improvement(&maximised));
    let json = serde_json::to_value(&maximised).unwrap();
    assert_eq!(json["blackboxes"][0]["direction"], "maximise");
}
