//! The plan of a sweep, as the store keeps it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loto_coordinator::progress::Tracker;
use loto_fuzz::{check_error, told_identifier};
use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;

/// More jobs than that are slow to list, not dangerous: the limit is tested by itself.
const MOST_JOBS: u64 = 10_000;

fuzz_target!(|bytes: &[u8]| {
    let Err(error) = Sweep::decode(bytes, SweepId([0; 16])) else {
        panic!("a sweep whose jobs hash to zero");
    };
    let error = error.to_string();
    check_error(&error);
    let Some(id) = told_identifier(&error) else {
        return;
    };
    let sweep = Sweep::decode(bytes, id).unwrap();
    sweep.check().unwrap();
    assert_eq!(Sweep::decode(&sweep.encode(), id).unwrap(), sweep);
    if sweep.job_count() <= MOST_JOBS {
        assert_eq!(sweep.jobs().count() as u64, sweep.job_count());
        let tracker = Tracker::new(&sweep);
        assert!(tracker.missing().count() as u64 <= sweep.job_count());
    }
});
