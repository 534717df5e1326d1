//! Statistics that are one number per method, task and iteration. Their means over the tasks are
//! part of every report.
//!
//! Each is a file of this folder with a constant `STATISTIC`, and a name in the list below. Its
//! values are in `statistics.json` under its key, and the page shows them in the table of single
//! iterations and defines them at its end.

mod statistic;

pub use statistic::{IterationStatistic, MethodOnTask, Notation};

macro_rules! statistics {
    ($($name:ident,)*) => {
        $(pub mod $name;)*

        /// All statistics by iteration, in the order in which the page shows them.
        pub const STATISTICS: &[IterationStatistic] = &[$($name::STATISTIC),*];
    };
}

statistics! {
    unsolved_fraction,
    reached_targets,
}
