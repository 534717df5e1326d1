//! Groups of categorical hyperparameters, and the order in which their combinations follow each other in a pool.

use std::ops::Range;

use crate::acquisition::maximisation::BLOCK;

/// Most combinations of categorical levels in a group.
const GROUP_COMBINATIONS: usize = 1024;

/// Shortest stretch worth treating as one.
const SHORTEST_STRETCH: usize = 8;

/// Candidates of a block that lie side by side.
pub(super) struct Stretch {
    /// Their places in the block.
    pub(super) places: Range<usize>,
    pub(super) order: Order,
}

/// How combinations follow each other in a stretch. All groups but the first have the
/// same one throughout, unless it is scattered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// The first group's stays the same too.
    Constant,
    /// The first group's number goes up by 1 from candidate to candidate.
    Ascending,
    /// Anything.
    Scattered,
    /// Anything, of candidates that were picked from stretches of the first two kinds: their distances are the same bits as
    /// there.
    Picked,
}

/// Categorical hyperparameters whose combinations are looked up together.
pub(super) struct Group {
    /// First coordinate and number of levels of each member.
    members: Vec<(usize, usize)>,
    /// Number of combinations.
    pub(super) combinations: usize,
    /// Each candidate's combination: the first member's level counts 1, the second's
    /// the number of levels of the first, and so on.
    pub(super) codes: Vec<u16>,
}

/// First coordinate, number of levels, and levels by row.
pub(super) type CategoricalColumn<'a> = (usize, usize, &'a [u16]);

/// Puts categorical columns in groups of few combinations, the largest first.
pub(super) fn group(mut columns: Vec<CategoricalColumn>) -> Vec<Vec<CategoricalColumn>> {
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
pub(super) fn code(members: &[CategoricalColumn], row: u32) -> u16 {
    let add =
        |code, &(_, width, levels): &CategoricalColumn| code * width as u16 + levels[row as usize];
    members.iter().rev().fold(0, add)
}

/// Cuts each block of `rows` candidates into stretches.
pub(super) fn stretches(groups: &[Group], rows: usize) -> Vec<Vec<Stretch>> {
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

/// What the `stretches` of a block become if the candidates at some `places`, in increasing order, alone are left.
pub(super) fn picked_stretches(stretches: &[Stretch], places: &[usize]) -> Vec<Stretch> {
    let mut picked: Vec<Stretch> = Vec::new();
    for stretch in stretches {
        let order = match stretch.order {
            Order::Scattered => Order::Scattered,
            Order::Constant | Order::Ascending | Order::Picked => Order::Picked,
        };
        let start = picked.last().map_or(0, |last| last.places.end);
        let end = places.partition_point(|&place| place < stretch.places.end);
        match picked.last_mut() {
            Some(last) if last.order == order => last.places.end = end,
            _ if start == end => {}
            _ => picked.push(Stretch {
                places: start..end,
                order,
            }),
        }
    }
    picked
}

impl Group {
    /// The group with these candidates alone.
    pub(super) fn picked(&self, candidates: impl Iterator<Item = usize>) -> Self {
        Self {
            members: self.members.clone(),
            combinations: self.combinations,
            codes: candidates.map(|candidate| self.codes[candidate]).collect(),
        }
    }

    pub(super) fn new(columns: &[CategoricalColumn], rows: &[u32]) -> Self {
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
    pub(super) fn append_distances(
        &self,
        point: &[f64],
        weights: &[f64],
        distances: &mut Vec<f64>,
    ) {
        let start = distances.len();
        distances.push(0.0);
        for &(first, width) in &self.members {
            let (point, weights) = (&point[first..first + width], &weights[first..first + width]);
            let distance = |level: usize| -> f64 {
                (0..width)
                    .map(|k| {
                        let difference = if k == level { 1.0 - point[k] } else { point[k] };
                        weights[k] * difference * difference
                    })
                    .sum()
            };
            // Every combination of the members before with every level of this one, the first level in the place of those
            // before.
            let end = distances.len();
            for level in 1..width {
                let own = distance(level);
                distances.extend_from_within(start..end);
                let added = distances.len() - (end - start);
                distances[added..].iter_mut().for_each(|sum| *sum += own);
            }
            let own = distance(0);
            distances[start..end].iter_mut().for_each(|sum| *sum += own);
        }
    }
}
