//! What the operating system knows of this process, under the names that Prometheus's own client
//! libraries use.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use loto_transport::metrics::Metric;
use metrics::{counter, gauge};
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

pub(super) const PROCESS_METRICS: [Metric; 8] = [
    Metric::counter(
        "process_cpu_seconds_total",
        "CPU time of the process, in seconds",
    ),
    Metric::gauge(
        "process_start_time_seconds",
        "When the process started, in Unix time",
    ),
    Metric::gauge("process_open_fds", "Open file descriptors"),
    Metric::gauge(
        "process_max_fds",
        "File descriptors that may be open, 0 without a limit",
    ),
    Metric::gauge(
        "process_resident_memory_bytes",
        "Memory that the process holds",
    ),
    Metric::gauge(
        "process_virtual_memory_bytes",
        "Addresses that the process uses",
    ),
    Metric::gauge(
        "process_virtual_memory_max_bytes",
        "Addresses that it may use, 0 without a limit",
    ),
    Metric::gauge("process_threads", "Threads of the process"),
];

/// Reports that the process starts now.
pub(super) fn report_start() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    gauge!("process_start_time_seconds").set(now.unwrap_or_default().as_secs() as f64);
}

/// Reports how the process stands now.
pub(super) fn report() {
    let cpu_time = clock_gettime(ClockId::ProcessCPUTime);
    counter!("process_cpu_seconds_total").absolute(cpu_time.tv_sec.unsigned_abs());
    if let Ok(files) = fs::read_dir("/proc/self/fd") {
        // The one that lists them is open only now.
        gauge!("process_open_fds").set(files.count().saturating_sub(1) as f64);
    }
    let limit = |resource| getrlimit(resource).current.unwrap_or_default() as f64;
    gauge!("process_max_fds").set(limit(Resource::Nofile));
    gauge!("process_virtual_memory_max_bytes").set(limit(Resource::As));
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    for (metric, key, unit) in [
        ("process_resident_memory_bytes", "VmRSS:", 1024.0),
        ("process_virtual_memory_bytes", "VmSize:", 1024.0),
        ("process_threads", "Threads:", 1.0),
    ] {
        if let Some(number) = number(&status, key) {
            gauge!(metric).set(number * unit);
        }
    }
}

/// The number behind `key` in the text of /proc/self/status.
fn number(status: &str, key: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_process_is_read() {
        let status = "Name:\tloto\nVmSize:\t  123 kB\nVmRSS:\t45 kB\nThreads:\t6\n";
        assert_eq!(number(status, "VmRSS:"), Some(45.0));
        assert_eq!(number(status, "Threads:"), Some(6.0));
        assert_eq!(number(status, "VmSwap:"), None);
        let own = fs::read_to_string("/proc/self/status").unwrap();
        for key in ["VmSize:", "VmRSS:", "Threads:"] {
            assert!(
                number(&own, key).is_some_and(|number| number > 0.0),
                "{key}"
            );
        }
    }
}
