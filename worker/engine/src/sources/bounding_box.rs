//! The bounding box of the sources' best configurations (Perrone et al. 2019,
//! Learning search spaces for Bayesian optimization, section 4.1).

use super::best_configurations::best_row;
use crate::error::EngineError;
use crate::setting::Setting;
use crate::table::encoding::Column;
use crate::transform::Transform;

/// For each hyperparameter the values that lie within the box.
#[derive(Debug, PartialEq)]
pub(crate) struct BoundingBox {
    sides: Vec<Side>,
}

#[derive(Debug, PartialEq)]
enum Side {
    /// A numeric hyperparameter: from the least to the greatest of the best values.
    Interval(f64, f64),
    /// A categorical one: the levels that a best configuration has.
    Levels(Vec<u16>),
}

impl Side {
    fn of(column: &Column, row: usize) -> Self {
        match column {
            Column::Numeric(values) => Self::Interval(values[row], values[row]),
            Column::Categorical(levels) => Self::Levels(vec![levels[row]]),
        }
    }

    fn stretch(&mut self, other: Self) {
        match (self, other) {
            (Self::Interval(least, greatest), Self::Interval(from, to)) => {
                *least = least.min(from);
                *greatest = greatest.max(to);
            }
            (Self::Levels(levels), Self::Levels(others)) => levels.extend(others),
            _ => unreachable!("a hyperparameter has one kind on all tasks of a table"),
        }
    }

    fn contains(&self, column: &Column, row: usize) -> bool {
        match (self, column) {
            (Self::Interval(least, greatest), Column::Numeric(values)) => {
                (*least..=*greatest).contains(&values[row])
            }
            (Self::Levels(allowed), Column::Categorical(levels)) => allowed.contains(&levels[row]),
            _ => unreachable!("a hyperparameter has one kind on all tasks of a table"),
        }
    }
}

impl BoundingBox {
    /// The least box that contains each of the configurations: columns of a task and
    /// a row in them. `None` if there is no configuration.
    pub(crate) fn around<'a>(
        configurations: impl Iterator<Item = (&'a [Column], usize)>,
    ) -> Option<Self> {
        let point = |(columns, row): (&[Column], usize)| Self {
            sides: columns.iter().map(|column| Side::of(column, row)).collect(),
        };
        configurations.map(point).reduce(|mut whole, point| {
            for (side, other) in whole.sides.iter_mut().zip(point.sides) {
                side.stretch(other);
            }
            whole
        })
    }

    /// The box around the best configuration of every source of the setting.
    ///
    /// # Errors
    /// Those of [`Setting::sources`].
    pub(crate) fn of_sources(setting: &Setting) -> Result<Option<Self>, EngineError> {
        // Of one objective any increasing transform leaves the best row the best. With several it is the one of least
        // average, as the methods that search the box transform their observations.
        let sources = setting.sources(Transform::Standardisation)?;
        let best = sources.iter().filter_map(|source| {
            let row = best_row(&source)?;
            Some((source.task.columns.as_slice(), row))
        });
        Ok(Self::around(best))
    }

    /// Whether a row of a task's columns lies within the box, its borders included.
    pub(crate) fn contains(&self, columns: &[Column], row: usize) -> bool {
        let mut sides = self.sides.iter().zip(columns);
        sides.all(|(side, column)| side.contains(column, row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_spans_intervals_and_allows_the_levels_seen() {
        // Best configurations: (0.2, level 3), (0.6, level 0), (0.4, level 3).
        let columns = [
            Column::Numeric(vec![0.2, 0.6, 0.4]),
            Column::Categorical(vec![3, 0, 3]),
        ];
        let all = (0..3).map(|row| (columns.as_slice(), row));
        let bounding_box = BoundingBox::around(all).unwrap();
        let rows = [
            (0.2, 0, true),
            (0.6, 3, true),
            (0.5, 0, true),
            (0.5, 1, false),
            (0.5, 2, false),
            (0.19, 3, false),
            (0.61, 3, false),
        ];
        for (value, level, expected) in rows {
            let row = [
                Column::Numeric(vec![value]),
                Column::Categorical(vec![level]),
            ];
            assert_eq!(bounding_box.contains(&row, 0), expected, "{value} {level}");
        }
        assert_eq!(BoundingBox::around(std::iter::empty()), None);
    }
}
