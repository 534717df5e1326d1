//! The best candidate of a whole pool under a Gaussian process.

use pulp::Simd;

use super::gaussian_process::{GaussianProcess, Posterior};
use super::joint_bounds::JointBounds;
use super::pool_bounds::PoolBounds;
use super::pool_columns::{LookUps, PoolColumns, correlate};
use crate::accumulation::accumulate;
use crate::acquisition::function::Acquisition;
use crate::acquisition::maximisation::{BLOCK, BlockPredictions, Effort, Maximiser};
use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::error::EngineError;
use crate::table::encoding::{Column, Space};

/// Observed points that are gone through for a block of candidates, which stays in the nearest cache meanwhile.
const POINTS_TOGETHER: usize = 64;

/// Rows of a task, arranged for predictions.
pub struct CandidatePool {
    columns: PoolColumns,
    maximiser: Maximiser,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    /// Kernel between a block of candidates (rows) and the observed points (columns):
    /// with 100 points 200 KB, which stays in the cache.
    kernel: Vec<f64>,
    look_ups: LookUps,
    bounds: PoolBounds,
    joint: JointBounds,
}

impl CandidatePool {
    /// Arranges `rows` of a task.
    pub fn new(space: &Space, columns: &[Column], mut rows: Vec<u32>) -> Self {
        Self {
            columns: PoolColumns::new(space, columns, &mut rows),
            maximiser: Maximiser::new(rows),
            scratch: Scratch::default(),
        }
    }

    /// The row of greatest `acquisition` under the `process` among those not
    /// `evaluated`; of equal ones the one of least `priority`. `None` if every row is
    /// evaluated.
    pub fn best_row(
        &mut self,
        process: &GaussianProcess,
        acquisition: &impl Acquisition,
        evaluated: &[bool],
        priority: &[u32],
    ) -> Option<u32> {
        let mut predictions = ProcessPredictions::new(&self.columns, &mut self.scratch, process);
        self.maximiser
            .best_row(&mut predictions, acquisition, evaluated, priority)
    }

    /// The mean of a process with that posterior on `points`, which lie one after the
    /// other, at every row of a pool that holds all rows of its task.
    pub fn means(&mut self, posterior: &Posterior, points: &[f64]) -> Vec<f64> {
        let rows = self.maximiser.rows();
        let width = posterior.weights.len();
        let mut sums = vec![posterior.mean; rows.len()];
        let mut buffer = [0.0; BLOCK];
        let look_ups = &mut self.scratch.look_ups;
        let factors = posterior.alpha.chunks(POINTS_TOGETHER);
        for (points, factors) in points.chunks(POINTS_TOGETHER * width).zip(factors) {
            self.columns.look_up(&posterior.weights, points, look_ups);
            for (first, sums) in (0..).step_by(BLOCK).zip(sums.chunks_mut(BLOCK)) {
                let column = &mut buffer[..sums.len()];
                for (index, point) in points.chunks_exact(width).enumerate() {
                    let look_ups = (&look_ups[..], index);
                    correlate(&self.columns, posterior, point, look_ups, first, column);
                    accumulate(factors[index], column, sums);
                }
            }
        }
        let mut means = vec![0.0; rows.len()];
        for (&row, sum) in rows.iter().zip(sums) {
            means[row as usize] = sum;
        }
        means
    }

    /// The kernel of that posterior between a point and every row of a pool that holds all rows of its task.
    pub(crate) fn covariances(&mut self, posterior: &Posterior, point: &[f64], column: &mut [f64]) {
        let Scratch { look_ups, .. } = &mut self.scratch;
        self.columns.look_up(&posterior.weights, point, look_ups);
        let mut buffer = [0.0; BLOCK];
        let blocks = self.maximiser.rows().chunks(BLOCK);
        for (first, rows) in (0..).step_by(BLOCK).zip(blocks) {
            let of_block = &mut buffer[..rows.len()];
            let look_ups = (&look_ups[..], 0);
            correlate(&self.columns, posterior, point, look_ups, first, of_block);
            for (&row, entry) in rows.iter().zip(of_block) {
                column[row as usize] = *entry;
            }
        }
    }

