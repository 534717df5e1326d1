use std::collections::BTreeSet;
use std::fs;

use loto_proto::table_spec::Direction;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::{destination, hpob};
use super::Folder;

const TEST: &str = r#"{"5971": {"31": {"X": [[0.0, 1.0], [0.5, 0.25], [1, 0]], "y": [[0.5], [0.875], [0.25]]},
 "37": {"X": [[0.125, 1e-7], [0.5, 0.25]], "y": [[0.5], [0.75]]}},
 "6767": {"31": {"X": [[0.5], [0.25]], "y": [[0.1], [0.2]]}}}"#;
const TRAIN: &str = r#"{"5971": {"3": {"X": [[0, 0], [1, 1]], "y": [[0.5], [0.5]]}, "7": {"X": [[0, 0], [0, 1]], "y": [[1], [0]]}},
 "6767": {"3": {"X": [[0.5], [1]], "y": [[0.3], [0.2]]}}, "9999": {"3": {"X": "not read", "y": []}}}"#;
const INITIAL: &str = r#"{"5971": {"31": {"test1": [2], "test0": [0, 1]}, "37": {"test0": [1]}}}"#;

impl Folder {
    fn hpob(test: &str, train: &str) -> Self {
        Self::new(&[
            ("meta-test-dataset.json", test),
            ("meta-train-dataset.json", train),
            ("bo-initializations.json", INITIAL),
        ])
    }

    fn import_hpob(&self, spaces: &[&str]) -> Result<destination::Imported, String> {
        let spaces: Vec<String> = spaces.iter().map(|name| (*name).to_owned()).collect();
        let imported = hpob::import(&self.path("data"), &spaces, &self.path("out"));
        imported.map_err(|error| error.to_string())
    }
}

/// The sources and the targets of each black box.
fn splits(imported: &destination::Imported) -> Vec<(String, Vec<String>, Vec<String>)> {
    let plan = &imported.plan;
    let split = |blackbox: &loto_proto::sweep::Blackbox| {
        let sources = &plan.table(blackbox.table).unwrap().table.sources.named;
        let sources = sources.iter().cloned().collect();
        (blackbox.name.clone(), sources, blackbox.targets.clone())
    };
    plan.sweep.blackboxes.iter().map(split).collect()
}

#[test]
fn search_spaces_of_hpob_become_tables_with_fixed_sources() {
    let folder = Folder::hpob(TEST, TRAIN);
    let imported = folder.import_hpob(&[]).unwrap();
    let owned = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        splits(&imported),
        [
            ("5971".to_owned(), owned(&["3", "7"]), owned(&["31", "37"])),
            ("6767".to_owned(), owned(&["3"]), owned(&["31"])),
        ]
    );
    let plan = &imported.plan;
    assert_eq!(
        (plan.sweep.seeds, plan.sweep.blackboxes[0].iterations),
        (5, 2)
    );
    let table = &plan.tables[0].table;
    assert_eq!(table.direction, Direction::Maximise);
    assert_eq!(table.task("31").unwrap().objective, [-0.5, -0.875, -0.25]);
    let out = folder.path("out");
    let initial = fs::read_to_string(out.join("5971-initial.csv")).unwrap();
    assert_eq!(initial, "task,seed,row\n31,0,0\n31,0,1\n31,1,2\n37,0,1\n");
    // The same data give the same table.
    let other = Folder::hpob(TEST, TRAIN);
    let again = other.import_hpob(&["5971"]).unwrap();
    assert_eq!(again.plan.sweep.blackboxes.len(), 1);
    assert_eq!(
        again.plan.sweep.blackboxes[0].table,
        plan.sweep.blackboxes[0].table
    );
}

