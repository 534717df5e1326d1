//! Every limit on what comes from outside, in one place.
//!
//! What exceeds one is refused with an error that names the limit and what was
//! found; nothing is cut in silence. `proto/LIMITS.md` lists them all.

/// One limit, as `proto/LIMITS.md` lists it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// What it belongs to, for example "table".
    pub place: &'static str,
    /// Name of its constant.
    pub name: &'static str,
    /// What is limited.
    pub what: &'static str,
    /// The most that is accepted.
    pub most: f64,
}

/// Declares each limit as a constant and lists all of them in `ALL`.
macro_rules! limits {
    ($($place:literal { $(#[doc = $what:literal] $name:ident: $type:ty = $most:expr;)* })*) => {
        $($(#[doc = $what] pub const $name: $type = $most;)*)*

        /// All limits, in the order of `proto/LIMITS.md`.
        pub const ALL: &[Limit] = &[$($(Limit {
            place: $place,
            name: stringify!($name),
            what: $what,
            most: $name as f64,
        },)*)*];
    };
}

limits! {
    "sweep" {
        /// Sweep file.
        MAX_SWEEP_FILE_BYTES: u64 = 1 << 20;
        /// Name of a sweep, black box, method, parameter, column or task; a parameter's value.
        MAX_NAME_BYTES: usize = 200;
        /// Black boxes.
        MAX_BLACKBOXES: usize = 1_000;
        /// Methods of a black box.
        MAX_METHODS: usize = 1_000;
        /// Parameters of a method.
        MAX_PARAMETERS: usize = 100;
        /// Seeds.
        MAX_SEEDS: u32 = 100_000;
        /// Evaluations in a trace, times objectives.
        MAX_ITERATIONS: u32 = 100_000;
        /// Objectives of a black box in files and traces, of which a sweep computes two.
        MAX_OBJECTIVES: usize = 10;
        /// Series: pairs of a method and a target task.
        MAX_SERIES: u64 = 100_000;
        /// Jobs: series times seeds.
        MAX_JOBS: u64 = 10_000_000;
    }
    "external method" {
        /// Files of an external method, together.
        MAX_PROGRAM_BYTES: usize = 1 << 20;
        /// Files of an external method.
        MAX_PROGRAM_FILES: usize = 100;
        /// Words of its command.
        MAX_COMMAND_WORDS: usize = 100;
        /// Seconds until it is ready, and until it answers.
        MAX_PROGRAM_DEADLINE: u32 = 86_400;
        /// Line of an external method.
        MAX_ANSWER_LINE_BYTES: usize = 64 << 10;
        /// End of what an external method writes to its standard error that is kept.
        MAX_LAST_WORDS_BYTES: usize = 4 << 10;
        /// What an external method says that it runs on; of more, the first names are kept.
        MAX_PROGRAM_VERSIONS_BYTES: usize = 1 << 10;
    }
    "table" {
        /// File, packed or not.
        MAX_TABLE_FILE_BYTES: usize = 64 << 20;
        /// The CSV text that a file unpacks to.
        MAX_UNPACKED_BYTES: u64 = 512 << 20;
        /// Members of a zip archive, of which the first is read.
        MAX_ARCHIVE_MEMBERS: usize = 1_000;
        /// One line.
        MAX_LINE_BYTES: usize = 1 << 20;
        /// Columns.
        MAX_COLUMNS: usize = 1_000;
        /// Rows, over all tasks.
        MAX_ROWS: usize = 2_000_000;
        /// Hyperparameter values: rows times hyperparameters.
        MAX_HYPERPARAMETER_VALUES: usize = 20_000_000;
        /// Tasks.
        MAX_TASKS: usize = 10_000;
        /// Levels of a categorical hyperparameter.
        MAX_LEVELS: usize = 1_000;
        /// Text of a level.
        MAX_LEVEL_BYTES: usize = 1_000;
        /// File with given first evaluations.
        MAX_INITIAL_FILE_BYTES: u64 = 16 << 20;
        /// Given first evaluations, as they are kept with the table.
        MAX_INITIAL_BYTES: usize = 1 << 20;
        /// Coordinates of an encoded row: one per numeric hyperparameter and per level.
        MAX_COORDINATES: usize = 10_000;
        /// Magnitude of a number: far from where sums of squares overflow.
        MAX_MAGNITUDE: f64 = 1e100;
    }
    "queue" {
        /// Message.
        MAX_MESSAGE_BYTES: usize = 64 << 10;
    }
    "store" {
        /// Plan of a sweep.
        MAX_SWEEP_BYTES: usize = 4 << 20;
        /// Trace.
        MAX_TRACE_BYTES: usize = 2 << 20;
        /// Record of an attempt.
        MAX_ATTEMPT_BYTES: usize = 64 << 10;
        /// Error text kept with an attempt, and its backtrace; a longer one is cut when it is recorded.
        MAX_ERROR_BYTES: usize = 4 << 10;
        /// Heartbeat of a worker, with the jobs that it holds.
        MAX_HEARTBEAT_BYTES: usize = 64 << 10;
        /// Blob: a table file with its declarations, or a fit.
        MAX_BLOB_BYTES: usize = MAX_TABLE_FILE_BYTES + (3 << 20);
    }
    "gRPC" {
        /// Request.
        MAX_REQUEST_BYTES: usize = 1 << 20;
        /// Answer.
        MAX_ANSWER_BYTES: usize = 64 << 20;
        /// Requests of one connection that are worked on at a time.
        MAX_REQUESTS_PER_CONNECTION: u32 = 64;
        /// Names in a list of a request.
        MAX_REQUEST_NAMES: usize = 1_000;
        /// Seeds in a request.
        MAX_REQUEST_SEEDS: usize = 10_000;
        /// Iterations in a request.
        MAX_REQUEST_ITERATIONS: usize = 1_000;
        /// Sweeps on a page; an answer that would grow too large has fewer.
        MAX_PAGE_SIZE: u32 = 100;
        /// Gaps listed in an answer; their number is told.
        MAX_LISTED_GAPS: usize = 1_000;
        /// Poisoned jobs that are listed in an answer; their number is told.
        MAX_LISTED_POISONED_JOBS: usize = 20;
        /// Conflicts that are listed in an answer.
        MAX_LISTED_CONFLICTS: usize = 20;
        /// Points of all curves in an answer; a point is a mean with its limits, 24 bytes.
        MAX_ANSWER_POINTS: u64 = 1_000_000;
        /// Entries of an answer on improvements: per method and task, and per method and iteration.
        MAX_ANSWER_ENTRIES: usize = 200_000;
        /// Sweeps kept in memory; the one not asked for the longest goes first.
        MAX_WATCHED_SWEEPS: usize = 16;
        /// Analyses kept per sweep; the oldest goes first.
        MAX_ANALYSES: usize = 8;
    }
    "recorded traces" {
        /// The CSV text that a file unpacks to.
        MAX_RECORDED_BYTES: u64 = 2 << 30;
        /// Lines.
        MAX_RECORDED_LINES: usize = 20_000_000;
        /// A file with the results of a method on HPO-B, unpacked.
        MAX_HPOB_BYTES: u64 = 64 << 20;
        /// A file of HPO-B's meta-dataset, and the values of a Syne Tune black box.
        MAX_IMPORTED_BYTES: u64 = 4 << 30;
        /// Optimizers: every statistic compares all with all.
        MAX_OPTIMIZERS: usize = 200;
    }
}

// What the limits allow must fit into what holds it. The longest trace, packed: at most 5 bytes a row
// and a time, 8 a value, of which there are no more than iterations times objectives.
const _: () = assert!(MAX_ITERATIONS as usize * (5 + 8 + 5) + 10_000 < MAX_TRACE_BYTES);
// The largest table, with its declarations.
// Of the declarations, only the names that a pattern stands for are not in the sweep file.
const MOST_DECLARATIONS: usize =
    MAX_SWEEP_FILE_BYTES as usize + 2 * MAX_COLUMNS * (MAX_NAME_BYTES + 30) + 10 * MAX_TASKS;
const _: () =
    assert!(MAX_TABLE_FILE_BYTES + MOST_DECLARATIONS + MAX_INITIAL_BYTES < MAX_BLOB_BYTES);
// The largest program, with its declarations.
const _: () = assert!(MAX_PROGRAM_BYTES + MAX_PROGRAM_BLOB_EXTRA < MAX_BLOB_BYTES);
const MAX_PROGRAM_BLOB_EXTRA: usize =
    (MAX_PROGRAM_FILES + MAX_COMMAND_WORDS + 10) * (MAX_NAME_BYTES + 20);
// The longest error and backtrace: a byte may take six in JSON.
const _: () = assert!(12 * MAX_ERROR_BYTES + 10_000 < MAX_ATTEMPT_BYTES);
// The largest job: a method, its parameters and a task.
const _: () = assert!((2 + 2 * MAX_PARAMETERS) * (MAX_NAME_BYTES + 10) < MAX_MESSAGE_BYTES);

#[cfg(test)]
mod tests {
    use super::*;

    /// A count with separators, a size in the unit that has no fraction.
    fn shown(limit: &Limit) -> String {
        if limit.most >= 1e15 {
            return format!("{:e}", limit.most);
        }
        let most = limit.most as u64;
        if limit.name.ends_with("_BYTES") {
            let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
            let unit = units
                .iter()
                .find(|(shift, _)| most.is_multiple_of(1 << shift));
            return unit.map_or(format!("{most} bytes"), |(shift, unit)| {
                format!("{} {unit}", most >> shift)
            });
        }
        let digits = most.to_string();
        let groups: Vec<&str> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .filter_map(|group| std::str::from_utf8(group).ok())
            .collect();
        groups.join(",")
    }

    #[test]
    fn the_page_lists_every_limit() {
        let row = |limit: &Limit| {
            let what = limit.what.trim().trim_end_matches('.');
            format!("| {} | {what} | {} |\n", limit.place, shown(limit))
        };
        let table: String = ALL.iter().map(row).collect();
        let page = include_str!("../LIMITS.md");
        assert!(
            page.contains(&table),
            "the table in proto/LIMITS.md has to be:\n{table}"
        );
    }
}
