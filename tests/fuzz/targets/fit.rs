//! A fit that another worker shared through the store.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use loto_engine::blobs::MemoryBlobs;
use loto_engine::fits::{FitName, SharedFits};
use loto_engine::transform::Transform;
use loto_fuzz::check_error;
use loto_proto::identity::Fingerprint;

fuzz_target!(|bytes: &[u8]| {
    let name = FitName {
        kind: "prior",
        variant: "",
        version: 1,
        transform: Transform::Copula,
        table: Fingerprint([1; 16]),
        task: "one",
        seed: 0,
        linear_algebra: None,
    };
    let blobs = MemoryBlobs::from_iter([(name.blob_name(), bytes.to_vec())]);
    let shared = SharedFits::new(Arc::new(blobs));
    for count in [bytes.len() / 4, bytes.len(), 0] {
        match shared.find(&name, count) {
            Ok(Some(numbers)) => {
                assert_eq!(numbers.len(), count);
                assert!(numbers.iter().all(|number| number.is_finite()));
            }
            Ok(None) => panic!("the blob is there"),
            Err(error) => check_error(error),
        }
    }
});
