//! The configurations of a candidate pool, arranged for kernels.
//!
//! Squared distances from one observed point to the candidates of a block are
//! summed coordinate by coordinate over candidates that lie side by side. A grid of
//! categorical hyperparameters has few combinations of a few of them, so its
//! columns are put in groups: per observed point the distance to each combination
//! is computed once, and a candidate's is the sum of one look-up per group. The pool
//! is sorted by its combinations, so that on a full grid the look-ups of the first
//! group follow each other and those of the others stay the same for long.

use std::ops::Range;

use pulp::Simd;

use super::gaussian_process::Posterior;
use crate::acquisition::maximisation::BLOCK;
use crate::table::encoding::{Column, Space};

/// Most combinations of categorical levels in a group.
const GROUP_COMBINATIONS: usize = 1024;

/// Shortest stretch worth treating as one.
const SHORTEST_STRETCH: usize = 8;

/// Numeric columns and groups of categorical ones.
pub(super) struct PoolColumns {
    /// Coordinate and values of each numeric hyperparameter.
    numeric: Vec<(usize, Vec<f64>)>,
    groups: Vec<Group>,
    /// Of each block, if there is a group.
    stretches: Vec<Vec<Stretch>>,
}

/// Candidates of a block that lie side by side.
struct Stretch {
    /// Their places in the block.
    places: Range<usize>,
    order: Order,
}

/// How combinations follow each other in a stretch. All groups but the first have the
/// same one throughout, unless it is scattered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The first group's stays the same too.
    Constant,
    /// The first group's number goes up by 1 from candidate to candidate.
    Ascending,
    /// Anything.
    Scattered,
}

/// Categorical hyperparameters whose combinations are looked up together.
struct Group {
    /// First coordinate and number of levels of each member.
    members: Vec<(usize, usize)>,
    /// Number of combinations.
    combinations: usize,
    /// Each candidate's combination: the first member's level counts 1, the second's
    /// the number of levels of the first, and so on.
    codes: Vec<u16>,
}

/// Squared distances of each group's combinations to each of some points.
#[derive(Default)]
pub(super) struct LookUps(Vec<Vec<f64>>);

impl PoolColumns {
    /// Arranges `rows` of a task, and sorts them so that combinations follow each other.
    pub(super) fn new(space: &Space, columns: &[Column], rows: &mut [u32]) -> Self {
        let mut numeric = Vec::new();
        let mut categorical = Vec::new();
        let mut first = 0;
        for (hyperparameter, column) in space.hyperparameters.iter().zip(columns) {
            let width = hyperparameter.kind.width();
            match column {
                Column::Numeric(values) => numeric.push((first, values)),
                Column::Categorical(levels) => categorical.push((first, width, levels.as_slice())),
            }
            first += width;
        }
        let members_of_groups = group(categorical);
        rows.sort_by_cached_key(|&row| {
            let groups = members_of_groups.iter().rev();
            groups
                .map(|members| code(members, row))
                .collect::<Vec<u16>>()
        });
        let pick = |values: &Vec<f64>| rows.iter().map(|&row| values[row as usize]).collect();
        let groups: Vec<Group> = members_of_groups
            .iter()
            .map(|members| Group::new(members, rows))
            .collect();
        Self {
            numeric: numeric
                .into_iter()
                .map(|(first, values)| (first, pick(values)))
                .collect(),
            stretches: stretches(&groups, rows.len()),
            groups,
        }
    }

    /// One column of a block's kernel matrix: the kernel between `point`, which has
    /// number `index` in the look-ups, and the candidates of the block from `first` on.
    pub(super) fn correlate(
        &self,
        posterior: &Posterior,
        point: &[f64],
        look_ups: (&LookUps, usize),
        first: usize,
        column: &mut [f64],
    ) {
        correlate(self, posterior, point, look_ups, first, column);
    }

    /// Computes the look-ups for points that lie one after the other.
    pub(super) fn look_up(&self, weights: &[f64], points: &[f64], look_ups: &mut LookUps) {
        look_ups.0.resize(self.groups.len(), Vec::new());
        for (group, look_up) in self.groups.iter().zip(&mut look_ups.0) {
            look_up.clear();
            for point in points.chunks_exact(weights.len()) {
                group.append_distances(point, weights, look_up);
            }
        }
    }
}

