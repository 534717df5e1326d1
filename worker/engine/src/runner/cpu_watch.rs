//! Measures processor time.

use rustix::time::{ClockId, clock_gettime};

/// Measures the CPU time of the calling thread.
pub(super) struct CpuWatch {
    last: u64,
}

impl CpuWatch {
    fn now() -> u64 {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as u64 * 1_000_000 + time.tv_nsec as u64 / 1_000
    }

    pub(super) fn start() -> Self {
        Self { last: Self::now() }
    }

    /// Microseconds since the last call, or the start.
    pub(super) fn lap(&mut self) -> u64 {
        let now = Self::now();
        let passed = now.saturating_sub(self.last);
        self.last = now;
        passed
    }
}
