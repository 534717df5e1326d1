//! The candidate of greatest acquisition in a pool.
//!
//! A candidate's standard deviation costs a triangular solve, and even its mean costs a kernel value per observation. So
//! the standard deviation is first bounded from above, and the mean from below if it is not cheap; they are computed only
//! where the acquisition may still reach the best one found. A bound that costs more is asked for only where the first one
//! leaves many. Candidates are taken in blocks that stay in the cache, beginning with the block that was best at the last call, which makes the
//! bar high at once.
//!
//! The row found is that of a scan of all rows. A row is left out only if [`Acquisition::may_reach`]
//! says that it is below a value that another row has; and its own value does not depend on the rows solved for beside
//! it, because they are solved for in whole groups of [`SOLVED_TOGETHER`].

use super::function::Acquisition;

/// Candidates per block.
pub(crate) const BLOCK: usize = 256;

/// Rows that the pinned kernels of BLAS take at a time: they round the rows left over at the end otherwise.
const SOLVED_TOGETHER: usize = 8;

/// A surrogate's predictions for a block of candidates, at most [`BLOCK`] of them.
pub(crate) trait BlockPredictions {
    /// Means or lower bounds on them, and upper bounds on the standard deviations, of the candidates from `first` on.
    fn bound(&mut self, first: usize, means: &mut [f64], bounds: &mut [f64]);

    /// Lowers the bounds on the standard deviations of the `open` ones among the block last bounded, given by their places in
    /// it in increasing order, if that costs less than what they cost otherwise. False if all bounds stay as they are.
    fn tighten(&mut self, _open: &[usize], _bounds: &mut [f64]) -> bool {
        false
    }

    /// Puts means in the places of the lower bounds on them of the `open` ones, which [`Self::solve`] gets next. Without
    /// it [`Self::bound`] gives means.
    fn refine(&mut self, _open: &[usize], _means: &mut [f64]) {}

    /// Deviations of the `open` ones among the block last bounded, given by their
    /// places in it in increasing order, the last of which may be there several times.
    fn solve(&mut self, open: &[usize], std_devs: &mut [f64]);
}

/// Moves the `open` rows of a block, given by their places in increasing order, to the
/// front; its columns are [`BLOCK`] apart.
pub(crate) fn keep_rows(block: &mut [f64], open: &[usize]) {
    for column in block.chunks_exact_mut(BLOCK) {
        for (to, &from) in open.iter().enumerate() {
            column[to] = column[from];
        }
    }
}

/// Finds the best row of a pool, again and again.
pub(crate) struct Maximiser {
    rows: Vec<u32>,
    /// Blocks in the order in which they are gone through.
    block_order: Vec<usize>,
}

impl Maximiser {
    /// For a pool of these rows of a task.
    pub(crate) fn new(rows: Vec<u32>) -> Self {
        Self {
            block_order: (0..rows.len().div_ceil(BLOCK)).collect(),
            rows,
        }
    }

    /// The rows of the pool.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The row of greatest `acquisition` among those not `evaluated`; of equal ones
    /// the one of least `priority`. `None` if every row is evaluated.
    pub(crate) fn best_row(
        &mut self,
        predictions: &mut impl BlockPredictions,
        acquisition: &impl Acquisition,
        evaluated: &[bool],
        priority: &[u32],
    ) -> Option<u32> {
        let mut best = (f64::NEG_INFINITY, None::<u32>);
        let mut block_best = vec![f64::NEG_INFINITY; self.block_order.len()];
        let (mut means, mut std_devs) = ([0.0; BLOCK], [0.0; BLOCK]);
        let mut open = Vec::with_capacity(BLOCK);
        for &block in &self.block_order {
            let first = block * BLOCK;
            let rows = &self.rows[first..self.rows.len().min(first + BLOCK)];
            let size = rows.len();
            predictions.bound(first, &mut means[..size], &mut std_devs[..size]);
            open.clear();
            open.extend((0..size).filter(|&place| {
                let row = rows[place] as usize;
                !evaluated[row] && acquisition.may_reach(row, means[place], std_devs[place], best.0)
            }));
            if predictions.tighten(&open, &mut std_devs[..size]) {
                open.retain(|&place| {
                    let row = rows[place] as usize;
                    acquisition.may_reach(row, means[place], std_devs[place], best.0)
                });
            }
            if open.is_empty() {
                continue;
            }
            let count = open.len();
            open.resize(count.next_multiple_of(SOLVED_TOGETHER), open[count - 1]);
            predictions.refine(&open, &mut means[..size]);
            predictions.solve(&open, &mut std_devs[..open.len()]);
            for (&place, &std_dev) in open[..count].iter().zip(&std_devs) {
                let row = rows[place];
                if !acquisition.may_reach(row as usize, means[place], std_dev, best.0) {
                    continue;
                }
                let value = acquisition.value(row as usize, means[place], std_dev);
                block_best[block] = block_best[block].max(value);
                let wins = match best.1 {
                    Some(other) if value == best.0 => {
                        priority[row as usize] < priority[other as usize]
                    }
                    Some(_) => value > best.0,
                    None => true,
                };
                if wins {
                    best = (value, Some(row));
                }
            }
        }
        let by_best =
            |left: &usize, right: &usize| block_best[*right].total_cmp(&block_best[*left]);
        self.block_order.sort_by(by_best);
        best.1
    }
}
