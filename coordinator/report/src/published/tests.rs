use std::collections::BTreeMap;

use super::*;
use loto_statistics::analysis::{AnalysisOptions, analyse};
use loto_statistics::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};

/// `rs` and `own` on tasks of these names, three rows each, the best found at once.
fn analysed(name: &str, tasks: &[&str], iterations: usize) -> SweepAnalysis {
    let trace = || SeedTrace {
        rows: Vec::new(),
        values: vec![0.0; 3.min(iterations)],
        seconds: Vec::new(),
    };
    let task = |name: &&str| TaskResults {
        name: (*name).into(),
        objective: [0.0, 1.0, 2.0].into(),
        traces: vec![BTreeMap::from([(0, trace())]); 2],
    };
    let results = SweepResults {
        name: "test".into(),
        seeds: 1,
        blackboxes: vec![BlackboxResults {
            name: name.into(),
            iterations,
            methods: vec!["own".into(), "rs".into()],
            tasks: tasks.iter().map(task).collect(),
        }],
    };
    analyse(&results, &AnalysisOptions::default()).unwrap()
}

const NAS_TASKS: [&str; 3] = ["cifar100", "ImageNet16-120", "cifar10"];

#[test]
fn the_tables_are_the_papers() {
    assert_eq!(SCORES.len(), 13 * 4 + 3);
    let targets = |name: &str| TARGETS.iter().filter(|t| t.blackbox == name).count();
    let counts = ["DeepAR", "FCNET", "XGBoost", "nas_bench102"].map(targets);
    assert_eq!(counts, [10, 4, 9, 3]);
    let score = |blackbox: &str, method: &str| {
        let mut scores = SCORES.iter();
        let score = scores.find(|score| score.blackbox == blackbox && score.method == method);
        score.map(|score| (score.improvement, score.average_rank))
    };
    assert_eq!(score("FCNET", "ablr"), Some((0.11, 10.2)));
    assert_eq!(score("DeepAR", "gcp-prior"), Some((0.73, 1.7)));
    assert_eq!(score("nas_bench102", "bohb"), Some((-0.19, 14.3)));
    assert_eq!(score("DeepAR", "bohb"), None);
    // Every method has a rank on every task, so that ranks of n methods sum to n (n + 1) / 2.
    for (blackbox, methods) in [
        ("DeepAR", 13.0),
        ("FCNET", 13.0),
        ("XGBoost", 13.0),
        ("nas_bench102", 16.0),
    ] {
        let ranks = SCORES.iter().filter(|score| score.blackbox == blackbox);
        let sum: f64 = ranks.map(|score| score.average_rank).sum();
        let expected: f64 = methods * (methods + 1.0) / 2.0;
        assert!((sum - expected).abs() < 1.0, "{blackbox}: {sum}");
    }
}

#[test]
fn figures_apply_to_the_papers_black_box_and_methods_alone() {
    let compared = compare(&analysed("nas_bench102", &NAS_TASKS, 70));
    assert_eq!(compared.len(), 1);
    assert_eq!((compared[0].ranked_there, compared[0].ranked_here), (16, 2));
    let [random_search] = compared[0].methods.as_slice() else {
        panic!("{compared:?}");
    };
    assert_eq!(random_search.method, "rs");
    // At the optimum from the start, as is the other method: improvement 1, ranks 1.5.
    assert_eq!(random_search.improvement.difference(), Some(1.0));
    assert_eq!(random_search.average_rank.own, Some(1.5));
    assert_eq!(random_search.average_rank.published, 12.0);
    // Ranks among two methods and among sixteen have no difference.
    assert_eq!(compared[0].rank_difference(random_search), None);
    let same = PublishedBlackbox {
        same_methods: true,
        ..compared[0].clone()
    };
    assert_eq!(same.rank_difference(random_search), Some(-10.5));

    assert_eq!(compare(&analysed("NAS", &NAS_TASKS, 70)), []);
    assert_eq!(compare(&analysed("nas_bench102", &NAS_TASKS[1..], 70)), []);
    assert_eq!(compare(&analysed("nas_bench102", &NAS_TASKS, 69)), []);
}
