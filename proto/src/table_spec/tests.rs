use super::*;

fn spec(objective: &str, categorical: Categorical) -> TableSpec {
    TableSpec {
        objective: objective.into(),
        categorical,
        ..TableSpec::default()
    }
}

#[test]
fn the_fingerprint_covers_bytes_objective_and_column_types() {
    let none = Categorical::Columns(BTreeSet::new());
    let base = spec("metric_error", none.clone()).fingerprint(b"table");
    assert_ne!(
        base,
        spec("metric_error", none.clone()).fingerprint(b"tablf")
    );
    assert_ne!(base, spec("metric_time", none).fingerprint(b"table"));
    assert_ne!(
        base,
        spec("metric_error", Categorical::All).fingerprint(b"table")
    );
}

fn declared() -> TableSpec {
    let mut initial = InitialRows::default();
    for (task, seed, row) in [("a", 0, 7), ("a", 0, 3), ("a", 1, 7), ("b", 0, 0)] {
        initial.add(task, seed, row);
    }
    let levels = ["small", "large"].map(str::to_owned).to_vec();
    TableSpec {
        scales: BTreeMap::from([
            ("hp_flag".into(), Scale::Boolean),
            ("hp_lr".into(), Scale::Log),
            ("hp_n".into(), Scale::Ordinal),
            ("hp_size".into(), Scale::Levels(levels)),
        ]),
        direction: Direction::Maximise,
        sources: SourceTasks {
            named: BTreeSet::from(["a".into(), "b".into()]),
            most: 3,
        },
        initial,
        repeats: Repeats::Mean,
        features: Features::Columns(["dataset_a", "dataset_b"].map(str::to_owned).into()),
        source_rows: Some("thinned".into()),
        protocol: Protocol::Stream,
        further_objectives: ["metric_latency", "metric_size"].map(str::to_owned).into(),
        ..spec("metric_accuracy", Categorical::default())
    }
}

#[test]
fn undeclared_tables_keep_the_fingerprint_of_the_first_release() {
    // From Python's hashlib: SHA-256 over the fields, each after its length in 8 bytes.
    let columns = Categorical::Columns(BTreeSet::from(["hp_a".into()]));
    let fingerprint = spec("metric_error", columns).fingerprint(b"table");
    assert_eq!(fingerprint.to_string(), "9e8462b4caf03198d3c2452d8dbab156");
    let fingerprint = spec("metric_error", Categorical::All).fingerprint(b"table");
    assert_eq!(fingerprint.to_string(), "9c440390be463c0cfc67a7d22cc9c645");
}

#[test]
fn tables_with_one_objective_keep_the_fingerprints_of_earlier_releases() {
    // From Python's hashlib, as above.
    let mut declared = declared();
    let fingerprint = declared.fingerprint(b"table").to_string();
    assert_eq!(fingerprint, "d0ba961a4bd0508e25c7290df5b016dd");
    declared.further_objectives.clear();
    let fingerprint = declared.fingerprint(b"table").to_string();
    assert_eq!(fingerprint, "1bdbbef608e01f43eb34a17efea5445a");
}

#[test]
fn every_declaration_changes_the_fingerprint_and_survives_the_store() {
    let base = declared();
    let changes: [fn(&mut TableSpec); 20] = [
        |spec| spec.further_objectives.clear(),
        |spec| spec.further_objectives.reverse(),
        |spec| drop(spec.further_objectives.pop()),
        |spec| spec.features = Features::All,
        |spec| spec.features = Features::default(),
        |spec| spec.features = Features::Columns(["dataset_a".to_owned()].into()),
        |spec| spec.source_rows = None,
        |spec| spec.source_rows = Some("other".into()),
        |spec| spec.protocol = Protocol::LeaveOneOut,
        |spec| spec.initial = InitialRows::default(),
        |spec| assert!(spec.initial.add("a", 1, 8)),
        |spec| spec.repeats = Repeats::Refused,
        |spec| spec.repeats = Repeats::Draw,
        |spec| spec.direction = Direction::Minimise,
        |spec| spec.sources.most = 0,
        |spec| spec.sources.named.clear(),
        |spec| drop(spec.scales.remove("hp_flag")),
        |spec| drop(spec.scales.insert("hp_lr".into(), Scale::Ordinal)),
        |spec| {
            let turned = ["large", "small"].map(str::to_owned).to_vec();
            spec.scales.insert("hp_size".into(), Scale::Levels(turned));
        },
        |spec| spec.scales.clear(),
    ];
    for change in changes {
        let mut changed = base.clone();
        change(&mut changed);
        let fingerprint = changed.fingerprint(b"table");
        assert_ne!(fingerprint, base.fingerprint(b"table"), "{changed:?}");
        let bytes = changed.encode_with(b"table");
        assert_eq!(TableSpec::decode(&bytes, fingerprint).unwrap().0, changed);
    }
}

#[test]
fn a_release_that_does_not_know_a_declaration_refuses_the_table() {
    // What it sees: the declarations that it knows, under the name that covers all of them.
    let base = declared();
    let known = TableSpec {
        objective: base.objective.clone(),
        ..TableSpec::default()
    };
    let bytes = known.encode_with(b"table");
    let error = TableSpec::decode(&bytes, base.fingerprint(b"table")).unwrap_err();
    assert!(error.to_string().contains("update this one"), "{error}");
}

#[test]
fn a_scale_of_a_later_release_is_refused_by_its_name() {
    let mut stored = declared().to_wire();
    stored.scales[0].scale = "logit".into();
    let problem = TableSpec::of_wire(stored).unwrap_err().to_string();
    assert!(problem.contains("scale `logit`"), "{problem}");
}

#[test]
fn a_changed_blob_is_noticed() {
    let declared = spec(
        "metric_error",
        Categorical::Columns(BTreeSet::from(["hp_a".to_string()])),
    );
    let fingerprint = declared.fingerprint(b"table");
    let mut bytes = declared.encode_with(b"table");
    let (decoded, file) = TableSpec::decode(&bytes, fingerprint).unwrap();
    assert_eq!((decoded, file.as_slice()), (declared, b"table".as_slice()));
    *bytes.last_mut().unwrap() ^= 1;
    assert!(TableSpec::decode(&bytes, fingerprint).is_err());
}

#[test]
fn declarations_beyond_the_limits_are_refused() {
    let long = spec(&"x".repeat(MAX_NAME_BYTES + 1), Categorical::All);
    let columns = (0..=MAX_COLUMNS).map(|column| format!("hp_{column}"));
    let many = spec("metric_error", Categorical::Columns(columns.collect()));
    let objectives = |names: Vec<String>| TableSpec {
        further_objectives: names,
        ..spec("metric_error", Categorical::All)
    };
    let long_objective = objectives(vec!["x".repeat(MAX_NAME_BYTES + 1)]);
    let many_objectives = objectives(vec!["metric_error".into(); MAX_OBJECTIVES]);
    for (declared, expected) in [
        (long, "201 bytes"),
        (many, "1001 categorical columns"),
        (long_objective, "201 bytes"),
        (many_objectives, "11 objectives"),
    ] {
        let bytes = declared.encode_with(b"table");
        let error = TableSpec::decode(&bytes, declared.fingerprint(b"table")).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    let huge = vec![0; MAX_BLOB_BYTES + 1];
    let error = TableSpec::decode(&huge, Fingerprint([0; 16])).unwrap_err();
    assert!(error.to_string().contains("70254593 bytes"), "{error}");
}
