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

/// Candidates that are passed over at once if all of them are ruled out.
const PASSED_TOGETHER: usize = 8;

/// How much a bound may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Where many candidates are open.
    Less,
    /// Where few are left.
    More,
}

/// A surrogate's predictions for a block of candidates, at most [`BLOCK`] of them.
pub(crate) trait BlockPredictions {
    /// Means or lower bounds on them, and upper bounds on the standard deviations, of the candidates from `first` on.
    fn bound(&mut self, first: usize, means: &mut [f64], bounds: &mut [f64]);

    /// Lowers the bounds on the standard deviations of the `open` ones among the block last bounded, given by their places in
    /// it in increasing order, if that costs less than what they cost otherwise. False if all bounds stay as they are. It is
    /// called with less effort first, and with more for those that this leaves.
    fn tighten(&mut self, _effort: Effort, _open: &[usize], _bounds: &mut [f64]) -> bool {
        false
    }

    /// Puts means in the places of the lower bounds on them of the `open` ones, which [`Self::solve`] gets next. Without
    /// it [`Self::bound`] gives means.
    fn refine(&mut self, _open: &[usize], _means: &mut [f64]) {}

    /// Deviations of the `open` ones among the block last bounded, given by their
    /// places in it in increasing order, the last of which may be there several times. After one call of [`Self::bound`] it may be
    /// called several times, for other candidates each time.
    fn solve(&mut self, open: &[usize], std_devs: &mut [f64]);
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
        let mut best = Best {
            value: f64::NEG_INFINITY,
            row: None,
        };
        let mut block_best = vec![f64::NEG_INFINITY; self.block_order.len()];
        let (mut means, mut std_devs) = ([0.0; BLOCK], [0.0; BLOCK]);
        let mut open = Vec::with_capacity(BLOCK);
        for &block in &self.block_order {
            let first = block * BLOCK;
            let scanned = ScannedBlock {
                rows: &self.rows[first..self.rows.len().min(first + BLOCK)],
                acquisition,
                priority,
            };
            let size = scanned.rows.len();
            let (means, std_devs) = (&mut means[..size], &mut std_devs[..size]);
            predictions.bound(first, means, std_devs);
            let mut possible = [false; BLOCK];
            possible[..size].fill(true);
            let open_flags = &mut possible[..size];
            acquisition.rule_out(scanned.rows, means, std_devs, best.value, open_flags);
            open.clear();
            for (number, flags) in possible.as_chunks().0.iter().enumerate() {
                // Nearly all are ruled out: many at a time are passed over.
                if *flags == [false; PASSED_TOGETHER] {
                    continue;
                }
                let places = number * PASSED_TOGETHER..(number + 1) * PASSED_TOGETHER;
                open.extend(places.filter(|&place| {
                    possible[place]
                        && !evaluated[scanned.rows[place] as usize]
                        && scanned.may_reach(place, means, std_devs, &best)
                }));
            }
            if best.row.is_none() && open.len() > SOLVED_TOGETHER {
                // Nothing is ruled out yet: the most promising ones raise the bar for the others.
                scanned.sort_by_promise(&mut open, means, std_devs);
                let mut others = open.split_off(SOLVED_TOGETHER);
                open.sort_unstable();
                block_best[block] = scanned.compute(predictions, &mut open, means, &mut best);
                others.sort_unstable();
                others.retain(|&place| scanned.may_reach(place, means, std_devs, &best));
                open = others;
            }
            for effort in [Effort::Less, Effort::More] {
                if predictions.tighten(effort, &open, std_devs) {
                    open.retain(|&place| scanned.may_reach(place, means, std_devs, &best));
                }
            }
            if !open.is_empty() {
                let greatest = scanned.compute(predictions, &mut open, means, &mut best);
                block_best[block] = block_best[block].max(greatest);
            }
        }
        let by_best =
            |left: &usize, right: &usize| block_best[*right].total_cmp(&block_best[*left]);
        self.block_order.sort_by(by_best);
        best.row
    }
}

/// The best row so far.
struct Best {
    value: f64,
    row: Option<u32>,
}

/// A block that is gone through.
struct ScannedBlock<'a, A> {
    rows: &'a [u32],
    acquisition: &'a A,
    priority: &'a [u32],
}

impl<A: Acquisition> ScannedBlock<'_, A> {
    /// Whether the candidate at a place may be better than the best one.
    fn may_reach(&self, place: usize, means: &[f64], std_devs: &[f64], best: &Best) -> bool {
        let row = self.rows[place] as usize;
        self.acquisition
            .may_reach(row, means[place], std_devs[place], best.value)
    }

    /// Sorts candidates by their acquisition if it were at their bounds, the greatest first.
    fn sort_by_promise(&self, open: &mut [usize], means: &[f64], bounds: &[f64]) {
        let promise = |&place: &usize| {
            let row = self.rows[place] as usize;
            let value = self.acquisition.value(row, means[place], bounds[place]);
            (value, place)
        };
        let mut promises: Vec<(f64, usize)> = open.iter().map(promise).collect();
        promises.sort_by(|one, other| other.0.total_cmp(&one.0));
        for (place, (_, sorted)) in open.iter_mut().zip(promises) {
            *place = sorted;
        }
    }

    /// Computes the predictions of the `open` candidates, at least one, and returns the greatest of their values that may be the
    /// best of all.
    fn compute(
        &self,
        predictions: &mut impl BlockPredictions,
        open: &mut Vec<usize>,
        means: &mut [f64],
        best: &mut Best,
    ) -> f64 {
        let count = open.len();
        open.resize(count.next_multiple_of(SOLVED_TOGETHER), open[count - 1]);
        predictions.refine(open, means);
        let mut std_devs = [0.0; BLOCK];
        predictions.solve(open, &mut std_devs[..open.len()]);
        let mut greatest = f64::NEG_INFINITY;
        for (&place, &std_dev) in open[..count].iter().zip(&std_devs) {
            let (row, mean) = (self.rows[place], means[place]);
            if !(self.acquisition).may_reach(row as usize, mean, std_dev, best.value) {
                continue;
            }
            let value = self.acquisition.value(row as usize, mean, std_dev);
            greatest = greatest.max(value);
            let wins = best.row.is_none_or(|other| {
                let priority = |row: u32| self.priority[row as usize];
                value > best.value || value == best.value && priority(row) < priority(other)
            });
            if wins {
                *best = Best {
                    value,
                    row: Some(row),
                };
            }
        }
        greatest
    }
}
