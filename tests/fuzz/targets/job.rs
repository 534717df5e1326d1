//! A queue message, as a worker reads it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loto_fuzz::check_error;
use loto_proto::job::Job;

fuzz_target!(|bytes: &[u8]| {
    match Job::decode(bytes) {
        Ok(job) => assert_eq!(Job::decode(&job.encode()).unwrap(), job),
        Err(error) => check_error(error),
    }
});
