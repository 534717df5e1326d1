use std::collections::BTreeMap;

use super::*;
use loto_proto::job::MethodSpec;
use loto_statistics::analysis::{AnalysisOptions, analyse};
use loto_statistics::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};

/// `rs` and `own` on tasks of these names, three rows each, the best found at once.
pub(super) fn analysed(name: &str, tasks: &[&str], iterations: usize) -> SweepAnalysis {
    let trace = || SeedTrace {
        values: vec![0.0; 3.min(iterations)],
        ..SeedTrace::default()
    };
    let task = |name: &&str| TaskResults {
        name: (*name).into(),
        objective: [0.0, 1.0, 2.0].into(),
        hypervolume: None,
        mean_cost: None,
        traces: vec![BTreeMap::from([(0, trace())]); 2],
    };
    let results = SweepResults {
        name: "test".into(),
        seeds: 1,
        blackboxes: vec![BlackboxResults {
            name: name.into(),
            direction: Default::default(),
            iterations,
            methods: vec!["own".into(), "rs".into()],
            tasks: tasks.iter().map(task).collect(),
            arrivals: None,
            unmarked: Default::default(),
        }],
    };
    analyse(&results, &AnalysisOptions::default()).unwrap()
}

const NAS_TASKS: [&str; 3] = ["cifar100", "ImageNet16-120", "cifar10"];

/// A black box of that name on a table of the paper, whose `rs` has these parameters.
pub(super) fn planned(name: &str, papers_name: &str, parameters: &[(&str, &str)]) -> Blackbox {
    let table = match papers_name {
        "nas_bench102" => "4c4de9790b6b38cec373d6e108706675",
        "DeepAR" => "aa845bb9e229d46b9c1611774a837a68",
        "XGBoost" => "c91556284ed5c04890e1f6c9b95cfc4e",
        _ => "00000000000000000000000000000000",
    };
    let parameter = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    Blackbox {
        name: name.into(),
        table: table.parse().unwrap(),
        table_file: None,
        targets: Vec::new(),
        iterations: 70,
        protocol: Default::default(),
        cost: None,
        methods: vec![MethodSpec {
            name: None,
            id: "rs".into(),
            version: 1,
            parameters: parameters.iter().map(parameter).collect(),
            program: None,
        }],
    }
}

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
    let nas = [planned("nas_bench102", "nas_bench102", &[])];
    let compared = compare(&analysed("nas_bench102", &NAS_TASKS, 70), &nas);
    assert_eq!(compared.len(), 1);
    assert_eq!((compared[0].ranked_there, compared[0].ranked_here), (16, 2));
    let [random_search] = compared[0].methods.as_slice() else {
        panic!("{compared:?}");
    };
    assert_eq!(random_search.method, "rs");
    // At the optimum from the start, as is the other method: improvement 1, ranks 1.5.
    assert_eq!(compared[0].improvement_difference(random_search), Some(1.0));
    assert_eq!(random_search.average_rank.own, Some(1.5));
    assert_eq!(random_search.average_rank.published, 12.0);
    // Ranks among two methods and among sixteen have no difference.
    assert_eq!(compared[0].rank_difference(random_search), None);
    let same = PublishedBlackbox {
        same_methods: true,
        ..compared[0].clone()
    };
    assert_eq!(same.rank_difference(random_search), Some(-10.5));

    assert_eq!(compare(&analysed("NAS", &NAS_TASKS, 70), &[]), []);
    for (tasks, iterations) in [(&NAS_TASKS[1..], 70), (&NAS_TASKS[..], 69)] {
        let analysis = analysed("nas_bench102", tasks, iterations);
        assert_eq!(compare(&analysis, &nas), []);
    }
}

#[test]
fn the_papers_table_goes_by_its_fingerprint_and_not_by_its_name() {
    let analysis = analysed("my box", &NAS_TASKS, 70);
    let renamed = compare(&analysis, &[planned("my box", "nas_bench102", &[])]);
    assert_eq!(renamed[0].departures, []);
    assert_eq!(
        renamed[0].improvement_difference(&renamed[0].methods[0]),
        Some(1.0)
    );

    let analysis = analysed("nas_bench102", &NAS_TASKS, 70);
    for planned in [vec![planned("nas_bench102", "another", &[])], Vec::new()] {
        let other = compare(&analysis, &planned);
        assert_eq!(other[0].departures, [Departure::OtherTable]);
        assert_eq!(other[0].methods[0].improvement.published, 0.0);
        assert_eq!(other[0].improvement_difference(&other[0].methods[0]), None);
        assert_eq!(other[0].sentences().len(), 1);
    }
    // No public table is the paper's of FCNET.
    assert!(TARGETS.iter().any(|target| target.blackbox == "FCNET"));
    let fcnet = "d609fb584c69e5db7546cad99913d0fc".parse().unwrap();
    assert_eq!(papers_name(fcnet), None);
}

#[test]
fn other_parameters_and_baselines_have_no_difference() {
    let analysis = analysed("nas_bench102", &NAS_TASKS, 70);
    let compared = |parameters: &[(&str, &str)]| {
        compare(
            &analysis,
            &[planned("nas_bench102", "nas_bench102", parameters)],
        )
        .remove(0)
    };
    let changed = compared(&[("bandwidth", "0.1")]);
    assert_eq!(changed.improvement_difference(&changed.methods[0]), None);
    let sentence = "rs has other parameters than its published figures (bandwidth = 0.1)";
    assert!(changed.sentences()[0].starts_with(sentence));
    let papers = compared(&[("hyperprior", "none")]);
    assert_eq!(papers.improvement_difference(&papers.methods[0]), Some(1.0));

    let mut analysis = analysis.clone();
    analysis.baseline = Baseline::ExactWithReplacement;
    let compared = compare(&analysis, &[planned("nas_bench102", "nas_bench102", &[])]);
    assert_eq!(compared[0].departures, [Departure::OtherBaseline]);
    assert_eq!(
        compared[0].improvement_difference(&compared[0].methods[0]),
        None
    );
}

#[test]
fn a_variant_does_not_make_the_method_it_varies_depart_from_the_paper() {
    let mut blackbox = planned("nas_bench102", "nas_bench102", &[]);
    let wide = ("bandwidth".to_owned(), "0.5".to_owned());
    blackbox.methods.push(MethodSpec {
        name: Some("rs-wide".into()),
        id: "rs".into(),
        version: 1,
        parameters: [wide].into(),
        program: None,
    });
    let others = |name: &str| protocol::other_parameters(Some(&blackbox), name);
    assert!(others("rs").is_empty());
    assert_eq!(others("rs-wide"), ["bandwidth = 0.5"]);
}
