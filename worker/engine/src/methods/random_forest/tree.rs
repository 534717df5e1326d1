//! A regression tree on configurations, as random forests for algorithm configuration grow it (Breiman 2001; Hutter, Hoos
//! and Leyton-Brown 2011).

use crate::random::RandomStream;
use crate::table::encoding::Column;

/// Nodes with fewer samples are leaves.
const LEAST_SPLIT: usize = 3;

/// Two splits that gain the same but for rounding are ranked by the order in which they are tried.
const SAME_GAIN: f64 = 1e-9;

/// How a tree grows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Growth {
    /// Hyperparameters tried at each node.
    pub tried: usize,
    /// Least number of samples of a leaf.
    pub least_leaf: usize,
}

/// A row of the target with its transformed objective.
pub(super) type Sample = (u32, f64);

/// What a leaf has of its samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Leaf {
    /// Their mean.
    pub mean: f64,
    /// Their population variance.
    pub variance: f64,
}

enum Node {
    Leaf(Leaf),
    Inner {
        column: usize,
        test: Test,
        /// Where the rows go that pass the test, and the others.
        children: [usize; 2],
    },
}

/// Which rows take the first branch.
enum Test {
    /// Those whose number is at most this.
    AtMost(f64),
    /// Those with one of these levels.
    Among(Vec<u16>),
}

/// A tree on the rows of a target.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// A way to split the samples of a node by a column: after `left` of them in the order of the column.
struct Split {
    column: usize,
    gain: f64,
    order: Vec<Sample>,
    left: usize,
}

impl Tree {
    /// Grows a tree on samples, at least one of them.
    pub(super) fn grow(
        columns: &[Column],
        samples: Vec<Sample>,
        growth: Growth,
        random: &mut RandomStream,
    ) -> Self {
        let mut tree = Self { nodes: Vec::new() };
        tree.add(columns, samples, growth, random);
        tree
    }

    /// The leaf of a row.
    pub(super) fn leaf(&self, columns: &[Column], row: usize) -> Leaf {
        let mut place = 0;
        loop {
            match &self.nodes[place] {
                Node::Leaf(leaf) => return *leaf,
                Node::Inner {
                    column,
                    test,
                    children,
                } => place = children[usize::from(!test.passes(&columns[*column], row))],
            }
        }
    }

    /// Adds a node and what is below; returns its place.
    fn add(
        &mut self,
        columns: &[Column],
        samples: Vec<Sample>,
        growth: Growth,
        random: &mut RandomStream,
    ) -> usize {
        let place = self.nodes.len();
        self.nodes.push(Node::Leaf(leaf_of(&samples)));
        let Some(split) = best_split(columns, &samples, growth, random) else {
            return place;
        };
        let test = split.test(&columns[split.column], random);
        let (passing, others): (Vec<Sample>, Vec<Sample>) = samples
            .into_iter()
            .partition(|sample| test.passes(&columns[split.column], sample.0 as usize));
        let children = [passing, others].map(|part| self.add(columns, part, growth, random));
        self.nodes[place] = Node::Inner {
            column: split.column,
            test,
            children,
        };
        place
    }
}

fn leaf_of(samples: &[Sample]) -> Leaf {
    let count = samples.len() as f64;
    let mean = samples.iter().map(|(_, z)| z).sum::<f64>() / count;
    let squares = samples.iter().map(|(_, z)| (z - mean) * (z - mean));
    let variance = squares.sum::<f64>() / count;
    Leaf { mean, variance }
}

/// The split that most reduces the sum of squared errors, among some columns drawn at random.
fn best_split(
    columns: &[Column],
    samples: &[Sample],
    growth: Growth,
    random: &mut RandomStream,
) -> Option<Split> {
    let Leaf { variance, mean } = leaf_of(samples);
    // Not by the variance, which rounding can leave above 0.
    let is_pure = samples.iter().all(|(_, z)| *z == samples[0].1);
    if samples.len() < LEAST_SPLIT || is_pure {
        return None;
    }
    let margin = SAME_GAIN * variance * samples.len() as f64;
    let mut best: Option<Split> = None;
    let tried = random.permutation(columns.len() as u32).into_iter();
    for column in tried.take(growth.tried) {
        let column = column as usize;
        let order = ordered(&columns[column], samples);
        let gain = best.as_ref().map_or(0.0, |best| best.gain);
        if let Some((gain, left)) = best_place(
            &columns[column],
            &order,
            mean,
            growth.least_leaf,
            (gain, margin),
        ) {
            best = Some(Split {
                column,
                gain,
                order,
                left,
            });
        }
    }
    best
}

