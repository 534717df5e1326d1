//! The record of an attempt, as the store keeps it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loto_fuzz::check_error;
use loto_proto::limits::MAX_ERROR_BYTES;
use loto_proto::attempt::Attempt;

fuzz_target!(|bytes: &[u8]| {
    match Attempt::decode(bytes) {
        Ok(attempt) => {
            let again = Attempt::decode(attempt.encode().as_bytes()).unwrap();
            if attempt.error.len() <= MAX_ERROR_BYTES {
                assert_eq!(again, attempt);
            } else {
                assert!(attempt.error.starts_with(&again.error));
            }
        }
        Err(error) => check_error(error),
    }
});
