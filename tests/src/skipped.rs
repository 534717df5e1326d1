//! Tests that cannot run here are named, never passed over in silence.

use std::io::Write;

/// Names a skipped test, with the reason, on the terminal and in the file
/// `LOTO_SKIPPED_LOG`, which `make test` sums up at its end.
///
/// # Panics
/// If that file cannot be written to.
pub fn note(test: &str, reason: &str) {
    let line = format!("skipped: {test} ({reason})\n");
    // Unlike `eprintln`, this is not captured by the test harness.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(log) = std::env::var_os("LOTO_SKIPPED_LOG") {
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(log);
        log.and_then(|mut log| log.write_all(line.as_bytes()))
            .expect("LOTO_SKIPPED_LOG can be written to");
    }
}
