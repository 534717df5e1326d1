//! A zip or gzip file, unpacked with a small bound.

#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use loto_engine::table::container::{self, ContainerError};
use loto_fuzz::check_error;

const MOST: u64 = 1 << 16;

fuzz_target!(|file: &[u8]| {
    let unpacked = container::with_csv(Cursor::new(file), MOST, |csv| {
        let mut text = Vec::new();
        let read = csv.read_to_end(&mut text);
        assert!(text.len() as u64 <= MOST);
        read.map_err(ContainerError::Unreadable)
    });
    if let Err(error) = unpacked {
        check_error(error);
    }
});
