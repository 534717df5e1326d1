//! A trace, as the store keeps it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loto_fuzz::check_error;
use loto_proto::trace::Trace;

fuzz_target!(|bytes: &[u8]| {
    match Trace::decode(bytes) {
        Ok(trace) => {
            assert!(trace.values.iter().all(|value| value.is_finite()));
            assert_eq!(trace.rows.len(), trace.values.len());
            let again = Trace::decode(&trace.encode()).unwrap();
            assert_eq!(again.first_difference(&trace), None);
            assert_eq!(again, trace);
            let _ = (trace.cpu_time(), trace.best_so_far());
        }
        Err(error) => check_error(error),
    }
});
