//! Scales the numeric columns of a table over all tasks and numbers levels in sorted order.

use loto_proto::limits::{MAX_COORDINATES, MAX_LEVELS};
use loto_proto::scale::Scale;

use super::encoding::{Column, Hyperparameter, Kind, Space};
use super::error::TableProblem;
use super::header::HyperparameterColumn;
use super::lookup_table::Task;

/// Turns the columns as they were read into coordinates of the unit cube.
pub(super) fn scale(
    columns: Vec<HyperparameterColumn>,
    tasks: &mut [Task],
) -> Result<Space, TableProblem> {
    let scaled = |(index, column): (usize, HyperparameterColumn)| {
        Ok(Hyperparameter {
            kind: match &column.scale {
                Scale::Categorical => sort_levels(&column, index, tasks),
                Scale::Linear | Scale::Boolean => scale_numbers(index, tasks, |number| number),
                Scale::Log => scale_numbers(index, tasks, libm::log),
                Scale::Ordinal => {
                    let values = distinct_values(index, tasks);
                    if values.len() > MAX_LEVELS {
                        return Err(TableProblem::TooManyOrdinalValues(column.name));
                    }
                    let position = |number| values.partition_point(|&value| value < number);
                    scale_positions(index, tasks, values.len(), |number| position(number) as f64)
                }
                Scale::Levels(levels) => {
                    scale_positions(index, tasks, levels.len(), |position| position)
                }
            },
            name: column.name,
        })
    };
    let hyperparameters = columns.into_iter().enumerate().map(scaled);
    let space = Space {
        hyperparameters: hyperparameters.collect::<Result<_, TableProblem>>()?,
    };
    match space.width() {
        coordinates if coordinates > MAX_COORDINATES => {
            Err(TableProblem::TooManyCoordinates(coordinates))
        }
        _ => Ok(space),
    }
}

/// The values of a numeric column over all tasks, ascending, each once.
pub(super) fn distinct_values(index: usize, tasks: &[Task]) -> Vec<f64> {
    let columns = tasks.iter().map(|task| &task.columns[index]);
    let numbers = columns.flat_map(|column| match column {
        Column::Numeric(values) => values.as_slice(),
        Column::Categorical(_) => &[],
    });
    let mut values: Vec<f64> = numbers.copied().collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    values
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

/// Scales what `axis` makes of the numbers, which must not fall where they rise.
fn scale_numbers(index: usize, tasks: &mut [Task], axis: impl Fn(f64) -> f64) -> Kind {
    let (mut minimum, mut maximum) = (f64::INFINITY, f64::NEG_INFINITY);
    for task in &*tasks {
        if let Column::Numeric(values) = &task.columns[index] {
            minimum = values.iter().copied().fold(minimum, f64::min);
            maximum = values.iter().copied().fold(maximum, f64::max);
        }
    }
    let (least, greatest) = (axis(minimum), axis(maximum));
    change_numbers(index, tasks, |number| match greatest > least {
        true => ((axis(number) - least) / (greatest - least)).clamp(0.0, 1.0),
        false => 0.0,
    });
    Kind::Numeric { minimum, maximum }
}

/// Scales the positions of the numbers in an order of `count` levels.
fn scale_positions(
    index: usize,
    tasks: &mut [Task],
    count: usize,
    position: impl Fn(f64) -> f64,
) -> Kind {
    let last = count.saturating_sub(1) as f64;
    change_numbers(index, tasks, |number| match last > 0.0 {
        true => position(number) / last,
        false => 0.0,
    });
    Kind::Numeric {
        minimum: 0.0,
        maximum: last,
    }
}

fn change_numbers(index: usize, tasks: &mut [Task], change: impl Fn(f64) -> f64) {
    for task in tasks {
        if let Column::Numeric(values) = &mut task.columns[index] {
            for value in values {
                *value = change(*value);
            }
        }
    }
}