#[pulp::with_simd(correlate = pulp::Arch::new())]
#[inline(always)]
fn correlate_with<'a, S: Simd>(
    _simd: S,
    pool: &'a PoolColumns,
    posterior: &'a Posterior,
    point: &'a [f64],
    (look_ups, index): (&'a LookUps, usize),
    first: usize,
    column: &'a mut [f64],
) {
    let candidates = first..first + column.len();
    column.fill(0.0);
    for (coordinate, values) in &pool.numeric {
        let (weight, centre) = (posterior.weights[*coordinate], point[*coordinate]);
        for (sum, value) in column.iter_mut().zip(&values[candidates.clone()]) {
            let difference = value - centre;
            *sum = (weight * difference).mul_add(difference, *sum);
        }
    }
    let distances = |group: usize| {
        let combinations = pool.groups[group].combinations;
        &look_ups.0[group][index * combinations..(index + 1) * combinations]
    };
    for Stretch { places, order } in pool.stretches.get(first / BLOCK).into_iter().flatten() {
        let column = &mut column[places.clone()];
        let candidates = first + places.start..first + places.end;
        if *order == Order::Scattered {
            for (number, group) in pool.groups.iter().enumerate() {
                let distances = distances(number);
                for (sum, code) in column.iter_mut().zip(&group.codes[candidates.clone()]) {
                    *sum += distances[usize::from(*code)];
                }
            }
            continue;
        }
        let mut constant = 0.0;
        for (number, group) in pool.groups.iter().enumerate().skip(1) {
            constant += distances(number)[usize::from(group.codes[candidates.start])];
        }
        let code = usize::from(pool.groups[0].codes[candidates.start]);
        if *order == Order::Constant {
            constant += distances(0)[code];
            column.iter_mut().for_each(|sum| *sum += constant);
        } else {
            let distances = &distances(0)[code..code + column.len()];
            for (sum, distance) in column.iter_mut().zip(distances) {
                *sum += distance + constant;
            }
        }
    }
    posterior.kernel.covariances(posterior.signal, column);
}

/// First coordinate, number of levels, and levels by row.
type CategoricalColumn<'a> = (usize, usize, &'a [u16]);

