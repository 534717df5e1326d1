//! The record of an attempt, as the store keeps it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loto_fuzz::check_error;
use loto_proto::attempt::Attempt;
use loto_proto::limits::MAX_ERROR_BYTES;

fuzz_target!(|bytes: &[u8]| {
    match Attempt::decode(bytes) {
        Ok(attempt) => {
            let again = Attempt::decode(attempt.encode().as_bytes()).unwrap();
            let longest = attempt.error.len().max(attempt.backtrace.len());
            if longest <= MAX_ERROR_BYTES {
                assert_eq!(again, attempt);
            } else {
                assert!(attempt.error.starts_with(&again.error));
                assert!(attempt.backtrace.starts_with(&again.backtrace));
            }
        }
        Err(error) => check_error(error),
    }
});
