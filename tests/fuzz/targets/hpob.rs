//! Recorded results of HPO-B, up to their scores.

#![no_main]

use std::fs;

use libfuzzer_sys::fuzz_target;
use loto_coordinator::score::hpob;
use loto_fuzz::{check_error, folder};

fuzz_target!(|bytes: &[u8]| {
    let path = folder().join("results.json");
    fs::write(&path, bytes).unwrap();
    match hpob::read(std::slice::from_ref(&path), None) {
        Ok(recordings) => {
            let scores = hpob::score(&recordings);
            let [method] = scores.methods.as_slice() else {
                panic!("{scores:?}");
            };
            assert!((0.0..=1.0).contains(&method.mean_regret));
            assert_eq!(method.mean_rank, 1.0);
        }
        Err(error) => check_error(error),
    }
});
