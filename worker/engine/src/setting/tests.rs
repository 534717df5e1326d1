use std::collections::BTreeSet;

use loto_proto::table_spec::{SourceTasks, TableSpec};

use super::*;
use crate::blobs::MemoryBlobs;

const TASKS: usize = 12;

fn table(named: &[usize], most: u32) -> Table {
    let mut text = String::from("hp_x,metric_error,task\n");
    for task in 0..TASKS {
        for row in 0..3 {
            text.push_str(&format!("{row},{},task{task}\n", row * task));
        }
    }
    let spec = TableSpec {
        objective: "metric_error".into(),
        sources: SourceTasks {
            named: named.iter().map(|task| format!("task{task}")).collect(),
            most,
        },
        ..TableSpec::default()
    };
    Table::read(text.as_bytes(), &spec, "table").unwrap()
}

fn positions(table: &Table, target: usize, seed: u32) -> Vec<usize> {
    let fits = SharedFits::new(Arc::new(MemoryBlobs::default()));
    let setting = Setting::new(table, target, seed, 1, &fits);
    let sources = setting.sources(Transform::Standardisation).unwrap();
    let names = sources.iter().map(|source| source.task.name.clone());
    let position = |name: String| table.tasks.iter().position(|task| task.name == name);
    names.map(|name| position(name).unwrap()).collect()
}

#[test]
fn every_other_task_is_a_source_unless_sources_are_named() {
    let others: Vec<usize> = (0..TASKS).filter(|&task| task != 4).collect();
    assert_eq!(positions(&table(&[], 0), 4, 0), others);
    assert_eq!(positions(&table(&[7, 1, 4], 0), 4, 0), [1, 7]);
    assert_eq!(positions(&table(&[7, 1, 4], 0), 5, 9), [1, 4, 7]);
    // As many as there are, or more, are all of them.
    assert_eq!(positions(&table(&[], 11), 4, 0), others);
    assert_eq!(positions(&table(&[], 500), 4, 0), others);
}

#[test]
fn the_target_is_the_source_of_none_however_sources_are_drawn() {
    for (named, most) in [(&[][..], 3), (&[0, 2, 4, 6, 8], 2), (&[3, 5], 1), (&[], 1)] {
        let table = table(named, most);
        let mut drawn = BTreeSet::new();
        for target in 0..TASKS {
            for seed in 0..20 {
                let sources = positions(&table, target, seed);
                assert_eq!(sources.len(), most as usize);
                assert!(!sources.contains(&target));
                assert!(sources.is_sorted());
                let is_named = |task: &usize| named.is_empty() || named.contains(task);
                assert!(sources.iter().all(is_named));
                assert_eq!(sources, positions(&table, target, seed));
                drawn.extend(sources);
            }
        }
        // No task that may be drawn is left out for ever.
        let possible = match named.len() {
            0 => TASKS,
            count => count,
        };
        assert_eq!(drawn.len(), possible);
    }
}

#[test]
fn each_source_is_drawn_equally_often() {
    let table = table(&[], 3);
    let mut counts = [0_u32; TASKS];
    for seed in 0..2200 {
        for source in positions(&table, 0, seed) {
            counts[source] += 1;
        }
    }
    // 3 of 11, 2200 times: 600 each, with a standard deviation of 21; four of them either way.
    assert_eq!(counts[0], 0);
    assert!(
        counts[1..].iter().all(|count| (516..=684).contains(count)),
        "{counts:?}"
    );
}

#[test]
fn a_target_without_any_source_is_told() {
    let table = table(&[4], 0);
    let fits = SharedFits::new(Arc::new(MemoryBlobs::default()));
    let setting = Setting::new(&table, 4, 0, 1, &fits);
    let error = setting
        .sources(Transform::Copula)
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("`task4`"), "{error}");
}
