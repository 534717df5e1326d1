//! What the operating system knows of this process, under the names that Prometheus's own client
//! libraries use.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use loto_transport::metrics::Metric;
use metrics::{counter, gauge};
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

const CPU_SECONDS: &str = "process_cpu_seconds_total";
const START_TIME: &str = "process_start_time_seconds";
const OPEN_FILES: &str = "process_open_fds";
const MOST_FILES: &str = "process_max_fds";
const MEMORY: &str = "process_resident_memory_bytes";
const ADDRESSES: &str = "process_virtual_memory_bytes";
const MOST_ADDRESSES: &str = "process_virtual_memory_max_bytes";
const THREADS: &str = "process_threads";

pub(super) const PROCESS_METRICS: [Metric; 8] = [
    Metric::counter(
        CPU_SECONDS,
        "Total user and system CPU time spent in seconds.",
    ),
    Metric::gauge(
        START_TIME,
        "Start time of the process since unix epoch in seconds.",
    ),
    Metric::gauge(OPEN_FILES, "Number of open file descriptors."),
    Metric::gauge(MOST_FILES, "Maximum number of open file descriptors."),
    Metric::gauge(MEMORY, "Resident memory size in bytes."),
    Metric::gauge(ADDRESSES, "Virtual memory size in bytes."),
    Metric::gauge(
        MOST_ADDRESSES,
        "Maximum amount of virtual memory available in bytes.",
    ),
    Metric::gauge(THREADS, "Number of OS threads in the process."),
];

/// Reports that the process starts now.
pub(super) fn report_start() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    gauge!(START_TIME).set(now.unwrap_or_default().as_secs() as f64);
}

/// Reports how the process stands now.
pub(super) fn report() {
    let cpu_time = clock_gettime(ClockId::ProcessCPUTime);
    counter!(CPU_SECONDS).absolute(cpu_time.tv_sec.unsigned_abs());
    if let Ok(files) = fs::read_dir("/proc/self/fd") {
        // The one that lists them is open only now.
        gauge!(OPEN_FILES).set(files.count().saturating_sub(1) as f64);
    }
    // Prometheus's convention: nought is no limit.
    let limit = |resource| getrlimit(resource).current.unwrap_or_default() as f64;
    gauge!(MOST_FILES).set(limit(Resource::Nofile));
    gauge!(MOST_ADDRESSES).set(limit(Resource::As));
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    for (metric, key, unit) in [
        (MEMORY, "VmRSS:", 1024.0),
        (ADDRESSES, "VmSize:", 1024.0),
        (THREADS, "Threads:", 1.0),
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
