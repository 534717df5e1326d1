//! Plans as they are stored, and what is refused.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

fn method(id: &str) -> MethodSpec {
    MethodSpec {
        name: None,
        id: id.into(),
        version: 1,
        parameters: BTreeMap::new(),
        program: None,
    }
}

fn sweep() -> Sweep {
    let blackbox = |name: &str, byte, methods: &[&str]| Blackbox {
        name: name.into(),
        table: Fingerprint([byte; 16]),
        table_file: None,
        targets: vec!["one".into(), "two".into()],
        iterations: 10,
        protocol: Protocol::LeaveOneOut,
        cost: None,
        methods: methods.iter().map(|id| method(id)).collect(),
    };
    Sweep {
        name: "test".into(),
        blackboxes: vec![
            blackbox("A", 1, &["rs", "gp"]),
            blackbox("B", 2, &["rs", "gp", "rea"]),
        ],
        seeds: 3,
    }
}

#[test]
fn jobs_are_distinct_and_complete_seed_by_seed_and_method_by_method() {
    let jobs: Vec<_> = sweep().jobs().collect();
    assert_eq!(jobs.len() as u64, sweep().job_count());
    assert_eq!(jobs.len(), (2 + 3) * 2 * 3);
    let ids: BTreeSet<_> = jobs.iter().map(Job::id).collect();
    assert_eq!(ids.len(), jobs.len());
    assert!(jobs[..10].iter().all(|job| job.seed == 0));
    assert!(jobs[..4].iter().all(|job| job.series.method.id == "rs"));
}

#[test]
fn the_id_follows_from_the_jobs_alone() {
    let mut renamed = sweep();
    renamed.name = "other".into();
    assert_eq!(renamed.id(), sweep().id());
    let mut longer = sweep();
    longer.seeds += 1;
    assert_ne!(longer.id(), sweep().id());
}

#[test]
fn the_column_of_costs_is_stored_and_changes_no_job() {
    let mut with_costs = sweep();
    with_costs.blackboxes[1].cost = Some("metric_time".into());
    assert_eq!(with_costs.id(), sweep().id());
    let (bytes, id) = (with_costs.encode_for_store(), with_costs.id());
    assert_eq!(Sweep::decode(&bytes, id).unwrap(), with_costs);
    with_costs.blackboxes[1].cost = Some("x".repeat(201));
    let error = with_costs.check().unwrap_err().to_string();
    assert!(error.contains("column of costs has 201 bytes"), "{error}");
}

#[test]
fn a_stream_has_one_series_per_method_with_the_evaluations_of_all_tasks() {
    let mut stream = sweep();
    stream.blackboxes[1].protocol = Protocol::Stream;
    let jobs: Vec<_> = stream.jobs().collect();
    assert_eq!(jobs.len() as u64, stream.job_count());
    assert_eq!(jobs.len(), (2 * 2 + 3) * 3);
    let of_stream = |job: &&Job| job.series.table == Fingerprint([2; 16]);
    for job in jobs.iter().filter(of_stream) {
        assert_eq!((job.series.task.as_str(), job.series.iterations), ("*", 20));
    }
    let (bytes, id) = (stream.encode_for_store(), stream.id());
    assert_eq!(Sweep::decode(&bytes, id).unwrap(), stream);
    // A release that does not know streams finds other jobs than the name says.
    assert_ne!(sweep().id(), id);
    stream.blackboxes[1].iterations = MAX_ITERATIONS / 2 + 1;
    let error = stream.check().unwrap_err().to_string();
    assert!(error.contains("100002 evaluations in a stream"), "{error}");
    stream.blackboxes[1].targets.clear();
    assert_eq!(stream.series().count(), 4);
}

#[test]
fn a_sweep_survives_the_store_and_damage_is_noticed() {
    let mut named = sweep();
    named.blackboxes[1].methods[0].name = Some("chance".into());
    named.blackboxes[0].table_file = Some("A.csv.zip".into());
    assert_eq!(named.id(), sweep().id());
    assert_eq!(Sweep::decode(&named.encode(), sweep().id()).unwrap(), named);
    let bytes = sweep().encode();
    assert_eq!(Sweep::decode(&bytes, sweep().id()).unwrap(), sweep());
    let mut changed = sweep();
    changed.seeds = 4;
    assert!(Sweep::decode(&changed.encode(), sweep().id()).is_err());
    assert!(Sweep::decode(&bytes[..bytes.len() - 5], sweep().id()).is_err());
}

#[test]
fn no_bit_of_a_sweep_can_change_unnoticed() {
    let bytes = sweep().encode_for_store();
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let read = Sweep::decode(&flipped, sweep().id());
        assert!(read.is_err() || read.unwrap() == sweep(), "bit {bit}");
    }
}

#[test]
fn a_stored_sweep_cannot_ask_for_endless_work() {
    type Change = fn(&mut Sweep);
    let changes: [(Change, &str); 10] = [
        (|sweep| sweep.seeds = u32::MAX, "4294967295 seeds"),
        (
            |sweep| sweep.blackboxes = vec![sweep.blackboxes[0].clone(); 1001],
            "1001 black boxes",
        ),
        (
            |sweep| sweep.blackboxes[1].methods = vec![method("rs"); 1001],
            "black box `B`: it has 1001 methods",
        ),
        (
            |sweep| sweep.blackboxes[0].targets = vec!["x".into(); 10_001],
            "black box `A`: it has 10001 targets",
        ),
        (
            |sweep| sweep.blackboxes[0].iterations = 100_001,
            "100001 iterations",
        ),
        (
            |sweep| sweep.blackboxes[0].targets[1] = "x".repeat(201),
            "the name of a target has 201 bytes",
        ),
        (
            |sweep| {
                let parameters = (0..101).map(|number| (number.to_string(), "x".into()));
                sweep.blackboxes[0].methods[0].parameters = parameters.collect();
            },
            "101 parameters",
        ),
        (
            |sweep| {
                sweep.blackboxes[0].methods = vec![method("rs"); 1000];
                sweep.blackboxes[0].targets = vec!["x".into(); 1000];
            },
            "1000006 series",
        ),
        (
            |sweep| {
                sweep.blackboxes[0].targets = vec!["x".into(); 10_000];
                sweep.seeds = 1000;
            },
            "20006000 jobs",
        ),
        (
            |sweep| {
                sweep.blackboxes = vec![sweep.blackboxes[0].clone(); 3];
                for blackbox in &mut sweep.blackboxes {
                    blackbox.targets = vec!["x".repeat(200); 10_000];
                }
            },
            "bytes, allowed are 4194304",
        ),
    ];
    for (change, expected) in changes {
        let mut endless = sweep();
        change(&mut endless);
        let error = Sweep::decode(&endless.encode(), sweep().id()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}
