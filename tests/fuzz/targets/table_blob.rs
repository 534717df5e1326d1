//! A table with its declarations, as the store keeps it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loto_engine::table::Table;
use loto_fuzz::{check_error, check_table, told_identifier};
use loto_proto::identity::Fingerprint;
use loto_proto::table_spec::TableSpec;

fuzz_target!(|bytes: &[u8]| {
    let Err(error) = TableSpec::decode(bytes, Fingerprint([0; 16])) else {
        panic!("a table whose bytes hash to zero");
    };
    let error = error.to_string();
    check_error(&error);
    let Some(fingerprint) = told_identifier(&error) else {
        return;
    };
    let (spec, file) = TableSpec::decode(bytes, fingerprint).unwrap();
    let again = TableSpec::decode(&spec.encode_with(&file), fingerprint).unwrap();
    assert_eq!(again, (spec.clone(), file.clone()));
    match Table::read(&file, &spec, "table") {
        Ok(table) => check_table(&table),
        Err(error) => check_error(error),
    }
});