/// The samples in the order of a column: by number, or by the mean of the samples of a level (Breiman et al. 1984,
/// section 9.4: the best split into two sets of levels is one of this order).
fn ordered(column: &Column, samples: &[Sample]) -> Vec<Sample> {
    let mut order = samples.to_vec();
    match column {
        Column::Numeric(values) => {
            let value = |sample: &Sample| values[sample.0 as usize];
            order.sort_by(|left, right| value(left).total_cmp(&value(right)));
        }
        Column::Categorical(levels) => {
            let level = |sample: &Sample| levels[sample.0 as usize];
            let of_level = |wanted: u16| {
                let equal = samples.iter().filter(|sample| level(sample) == wanted);
                let (sum, count) =
                    equal.fold((0.0, 0.0), |(sum, count), (_, z)| (sum + z, count + 1.0));
                sum / count
            };
            let mut keyed: Vec<(f64, u16, Sample)> = samples
                .iter()
                .map(|sample| (of_level(level(sample)), level(sample), *sample))
                .collect();
            keyed.sort_by(|left, right| {
                let by_mean = left.0.total_cmp(&right.0);
                by_mean.then(left.1.cmp(&right.1))
            });
            order = keyed.into_iter().map(|(_, _, sample)| sample).collect();
        }
    }
    order
}

/// The gain and the number of samples on the left of the best split of an order, if it gains more than a known
/// one by more than a margin.
fn best_place(
    column: &Column,
    order: &[Sample],
    mean: f64,
    least_leaf: usize,
    (mut most, margin): (f64, f64),
) -> Option<(f64, usize)> {
    let differs = |left: &Sample, right: &Sample| match column {
        Column::Numeric(values) => values[left.0 as usize] < values[right.0 as usize],
        Column::Categorical(levels) => levels[left.0 as usize] != levels[right.0 as usize],
    };
    let count = order.len();
    let mut best = None;
    // Sums of the deviations from the node's mean: those of the two sides are opposite.
    let mut sum = 0.0;
    for left in 1..count {
        sum += order[left - 1].1 - mean;
        let is_allowed = left >= least_leaf && count - left >= least_leaf;
        if is_allowed && differs(&order[left - 1], &order[left]) {
            let gain = sum * sum * (1.0 / left as f64 + 1.0 / (count - left) as f64);
            if gain > most + margin {
                most = gain;
                best = Some((gain, left));
            }
        }
    }
    best
}

impl Split {
    /// A threshold drawn uniformly between the two neighbouring numbers, or the levels on the side with fewer samples:
    /// levels that the node does not know go to the other side.
    fn test(&self, column: &Column, random: &mut RandomStream) -> Test {
        match column {
            Column::Numeric(values) => {
                let value = |place: usize| values[self.order[place].0 as usize];
                let (below, above) = (value(self.left - 1), value(self.left));
                let threshold = below + random.uniform() * (above - below);
                Test::AtMost(if threshold < above { threshold } else { below })
            }
            Column::Categorical(levels) => {
                let fewer = match 2 * self.left <= self.order.len() {
                    true => &self.order[..self.left],
                    false => &self.order[self.left..],
                };
                let mut among: Vec<u16> = fewer
                    .iter()
                    .map(|sample| levels[sample.0 as usize])
                    .collect();
                among.sort_unstable();
                among.dedup();
                Test::Among(among)
            }
        }
    }
}

impl Test {
    fn passes(&self, column: &Column, row: usize) -> bool {
        match (self, column) {
            (Self::AtMost(threshold), Column::Numeric(values)) => values[row] <= *threshold,
            (Self::Among(among), Column::Categorical(levels)) => {
                among.binary_search(&levels[row]).is_ok()
            }
            _ => unreachable!("a test is of the kind of its column"),
        }
    }
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;
    use crate::random::StreamName;

