//! A table file: CSV text or an archive. The first byte chooses the declarations.

#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use loto_engine::table::Table;
use loto_fuzz::{check_error, check_table};
use loto_proto::table_spec::{Categorical, Repeats, TableSpec};

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, file)) = bytes.split_first() else {
        return;
    };
    let columns = |names: &[&str]| {
        let names: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Categorical::Columns(names)
    };
    let spec = TableSpec {
        objective: "metric_error".into(),
        categorical: match choice % 3 {
            0 => columns(&[]),
            1 => columns(&["hp_kind"]),
            _ => Categorical::All,
        },
        further_objectives: match choice / 3 % 2 {
            0 => Vec::new(),
            _ => vec!["metric_time".into()],
        },
        repeats: match choice / 6 % 3 {
            0 => Repeats::Refused,
            1 => Repeats::Mean,
            _ => Repeats::Draw,
        },
        ..TableSpec::default()
    };
    match Table::read_costs(file, &spec, "metric_time", "table") {
        Ok(costs) => assert!(costs.iter().flatten().all(|cost| *cost > 0.0)),
        Err(error) => check_error(error),
    }
    match Table::read(file, &spec, "table") {
        Ok(table) => {
            check_table(&table);
            assert_eq!(table.fingerprint, spec.fingerprint(file));
        }
        Err(error) => check_error(error),
    }
});
