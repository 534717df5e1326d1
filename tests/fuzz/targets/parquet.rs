//! A Parquet file, up to the CSV text that it becomes.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use loto_coordinator::table_files::parquet;
use loto_fuzz::check_error;

// The library that reads Parquet may panic, which is caught and told as damage; the hook of libFuzzer would take it for a
// crash before that. Every other panic still ends the program.
fuzz_target!(init: std::panic::set_hook(Box::new(|_| {})), |file: &[u8]| {
    if let Err(error) = parquet::read(file.to_vec(), Path::new("table.parquet")) {
        check_error(error);
    }
});
