//! Groups of categorical hyperparameters, and whether their combinations follow each other in a pool as on a grid.

/// Most combinations of categorical levels in a group.
const GROUP_COMBINATIONS: usize = 1024;

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

/// Sorts rows by their combinations in a group. Rows of the same combination stay in the order that they are in.
pub(super) fn sort_by_code(members: &[CategoricalColumn], rows: &mut [u32]) {
    let combinations = members.iter().map(|(_, width, _)| width).product();
    let codes: Vec<u16> = rows.iter().map(|&row| code(members, row)).collect();
    // How many rows come before those of each combination.
    let mut places = vec![0; combinations];
    for code in &codes {
        places[usize::from(*code)] += 1;
    }
    let mut before = 0;
    for place in &mut places {
        before += std::mem::replace(place, before);
    }
    let unsorted = rows.to_vec();
    for (row, code) in unsorted.into_iter().zip(codes) {
        let place = &mut places[usize::from(code)];
        rows[*place] = row;
        *place += 1;
    }
}

/// A row's combination in a group.
fn code(members: &[CategoricalColumn], row: u32) -> u16 {
    let add =
        |code, &(_, width, levels): &CategoricalColumn| code * width as u16 + levels[row as usize];
    members.iter().rev().fold(0, add)
}

/// The number of combinations of the first group if there are others and candidates run through them in ascending order, again and
/// again, the other groups staying the same within a run: those of a full grid do.
pub(super) fn run_length(groups: &[Group]) -> Option<usize> {
    let [first, others @ ..] = groups else {
        return None;
    };
    let (rows, length) = (first.codes.len(), first.combinations);
    let ascends = |place: usize| usize::from(first.codes[place]) == place % length;
    let stays = |place: usize| {
        let mut others = others.iter();
        others.all(|group| group.codes[place] == group.codes[place / length * length])
    };
    let is_grid = !others.is_empty()
        && rows > 0
        && rows.is_multiple_of(length)
        && (0..rows).all(|place| ascends(place) && stays(place));
    is_grid.then_some(length)
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