    fn random() -> RandomStream {
        let name = StreamName::new("test", "tree");
        RandomStream::new(name, Fingerprint([1; 16]), "task", 0)
    }

    fn example() -> (Vec<Column>, Vec<Sample>) {
        let mut random = random();
        let columns = vec![
            Column::Numeric((0..40).map(|_| f64::from(random.below(9)) / 8.0).collect()),
            Column::Categorical((0..40).map(|_| random.below(4) as u16).collect()),
            Column::Numeric((0..40).map(|_| random.uniform()).collect()),
        ];
        let samples = (0..30).map(|_| (random.below(40), random.normal()));
        let samples = samples.collect();
        (columns, samples)
    }

    /// The least sum of squared errors of two leaves, over all thresholds and all sets of levels.
    fn least_error(columns: &[Column], samples: &[Sample], least_leaf: usize) -> f64 {
        let mut splits: Vec<Vec<bool>> = Vec::new();
        for column in columns {
            match column {
                Column::Numeric(values) => {
                    for threshold in values {
                        let side = |sample: &Sample| values[sample.0 as usize] <= *threshold;
                        splits.push(samples.iter().map(side).collect());
                    }
                }
                Column::Categorical(levels) => {
                    for set in 0..16_u16 {
                        let side = |sample: &Sample| set >> levels[sample.0 as usize] & 1 == 1;
                        splits.push(samples.iter().map(side).collect());
                    }
                }
            }
        }
        let error = |split: &Vec<bool>| {
            let side = |wanted: bool| -> Vec<f64> {
                let pairs = samples.iter().zip(split);
                pairs
                    .filter(|(_, side)| **side == wanted)
                    .map(|(sample, _)| sample.1)
                    .collect()
            };
            let (one, other) = (side(true), side(false));
            if one.len().min(other.len()) < least_leaf {
                return f64::INFINITY;
            }
            let squares = |values: &[f64]| {
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                values.iter().map(|z| (z - mean).powi(2)).sum::<f64>()
            };
            squares(&one) + squares(&other)
        };
        splits.iter().map(error).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_first_split_is_the_best_of_all_thresholds_and_all_sets_of_levels() {
        for least_leaf in [1, 3, 12] {
            let (columns, samples) = example();
            let growth = Growth {
                tried: 3,
                least_leaf,
            };
            let split = best_split(&columns, &samples, growth, &mut random()).unwrap();
            let whole = leaf_of(&samples).variance * samples.len() as f64;
            let expected = least_error(&columns, &samples, least_leaf);
            assert!((whole - split.gain - expected).abs() < 1e-9, "{least_leaf}");
        }
    }

    #[test]
    fn a_step_is_learned_to_the_last_row() {
        let columns = vec![Column::Numeric(
            (0..30).map(|row| f64::from(row) / 29.0).collect(),
        )];
        let value = |row: u32| if row < 11 { -1.0 } else { 2.0 };
        let samples = (0..30).map(|row| (row, value(row))).collect();
        let growth = Growth {
            tried: 1,
            least_leaf: 3,
        };
        let tree = Tree::grow(&columns, samples, growth, &mut random());
        for row in 0..30 {
            let expected = Leaf {
                mean: value(row),
                variance: 0.0,
            };
            assert_eq!(tree.leaf(&columns, row as usize), expected);
        }
    }

    #[test]
    fn no_leaf_has_fewer_samples_than_allowed() {
        for least_leaf in [1, 3, 7] {
            let (columns, samples) = example();
            let growth = Growth {
                tried: 2,
                least_leaf,
            };
            let tree = Tree::grow(&columns, samples.clone(), growth, &mut random());
            let mut means: Vec<(u64, usize)> = Vec::new();
            for (row, _) in &samples {
                let mean = tree.leaf(&columns, *row as usize).mean.to_bits();
                match means.iter_mut().find(|(known, _)| *known == mean) {
                    Some((_, count)) => *count += 1,
                    None => means.push((mean, 1)),
                }
            }
            assert!(means.len() > 1);
            assert!(
                means.iter().all(|(_, count)| *count >= least_leaf),
                "{means:?}"
            );
        }
    }
}