    /// The standard deviation, without observation noise, of a process with the hyperparameters of that
    /// posterior on `points`, which lie one after the other, at every row of a pool that holds all rows of its task.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the kernel matrix cannot be factorised.
    pub(crate) fn std_devs(
        &mut self,
        posterior: &Posterior,
        points: &[f64],
    ) -> Result<Vec<f64>, EngineError> {
        let (rows, width) = (self.maximiser.rows(), posterior.weights.len());
        let count = points.len() / width;
        let factor = posterior.factor_on(points)?;
        let factor = MatrixRef::square(&factor, count, count);
        let Scratch {
            kernel, look_ups, ..
        } = &mut self.scratch;
        self.columns.look_up(&posterior.weights, points, look_ups);
        kernel.resize(BLOCK * count, 0.0);
        let mut std_devs = vec![0.0; rows.len()];
        let mut of_block = [0.0; BLOCK];
        for (first, rows) in (0..).step_by(BLOCK).zip(rows.chunks(BLOCK)) {
            for (index, point) in points.chunks_exact(width).enumerate() {
                let column = &mut kernel[index * BLOCK..index * BLOCK + rows.len()];
                let look_ups = (&look_ups[..], index);
                correlate(&self.columns, posterior, point, look_ups, first, column);
            }
            let candidates = MatrixMut::new(kernel, rows.len(), count, BLOCK);
            blas::solve_triangular(Triangular::Rows, factor, candidates);
            let of_block = &mut of_block[..rows.len()];
            std_devs_from_rows(kernel, count, posterior.signal, of_block);
            for (&row, std_dev) in rows.iter().zip(of_block) {
                std_devs[row as usize] = *std_dev;
            }
        }
        Ok(std_devs)
    }
}

/// Predictions of a process for the blocks of a pool.
struct ProcessPredictions<'a> {
    process: &'a GaussianProcess,
    columns: &'a PoolColumns,
    scratch: &'a mut Scratch,
}

impl<'a> ProcessPredictions<'a> {
    fn new(
        columns: &'a PoolColumns,
        scratch: &'a mut Scratch,
        process: &'a GaussianProcess,
    ) -> Self {
        let Scratch {
            kernel,
            look_ups,
            bounds,
            joint,
        } = &mut *scratch;
        let (posterior, points) = (process.posterior(), process.points());
        columns.look_up(&posterior.weights, points, look_ups);
        kernel.resize(BLOCK * process.count(), 0.0);
        bounds.set(posterior, points, columns, look_ups);
        *joint = JointBounds::default();
        Self {
            process,
            columns,
            scratch,
        }
    }
}

impl BlockPredictions for ProcessPredictions<'_> {
    fn bound(&mut self, first: usize, means: &mut [f64], std_devs: &mut [f64]) {
        let posterior = self.process.posterior();
        let bounds = &mut self.scratch.bounds;
        bounds.bound(posterior, self.columns, first, means, std_devs);
    }

    fn tighten(&mut self, effort: Effort, open: &[usize], std_devs: &mut [f64]) -> bool {
        let Scratch { bounds, joint, .. } = &mut *self.scratch;
        joint.tighten(self.process, effort, bounds, open, std_devs)
    }

    /// The kernel of the open candidates alone fills the beginning of the block.
    fn refine(&mut self, open: &[usize], means: &mut [f64]) {
        let posterior = self.process.posterior();
        let points = self.process.points().chunks_exact(posterior.weights.len());
        let Scratch {
            kernel,
            look_ups,
            bounds,
            ..
        } = &mut *self.scratch;
        let picked = self.columns.picked(bounds.first, open);
        for (index, point) in points.enumerate() {
            let column = &mut kernel[index * BLOCK..index * BLOCK + open.len()];
            correlate(&picked, posterior, point, (look_ups, index), 0, column);
        }
        let mut of_open = [0.0; BLOCK];
        let of_open = &mut of_open[..open.len()];
        let block = MatrixRef::new(kernel, open.len(), self.process.count(), BLOCK);
        blas::multiply_vector(block, &posterior.alpha, of_open);
        for (&place, mean) in open.iter().zip(of_open) {
            means[place] = *mean + posterior.mean;
        }
    }

    fn solve(&mut self, open: &[usize], std_devs: &mut [f64]) {
        let count = self.process.count();
        let kernel = &mut self.scratch.kernel;
        let block = MatrixMut::new(kernel, open.len(), count, BLOCK);
        blas::solve_triangular(Triangular::Rows, self.process.factor(), block);
        std_devs_from_rows(kernel, count, self.process.posterior().signal, std_devs);
    }
}

/// sqrt(signal - |row|^2) of each row of the solved kernel matrix.
#[pulp::with_simd(std_devs_from_rows = pulp::Arch::new())]
#[inline(always)]
fn std_devs_from_rows_with<S: Simd>(
    _simd: S,
    solved: &[f64],
    count: usize,
    signal: f64,
    std_devs: &mut [f64],
) {
    // Rounding can leave a variance at an observed point slightly below zero.
    let least = 1e-12 * signal;
    std_devs.fill(signal);
    for column in solved.chunks_exact(BLOCK).take(count) {
        for (variance, entry) in std_devs.iter_mut().zip(column) {
            *variance = (-entry).mul_add(*entry, *variance);
        }
    }
    for entry in std_devs.iter_mut() {
        *entry = entry.max(least).sqrt();
    }
}

#[cfg(test)]
mod tests;