#[test]
fn data_sets_of_one_configuration_are_left_out_and_told() {
    let test = TEST.replace(
        "\"37\": {",
        "\"41\": {\"X\": [[0, 1]], \"y\": [[1]]}, \"37\": {",
    );
    assert_ne!(test, TEST);
    let train = TRAIN.replace(
        "[[0, 0], [0, 1]], \"y\": [[1], [0]]",
        "[[0, 0], [0, 0]], \"y\": [[1], [0]]",
    );
    assert_ne!(train, TRAIN);
    let folder = Folder::hpob(&test, &train);
    let imported = folder.import_hpob(&[]).unwrap();
    assert_eq!(splits(&imported)[0].1, ["3"]);
    let names = imported.plan.tables[0]
        .table
        .tasks
        .iter()
        .map(|task| &task.name);
    assert_eq!(names.collect::<Vec<_>>(), ["31", "37", "3"]);
    assert_eq!(
        imported.notes,
        ["A data set needs two configurations or more; this left out 2 data sets."]
    );
    let train = TRAIN.replace(
        "[[0.5], [1]], \"y\": [[0.3], [0.2]]",
        "[[0.5]], \"y\": [[0.3]]",
    );
    let folder = Folder::hpob(TEST, &train);
    let message = folder.import_hpob(&[]).unwrap_err();
    assert!(
        message.contains("search space 6767: there is no data set of it with two configurations or more in the training data"),
        "{message}"
    );
    assert!(folder.made().is_empty());
}

