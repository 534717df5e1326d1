//! What the columns of a table hold, before they are scaled: for those who look at a sweep before it runs.

use loto_proto::scale::Scale;

use super::encoding::Column;
use super::header::HyperparameterColumn;
use super::lookup_table::Task;
use super::scaling::distinct_values;

/// How far the steps between logarithms may differ from their mean where values are a geometric
/// grid: 10, 32, 100, 316, 1000 are one.
const GRID_TOLERANCE: f64 = 0.05;

/// Least number of values of a geometric grid: any two values are one, and of three many are.
const LEAST_GRID: usize = 4;

/// What a column of hyperparameters holds.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnProfile {
    /// The column's name, with its `hp_`.
    pub name: String,
    /// Its scale.
    pub scale: Scale,
    /// Its values, over all tasks.
    pub values: Values,
    /// Why the scale might be log, if it is linear.
    pub log: Option<LogEvidence>,
}

/// The values of a column, over all tasks.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Numbers.
    Numbers {
        /// The least.
        minimum: f64,
        /// The greatest.
        maximum: f64,
        /// How many different ones there are.
        count: usize,
        /// True if all are whole numbers.
        whole: bool,
    },
    /// Levels: those that occur, sorted, or those that are declared, in their order.
    Levels(Vec<String>),
}

impl Values {
    /// How many different values there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Numbers { count, .. } => *count,
            Self::Levels(levels) => levels.len(),
        }
    }
}

/// Why a column might be meant to be searched on a log scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LogEvidence {
    /// Each value is the one before it times the same factor.
    Grid {
        /// The factor.
        factor: f64,
    },
    /// The greatest value is many times the least, and half of the rows have values in the lowest fifth
    /// of the range. Numbers that are spread evenly do not, however far they reach: a range that
    /// begins near 0 has any number of decades.
    LowEnd {
        /// The greatest value, in multiples of the least.
        ratio: f64,
    },
}

/// Says what each column holds. The tasks have numbers as they were read.
pub(super) fn profiles(columns: &[HyperparameterColumn], tasks: &[Task]) -> Vec<ColumnProfile> {
    let columns = columns.iter().enumerate();
    let profile = |(index, column): (usize, &HyperparameterColumn)| {
        let (values, log) = match &column.scale {
            Scale::Levels(levels) => (Values::Levels(levels.clone()), None),
            Scale::Categorical => {
                let levels = column.levels.keys().cloned();
                (Values::Levels(levels.collect()), None)
            }
            scale => {
                let distinct = distinct_values(index, tasks);
                let log = match scale {
                    Scale::Linear => log_evidence(&distinct, index, tasks),
                    _ => None,
                };
                (numbers(&distinct), log)
            }
        };
        ColumnProfile {
            name: column.name.clone(),
            scale: column.scale.clone(),
            values,
            log,
        }
    };
    columns.map(profile).collect()
}

fn numbers(distinct: &[f64]) -> Values {
    Values::Numbers {
        minimum: distinct.first().copied().unwrap_or_default(),
        maximum: distinct.last().copied().unwrap_or_default(),
        count: distinct.len(),
        whole: distinct.iter().all(|value| value.fract() == 0.0),
    }
}

fn log_evidence(distinct: &[f64], index: usize, tasks: &[Task]) -> Option<LogEvidence> {
    let (&minimum, &maximum) = (distinct.first()?, distinct.last()?);
    if minimum <= 0.0 {
        return None;
    }
    let ratio = maximum / minimum;
    let steps = distinct.len() - 1;
    // Where values hardly differ, any even steps are nearly even in the logarithm, too.
    if distinct.len() >= LEAST_GRID && ratio >= 4.0 {
        let mean = libm::log(ratio) / steps as f64;
        let is_even = |pair: &[f64]| {
            let step = libm::log(pair[1] / pair[0]);
            (step - mean).abs() <= GRID_TOLERANCE * mean
        };
        if distinct.windows(2).all(is_even) {
            let factor = libm::exp(mean);
            return Some(LogEvidence::Grid { factor });
        }
    }
    let bound = minimum + 0.2 * (maximum - minimum);
    let (mut low, mut rows) = (0, 0);
    for task in tasks {
        if let Column::Numeric(values) = &task.columns[index] {
            rows += values.len();
            low += values.iter().filter(|&&value| value <= bound).count();
        }
    }
    let gathers = distinct.len() >= LEAST_GRID && ratio >= 10.0 && 2 * low >= rows;
    gathers.then_some(LogEvidence::LowEnd { ratio })
}
