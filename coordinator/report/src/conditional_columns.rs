//! CSV files and columns that only some sweeps have: those with two objectives, and those with costs.

use crate::csv_columns::{Columns, CsvFile};

/// The file of a report with the fronts of two objectives.
pub(crate) const FRONTS_FILE: &str = "fronts.csv";

/// The file of a report with curves over cost.
pub(crate) const COST_CURVES_FILE: &str = "curves_over_cost.csv";

/// There if a black box has two objectives.
pub(crate) const FRONTS: CsvFile = CsvFile::new(FRONTS_FILE, "a point of a front", FRONT_COLUMNS);

/// There if a black box has costs.
pub(crate) const COST_CURVES: CsvFile = CsvFile::new(
    COST_CURVES_FILE,
    "a black box, method and cost",
    COST_CURVE_COLUMNS,
);

const FRONT_COLUMNS: Columns = &[
    ("blackbox", "name of the black box"),
    ("task", "name of the target task"),
    (
        "method",
        "name of the method, whose front is what at least half of its seeds attain; empty for the front of the table",
    ),
    ("value", "value of the first objective"),
    ("value_2", "value of the second objective"),
];

const COST_CURVE_COLUMNS: Columns = &[
    ("blackbox", "name of the black box"),
    ("method", "name of the method"),
    (
        "cost",
        "what the evaluations cost together, in mean costs of a row of the task's table",
    ),
    (
        "adtm",
        "average over the tasks of the distance to the minimum or, with two objectives, of the hypervolume error; 0 is best",
    ),
    (
        "average_rank",
        "mean over the tasks of its rank; empty before every method has a value on every task",
    ),
];

/// Further columns of every evaluation, each there if a trace has it.
pub(crate) const SECOND_VALUE: (&str, &str) = (
    "value_2",
    "value of the second objective; the column is there if any black box has two",
);

/// What an evaluation costs.
pub(crate) const COST: (&str, &str) = (
    "cost",
    "what the evaluation costs; the column is there if any black box has costs",
);