/// Puts categorical columns in groups of few combinations, the largest first.
fn group(mut columns: Vec<CategoricalColumn>) -> Vec<Vec<CategoricalColumn>> {
    columns.sort_by_key(|&(_, width, _)| std::cmp::Reverse(width));
    let mut groups: Vec<(usize, Vec<CategoricalColumn>)> = Vec::new();
    for column in columns {
        let fits = |group: &&mut (usize, Vec<_>)| group.0 * column.1 <= GROUP_COMBINATIONS;
        match groups.iter_mut().find(fits) {
            Some((combinations, members)) => {
                *combinations *= column.1;
                members.push(column);
            }
            None => groups.push((column.1, vec![column])),
        }
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

/// A row's combination in a group.
fn code(members: &[CategoricalColumn], row: u32) -> u16 {
    let add =
        |code, &(_, width, levels): &CategoricalColumn| code * width as u16 + levels[row as usize];
    members.iter().rev().fold(0, add)
}

/// Cuts each block of `rows` candidates into stretches.
fn stretches(groups: &[Group], rows: usize) -> Vec<Vec<Stretch>> {
    let Some((inner, outer)) = groups.split_first() else {
        return Vec::new();
    };
    let follows = |order: Order, place: usize| {
        let step = inner.codes[place].wrapping_sub(inner.codes[place - 1]);
        let same = |group: &Group| group.codes[place] == group.codes[place - 1];
        step == u16::from(order == Order::Ascending) && outer.iter().all(same)
    };
    let cut = |first: usize| {
        let end = rows.min(first + BLOCK);
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut start = first;
        while start < end {
            let longest = [Order::Constant, Order::Ascending].map(|order| {
                let length = (start + 1..end).take_while(|&place| follows(order, place));
                (1 + length.count(), order)
            });
            let [constant, ascending] = longest;
            let (length, order) = if constant.0 > ascending.0 {
                constant
            } else {
                ascending
            };
            let places = start - first..start - first + length;
            let last = stretches.last_mut();
            match last.filter(|last| last.order == Order::Scattered) {
                Some(last) if length < SHORTEST_STRETCH => last.places.end = places.end,
                _ if length < SHORTEST_STRETCH => stretches.push(Stretch {
                    places,
                    order: Order::Scattered,
                }),
                _ => stretches.push(Stretch { places, order }),
            }
            start += length;
        }
        stretches
    };
    (0..rows).step_by(BLOCK).map(cut).collect()
}

impl Group {
    fn new(columns: &[CategoricalColumn], rows: &[u32]) -> Self {
        Self {
            members: columns
                .iter()
                .map(|&(first, width, _)| (first, width))
                .collect(),
            combinations: columns.iter().map(|(_, width, _)| width).product(),
            codes: rows.iter().map(|&row| code(columns, row)).collect(),
        }
    }

    /// Appends the squared distance from `point` to each combination.
    fn append_distances(&self, point: &[f64], weights: &[f64], distances: &mut Vec<f64>) {
        let levels: Vec<Vec<f64>> = self
            .members
            .iter()
            .map(|&(first, width)| {
                let (point, weights) =
                    (&point[first..first + width], &weights[first..first + width]);
                let distance = |level: usize| {
                    (0..width)
                        .map(|k| {
                            let difference = if k == level { 1.0 - point[k] } else { point[k] };
                            weights[k] * difference * difference
                        })
                        .sum()
                };
                (0..width).map(distance).collect()
            })
            .collect();
        distances.extend((0..self.combinations).map(|mut code| -> f64 {
            let members = levels.iter();
            members
                .map(|distances| {
                    let level = code % distances.len();
                    code /= distances.len();
                    distances[level]
                })
                .sum()
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surrogate::matern::correlation;
    use crate::table::encoding::{Hyperparameter, Kind};

    fn space(levels: &[u16]) -> Space {
        let categorical = |&levels: &u16| Kind::Categorical {
            levels: (0..levels).map(|level| level.to_string()).collect(),
        };
        let numeric = Kind::Numeric {
            minimum: 0.0,
            maximum: 1.0,
        };
        let kinds = std::iter::once(numeric).chain(levels.iter().map(categorical));
        let hyperparameters = kinds.map(|kind| Hyperparameter {
            name: "hp".into(),
            kind,
        });
        Space {
            hyperparameters: hyperparameters.collect(),
        }
    }

    /// A numeric column, and the grid of all levels in scrambled order, of which every
    /// row is there or, if not `whole`, about half of them.
    fn columns(levels: &[u16], whole: bool) -> Vec<Column> {
        let count: usize = levels.iter().copied().map(usize::from).product();
        let numbers: Vec<usize> = (0..count)
            .map(|row| row * 7_919 % count)
            .filter(|number| whole || number * 31 % 100 < 50)
            .collect();
        let numeric = numbers.iter().map(|number| (*number % 97) as f64 / 96.0);
        let mut columns = vec![Column::Numeric(numeric.collect())];
        let mut stride = 1;
        for &levels in levels {
            let level = |number: &usize| (number / stride % usize::from(levels)) as u16;
            columns.push(Column::Categorical(numbers.iter().map(level).collect()));
            stride *= usize::from(levels);
        }
        columns
    }

    #[test]
    fn kernels_agree_with_distances_between_encoded_rows() {
        let levels = [5, 40, 4, 3];
        let space = space(&levels);
        let width = space.width();
        let posterior = Posterior {
            weights: (0..width).map(|k| 0.1 + 0.01 * k as f64).collect(),
            signal: 1.7,
            ..Posterior::default()
        };
        for whole in [true, false] {
            let columns = columns(&levels, whole);
            let encode = |row: u32| {
                let mut point = vec![0.0; width];
                space.encode(&columns, row as usize, &mut point);
                point
            };
            let count = match &columns[0] {
                Column::Numeric(values) => values.len() as u32,
                Column::Categorical(levels) => levels.len() as u32,
            };
            let mut rows: Vec<u32> = (0..count).collect();
            let pool = PoolColumns::new(&space, &columns, &mut rows);
            let orders = || pool.stretches.iter().flatten().map(|stretch| stretch.order);
            assert_eq!(orders().any(|order| order == Order::Ascending), whole);
            assert_eq!(orders().any(|order| order == Order::Scattered), !whole);
            let points = [encode(11), encode(700)].concat();
            let mut look_ups = LookUps::default();
            pool.look_up(&posterior.weights, &points, &mut look_ups);
            for (index, point) in points.chunks_exact(width).enumerate() {
                for (block, rows) in rows.chunks(BLOCK).enumerate() {
                    let mut column = vec![0.0; rows.len()];
                    let look_ups = (&look_ups, index);
                    pool.correlate(&posterior, point, look_ups, block * BLOCK, &mut column);
                    for (&row, found) in rows.iter().zip(column) {
                        let coordinates = encode(row).into_iter().zip(point);
                        let squared: f64 = coordinates
                            .zip(&posterior.weights)
                            .map(|((left, right), weight)| weight * (left - right).powi(2))
                            .sum();
                        let expected = 1.7 * correlation(squared);
                        assert!((found - expected).abs() < 1e-13, "row {row}");
                    }
                }
            }
        }
    }
}
