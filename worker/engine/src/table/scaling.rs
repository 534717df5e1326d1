//! Scales the numeric columns of a table over all tasks and numbers levels in sorted order.

use super::encoding::{Column, Hyperparameter, Kind, Space};
use super::header::HyperparameterColumn;
use super::lookup_table::Task;

/// Turns the columns as they were read into coordinates of the unit cube.
pub(super) fn scale(columns: Vec<HyperparameterColumn>, tasks: &mut [Task]) -> Space {
    let scaled = |(index, column): (usize, HyperparameterColumn)| Hyperparameter {
        kind: match column.categorical {
            true => sort_levels(&column, index, tasks),
            false => scale_numbers(index, tasks),
        },
        name: column.name,
    };
    Space {
        hyperparameters: columns.into_iter().enumerate().map(scaled).collect(),
    }
}

fn sort_levels(column: &HyperparameterColumn, index: usize, tasks: &mut [Task]) -> Kind {
    let mut sorted_numbers = vec![0; column.levels.len()];
    for (sorted, &read) in column.levels.values().enumerate() {
        sorted_numbers[usize::from(read)] = sorted as u16;
    }
    for task in tasks {
        if let Column::Categorical(levels) = &mut task.columns[index] {
            for level in levels {
                *level = sorted_numbers[usize::from(*level)];
            }
        }
    }
    Kind::Categorical {
        levels: column.levels.keys().cloned().collect(),
    }
}

fn scale_numbers(index: usize, tasks: &mut [Task]) -> Kind {
    let (mut minimum, mut maximum) = (f64::INFINITY, f64::NEG_INFINITY);
    for task in &*tasks {
        if let Column::Numeric(values) = &task.columns[index] {
            minimum = values.iter().copied().fold(minimum, f64::min);
            maximum = values.iter().copied().fold(maximum, f64::max);
        }
    }
    for task in tasks {
        if let Column::Numeric(values) = &mut task.columns[index] {
            for value in values {
                *value = match maximum > minimum {
                    true => ((*value - minimum) / (maximum - minimum)).clamp(0.0, 1.0),
                    false => 0.0,
                };
            }
        }
    }
    Kind::Numeric { minimum, maximum }
}
