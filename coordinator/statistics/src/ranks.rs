//! Ranks with ties: 1 is the least value, equal values share their mean rank.

/// Ranks lists of values, reusing its memory.
#[derive(Debug, Default)]
pub struct Ranker {
    order: Vec<usize>,
}

impl Ranker {
    /// Writes the rank of each value and returns the sum of `g^3 - g` over the
    /// groups of `g` equal values, which the corrections for ties need.
    ///
    /// # Panics
    /// If `ranks` is not as long as `values`.
    pub fn rank(&mut self, values: &[f64], ranks: &mut [f64]) -> f64 {
        assert_eq!(values.len(), ranks.len(), "one rank for each value");
        self.order.clear();
        self.order.extend(0..values.len());
        self.order
            .sort_unstable_by(|&left, &right| values[left].total_cmp(&values[right]));
        let mut ties = 0.0;
        let mut below = 0;
        for group in self
            .order
            .chunk_by(|&left, &right| values[left] == values[right])
        {
            let size = group.len() as f64;
            let rank = below as f64 + (size + 1.0) / 2.0;
            for &position in group {
                ranks[position] = rank;
            }
            ties += size * (size * size - 1.0);
            below += group.len();
        }
        ties
    }
}

/// Methods ranked within each block (data set).
#[derive(Debug, Clone, PartialEq)]
pub struct RankedBlocks {
    /// Number of blocks, N.
    pub blocks: usize,
    /// Mean rank of each method over the blocks; their number is k.
    pub average_ranks: Vec<f64>,
    /// Sum over the blocks of the sum of `g^3 - g` over groups of `g` tied methods.
    pub ties: f64,
}

impl RankedBlocks {
    /// Ranks the methods of every block by their scores; the highest score gets rank 1.
    pub fn by_highest_score(blocks: &[Vec<f64>]) -> Self {
        let methods = blocks.first().map_or(0, Vec::len);
        let mut average_ranks = vec![0.0; methods];
        let mut ties = 0.0;
        let mut ranker = Ranker::default();
        let mut negated = vec![0.0; methods];
        let mut ranks = vec![0.0; methods];
        for scores in blocks {
            for (value, score) in negated.iter_mut().zip(scores) {
                *value = -score;
            }
            ties += ranker.rank(&negated, &mut ranks);
            for (sum, rank) in average_ranks.iter_mut().zip(&ranks) {
                *sum += rank;
            }
        }
        for sum in &mut average_ranks {
            *sum /= blocks.len() as f64;
        }
        Self {
            blocks: blocks.len(),
            average_ranks,
            ties,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_mean_rank() {
        let mut ranks = [0.0; 6];
        let ties = Ranker::default().rank(&[3.0, 1.0, 3.0, -0.0, 0.0, 3.0], &mut ranks);
        assert_eq!(ranks, [5.0, 3.0, 5.0, 1.5, 1.5, 5.0]);
        assert_eq!(ties, (27.0 - 3.0) + (8.0 - 2.0));
    }

    #[test]
    fn the_highest_score_of_a_block_gets_rank_one() {
        let ranked = RankedBlocks::by_highest_score(&[vec![0.9, 0.1, 0.5], vec![0.2, 0.2, 0.7]]);
        assert_eq!(
            ranked.average_ranks,
            [(1.0 + 2.5) / 2.0, (3.0 + 2.5) / 2.0, 1.5]
        );
        assert_eq!((ranked.blocks, ranked.ties), (2, 6.0));
    }

    #[test]
    fn nothing_has_no_ranks() {
        assert_eq!(Ranker::default().rank(&[], &mut []), 0.0);
        assert!(RankedBlocks::by_highest_score(&[]).average_ranks.is_empty());
    }
}
