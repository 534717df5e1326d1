//! How many jobs run side by side and what each may use, as options of a command line.

use std::num::NonZero;
use std::time::Duration;

use clap::{Args, value_parser};

use crate::isolation::JobLimits;

/// How many jobs run side by side, and what each may use.
#[derive(Debug, Clone, Copy, Args)]
pub struct JobOptions {
    /// Number of jobs that run side by side [default: one per processor].
    #[arg(long, env = "LOTO_JOBS", value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Seconds that a job may take; one that takes longer fails. Keep it below the
    /// broker's consumer timeout.
    #[arg(long, env = "LOTO_DEADLINE", value_name = "SECONDS",
        default_value_t = JobLimits::DEADLINE.as_secs(), value_parser = value_parser!(u64).range(1..))]
    deadline: u64,

    /// MiB of memory that a job may take; one that takes more fails [default: an equal
    /// share of nine tenths of the memory there is].
    #[arg(long, env = "LOTO_MEMORY", value_name = "MIB",
        value_parser = value_parser!(u64).range(64..=1 << 30))]
    memory: Option<u64>,
}

impl JobOptions {
    /// The number of jobs that run side by side.
    pub fn number(self) -> u16 {
        let processors = || std::thread::available_parallelism().map_or(1, NonZero::get);
        let per_processor = || u16::try_from(processors()).unwrap_or(u16::MAX);
        self.jobs.unwrap_or_else(per_processor)
    }

    /// The limits of each job.
    pub fn limits(self) -> JobLimits {
        let chosen = self.memory.map(|mebibytes| mebibytes << 20);
        JobLimits {
            deadline: Duration::from_secs(self.deadline),
            memory: chosen.unwrap_or_else(|| JobLimits::share_of_memory(self.number())),
        }
    }
}
