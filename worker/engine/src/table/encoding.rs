//! Hyperparameters as points of the unit cube.
//!
//! A numeric hyperparameter is min-max scaled over all tasks of the table, on the scale that is
//! declared for it; a categorical one is one-hot encoded. Categorical columns are kept as level
//! numbers: a grid of 60,000 rows stays small and its structure stays visible.

use std::ops::Range;

/// The hyperparameters of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    /// In the order of their columns.
    pub hyperparameters: Vec<Hyperparameter>,
}

/// One hyperparameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperparameter {
    /// Column name, with its `hp_`.
    pub name: String,
    /// How it is encoded.
    pub kind: Kind,
}

/// How a hyperparameter is encoded.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// One coordinate, scaled from [minimum, maximum] to [0, 1].
    Numeric {
        /// Least value over all tasks; 0 if levels are numbered.
        minimum: f64,
        /// Greatest value over all tasks, or number of the last level.
        maximum: f64,
    },
    /// One coordinate per level, 1 for the level taken and 0 for the others.
    Categorical {
        /// The levels' texts, sorted.
        levels: Vec<String>,
    },
}

/// The values of one hyperparameter on the rows of one task.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Scaled to [0, 1].
    Numeric(Vec<f64>),
    /// Numbers of levels.
    Categorical(Vec<u16>),
}

impl Column {
    /// The values of some rows, in their order.
    pub(crate) fn of_rows(&self, rows: &[u32]) -> Self {
        let rows = rows.iter().map(|&row| row as usize);
        match self {
            Self::Numeric(values) => Self::Numeric(rows.map(|row| values[row]).collect()),
            Self::Categorical(levels) => Self::Categorical(rows.map(|row| levels[row]).collect()),
        }
    }

    /// The value of a row: a coordinate, or the number of a level.
    pub fn value(&self, row: u32) -> f64 {
        match self {
            Self::Numeric(values) => values[row as usize],
            Self::Categorical(levels) => f64::from(levels[row as usize]),
        }
    }
}

impl Kind {
    /// Number of coordinates.
    pub fn width(&self) -> usize {
        match self {
            Self::Numeric { .. } => 1,
            Self::Categorical { levels } => levels.len(),
        }
    }
}

impl Space {
    /// A space of `width` numeric hyperparameters.
    pub(crate) fn numeric(width: usize) -> Self {
        let hyperparameter = |index| Hyperparameter {
            name: format!("hp_{index}"),
            kind: Kind::Numeric {
                minimum: 0.0,
                maximum: 1.0,
            },
        };
        Self {
            hyperparameters: (0..width).map(hyperparameter).collect(),
        }
    }

    /// Number of coordinates of an encoded row.
    pub fn width(&self) -> usize {
        self.hyperparameters
            .iter()
            .map(|hyperparameter| hyperparameter.kind.width())
            .sum()
    }

    /// Writes the encoded row, [`Self::width`] coordinates, to `point`.
    pub fn encode(&self, columns: &[Column], row: usize, point: &mut [f64]) {
        point.fill(0.0);
        let mut first = 0;
        for (hyperparameter, column) in self.hyperparameters.iter().zip(columns) {
            match column {
                Column::Numeric(values) => point[first] = values[row],
                Column::Categorical(levels) => point[first + usize::from(levels[row])] = 1.0,
            }
            first += hyperparameter.kind.width();
        }
    }

    /// Writes the encoded rows of some tasks, given by their columns, one after the other.
    ///
    /// It goes by hyperparameters, so that the memory of many rows is waited for at a time.
    pub(crate) fn encode_batch(&self, rows: &[(&[Column], usize)], points: &mut [f32]) {
        let width = self.width();
        points.fill(0.0);
        let mut first = 0;
        for (number, hyperparameter) in self.hyperparameters.iter().enumerate() {
            for (&(columns, row), point) in rows.iter().zip(points.chunks_exact_mut(width)) {
                match &columns[number] {
                    Column::Numeric(values) => point[first] = values[row] as f32,
                    Column::Categorical(levels) => point[first + usize::from(levels[row])] = 1.0,
                }
            }
            first += hyperparameter.kind.width();
        }
    }

    /// Writes some encoded rows coordinate by coordinate: `count` places for each coordinate, as many as there are rows or
    /// more. Those beyond the last row become 0.
    pub(crate) fn encode_by_coordinate(
        &self,
        columns: &[Column],
        rows: Range<usize>,
        count: usize,
        coordinates: &mut [f32],
    ) {
        coordinates.fill(0.0);
        let mut rest = coordinates;
        for (hyperparameter, column) in self.hyperparameters.iter().zip(columns) {
            let own;
            (own, rest) = rest.split_at_mut(hyperparameter.kind.width() * count);
            match column {
                Column::Numeric(values) => {
                    for (place, value) in own.iter_mut().zip(&values[rows.clone()]) {
                        *place = *value as f32;
                    }
                }
                Column::Categorical(levels) => {
                    for (place, level) in levels[rows.clone()].iter().enumerate() {
                        own[usize::from(*level) * count + place] = 1.0;
                    }
                }
            }
        }
    }

    /// The encoded rows one after the other, in single precision.
    pub fn encode_single(&self, columns: &[Column], rows: Range<usize>) -> Vec<f32> {
        let mut point = vec![0.0; self.width()];
        let mut inputs = Vec::with_capacity(rows.len() * point.len());
        for row in rows {
            self.encode(columns, row, &mut point);
            inputs.extend(point.iter().map(|&coordinate| coordinate as f32));
        }
        inputs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_same_coordinate_by_coordinate_and_one_after_the_other() {
        let mut space = Space::numeric(3);
        let levels = ["a", "b", "c", "d"].map(String::from).to_vec();
        space.hyperparameters[1].kind = Kind::Categorical { levels };
        let columns = [
            Column::Numeric(vec![0.1, 0.2, 0.3, 0.4]),
            Column::Categorical(vec![3, 0, 2, 1]),
            Column::Numeric(vec![0.9, 0.8, 0.7, 0.6]),
        ];
        let mut coordinates = [7.0; 6 * 5];
        space.encode_by_coordinate(&columns, 1..4, 5, &mut coordinates);
        let rows = space.encode_single(&columns, 1..4);
        for (coordinate, places) in coordinates.chunks_exact(5).enumerate() {
            let of_rows: Vec<f32> = rows.iter().skip(coordinate).step_by(6).copied().collect();
            assert_eq!(places[..3], of_rows);
            assert_eq!(places[3..], [0.0, 0.0]);
        }
    }
}
