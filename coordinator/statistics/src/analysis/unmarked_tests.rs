//! Tests of methods that reports call otherwise.

use super::tests::{complete, sampled};
use super::*;
use crate::results::{OF_AVERAGES, SeedTrace};

#[test]
fn the_same_traces_have_the_same_limits_under_names_with_and_without_the_mark() {
    // Seeds that differ, so that the limits depend on the draws.
    let mut planned = complete();
    for blackbox in &mut planned.blackboxes {
        for task in &mut blackbox.tasks {
            let trace = |seed: u32| SeedTrace {
                values: vec![9.0 - f64::from(seed * seed) / 3.0; 2],
                ..SeedTrace::default()
            };
            task.traces[2] = (0..5).map(|seed| (seed, trace(seed))).collect();
        }
    }
    planned.seeds = 5;
    let mut reported = planned.clone();
    for blackbox in &mut planned.blackboxes {
        blackbox.unmarked.insert("bad".into());
    }
    for blackbox in &mut reported.blackboxes {
        blackbox.methods[2] += OF_AVERAGES;
    }
    let options = AnalysisOptions {
        hierarchical: true,
        bands: Bands::All,
        ..sampled()
    };
    let [planned, reported] = [planned, reported]
        .map(|results| analyse(&results, &options).unwrap().blackboxes.remove(0));
    let [of_planned, of_reported] = [&planned, &reported].map(|blackbox| &blackbox.methods[2]);
    assert_eq!(
        (of_planned.method.as_str(), of_reported.method.as_str()),
        ("bad", "bad + MO")
    );
    assert!(of_planned.averages.as_ref().unwrap().adtm.lower[0] > 0.0);
    assert_eq!(of_planned.averages, of_reported.averages);
    for (planned, reported) in planned.tasks.iter().zip(&reported.tasks) {
        let [planned, reported] = [planned, reported].map(|task| task.methods[2].clone());
        assert_eq!(planned.dtm, reported.dtm);
        assert_eq!(planned.improvement_interval, reported.improvement_interval);
        assert_eq!(planned.difference, reported.difference);
    }
    let [planned, reported] =
        [planned, reported].map(|blackbox| blackbox.hierarchical.unwrap().methods);
    let outcomes = |methods: &[HierarchicalMethod]| -> Vec<_> {
        methods.iter().map(|method| method.at.clone()).collect()
    };
    assert_eq!(outcomes(&planned), outcomes(&reported));
}
