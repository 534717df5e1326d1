//! A trace, as the store keeps it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loto_fuzz::check_error;
use loto_proto::limits::MAX_ITERATIONS;
use loto_proto::trace::Trace;

fuzz_target!(|bytes: &[u8]| {
    match Trace::decode(bytes) {
        Ok(trace) => {
            assert!(trace.values.iter().all(|value| value.is_finite()));
            assert!(trace.further_values.iter().all(|value| value.is_finite()));
            assert_eq!(trace.rows.len(), trace.values.len());
            let last = trace.rows.len() - 1;
            assert_eq!(trace.objectives_of(last).count(), trace.objectives());
            let values = trace.rows.len() * trace.objectives();
            assert_eq!(values, trace.values.len() + trace.further_values.len());
            assert!(values <= MAX_ITERATIONS as usize);
            let again = Trace::decode(&trace.encode()).unwrap();
            assert_eq!(again.first_difference(&trace), None);
            // Times keep three digits; what was stored once stays as it is.
            for (kept, time) in again.microseconds.iter().zip(&trace.microseconds) {
                assert!(kept <= time && time - kept <= time / 1000, "{time}: {kept}");
            }
            assert_eq!(Trace::decode(&again.encode()).unwrap(), again);
            let _ = (trace.cpu_time(), trace.best_so_far());
        }
        Err(error) => check_error(error),
    }
});