#[test]
fn first_evaluations_are_used_where_each_target_and_seed_has_some() {
    let seeds = |positions: &str| {
        let seed = |number| format!("\"test{number}\": {positions}");
        (0..5).map(seed).collect::<Vec<_>>().join(", ")
    };
    let text =
        |one: &str, other: &str| format!(r#"{{"5971": {{"31": {{{one}}}, "37": {{{other}}}}}}}"#);
    let sweep_of = |initial: &str| {
        let folder = Folder::hpob(TEST, TRAIN);
        fs::write(folder.path("data").join("bo-initializations.json"), initial).unwrap();
        let imported = folder.import_hpob(&["5971"]).unwrap();
        let given = imported.plan.tables[0].table.initial.rows("31", 4).to_vec();
        let file = fs::read_dir(folder.path("out")).unwrap();
        let names = file.map(|entry| entry.unwrap().path());
        let sweep = names
            .into_iter()
            .find(|path| path.extension().is_some_and(|end| end == "toml"));
        (given, fs::read_to_string(sweep.unwrap()).unwrap())
    };
    let (given, sweep) = sweep_of(&text(&seeds("[2]"), &seeds("[1]")));
    assert_eq!(given, [2]);
    assert!(
        sweep.contains("\ninitial = \"5971-initial.csv\"\n"),
        "{sweep}"
    );
    // Without a seed, with nothing for a seed, with as many as there are rows, without a target.
    let lacking = seeds("[1]").replace(r#", "test4": [1]"#, "");
    for other in [
        lacking,
        seeds("[1]").replace("[1], \"test1", "[], \"test1"),
        seeds("[0, 1]"),
        String::new(),
    ] {
        let (given, sweep) = sweep_of(&text(&seeds("[2]"), &other));
        assert_eq!(given, [0; 0]);
        assert!(
            sweep.contains("# 5971-initial.csv has first evaluations, but"),
            "{sweep}"
        );
    }
}

#[test]
fn sources_never_contain_a_target() {
    let mut random = ChaCha8Rng::seed_from_u64(14);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..40 {
        let mut split = || -> BTreeSet<u32> {
            let count = random.random_range(1..4);
            (0..count).map(|_| random.random_range(0..12)).collect()
        };
        let (test, train) = (split(), split());
        let json = |names: &BTreeSet<u32>| {
            let data_set = |name: &u32| {
                format!("\"{name}\": {{\"X\": [[0], [1]], \"y\": [[0.1], [0.{name}1]]}}")
            };
            let data_sets: Vec<String> = names.iter().map(data_set).collect();
            format!("{{\"1\": {{{}}}}}", data_sets.join(", "))
        };
        let folder = Folder::hpob(&json(&test), &json(&train));
        match folder.import_hpob(&[]) {
            Ok(imported) => {
                let (_, sources, targets) = splits(&imported).remove(0);
                let sources: BTreeSet<u32> =
                    sources.iter().map(|name| name.parse().unwrap()).collect();
                let targets: BTreeSet<u32> =
                    targets.iter().map(|name| name.parse().unwrap()).collect();
                assert!(sources.is_disjoint(&targets));
                assert_eq!((&sources, &targets), (&train, &test));
                accepted += 1;
            }
            Err(message) => {
                assert!(!test.is_disjoint(&train), "{message}");
                assert!(
                    message.contains("a source must not contain a target"),
                    "{message}"
                );
                assert!(folder.made().is_empty());
                refused += 1;
            }
        }
    }
    assert!(accepted > 5 && refused > 5, "{accepted} {refused}");
}

#[test]
fn a_configuration_that_is_there_twice_keeps_its_best_accuracy() {
    let test = TEST.replace("[1, 0]], \"y\": [[0.5]", "[-0.0, 1]], \"y\": [[0.5]");
    let folder = Folder::hpob(&test, TRAIN);
    let imported = folder.import_hpob(&["5971"]).unwrap();
    assert_eq!(
        imported.plan.tables[0].table.task("31").unwrap().objective,
        [-0.5, -0.875]
    );
    assert!(
        imported.notes[0].ends_with("this left out 1 row."),
        "{:?}",
        imported.notes
    );
    let written = fs::read_to_string(folder.path("out/5971-initial.csv")).unwrap();
    assert!(written.contains("31,1,0\n"), "{written}");
}

#[test]
fn mistakes_of_hpob_are_named_and_leave_nothing() {
    let spoilt = |find: &str, replace: &str| {
        assert!(TEST.contains(find), "{find}");
        TEST.replacen(find, replace, 1)
    };
    let cases = [
        (
            spoilt("[0.5, 0.25]", "[0.5]"),
            "search space 5971, data set 31: configuration 1 has 1 hyperparameters",
        ),
        (
            spoilt("[[0.5], [0.875]", "[[0.5]"),
            "data set 31: it has 2 values for 3 configurations",
        ),
        (
            spoilt("[0.875]", "[0.875, 1]"),
            "value 1 is a list of 2 numbers",
        ),
        (
            spoilt("[0.875]", "[null]"),
            "`5971`: `31`: invalid type: null",
        ),
        (spoilt("\"37\"", "\"31\""), "the key `31` is there twice"),
        (
            spoilt("\"6767\"", "\"5971\""),
            "the key `5971` is there twice",
        ),
        (
            spoilt("\"6767\"", "\"1\""),
            "search space 1: there is no data set of it with two configurations or more in the training data",
        ),
        (spoilt("\"37\"", "\"3\\u202e7\""), "U+202E"),
        ("[]".to_owned(), "expected an object of search spaces"),
        (TEST[..60].to_owned(), "EOF while parsing"),
    ];
    for (test, told) in cases {
        let folder = Folder::hpob(&test, TRAIN);
        let message = folder.import_hpob(&[]).unwrap_err();
        assert!(
            message.contains(told) && message.contains("data"),
            "{told}: {message}"
        );
        assert!(folder.made().is_empty(), "{told}: {:?}", folder.made());
    }
    let folder = Folder::hpob(TEST, TRAIN);
    let message = folder.import_hpob(&["1234"]).unwrap_err();
    assert!(
        message.contains("search space 1234: there is no such search space"),
        "{message}"
    );
    fs::create_dir(folder.path("out")).unwrap();
    fs::write(folder.path("out/mine"), "").unwrap();
    let message = folder.import_hpob(&[]).unwrap_err();
    assert!(message.contains("is there and not empty"), "{message}");
    let folder = Folder::new(&[]);
    assert!(
        folder
            .import_hpob(&[])
            .unwrap_err()
            .contains("meta-test-dataset.json")
    );
}
