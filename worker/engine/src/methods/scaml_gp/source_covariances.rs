//! The posterior of a source's process at the target's rows: means, variances, and the covariance of a row with all.

use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::error::EngineError;
use crate::setting::Setting;
use crate::sources::process::SourceProcess;
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::gaussian_process::Posterior;

/// Targets with more rows than this have sources of fewer rows, for memory.
const MANY_ROWS: usize = 20_000;
const ROWS_FOR_MANY: usize = 100;

/// A source's process, given its own rows.
pub(super) struct SourceCovariances {
    /// Hyperparameters.
    kernel: Posterior,
    /// The mean of every row.
    pub means: Vec<f64>,
    /// The variance of every row, without observation noise.
    pub variances: Vec<f64>,
    /// L^-1 K: a run over the target's rows for each row of the source. Single precision halves the memory.
    solved: Vec<f32>,
}

impl SourceCovariances {
    /// Of a fitted process; `pool` holds all rows of the setting's target.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the kernel matrix cannot be factorised.
    pub(super) fn new(
        setting: &Setting,
        process: &SourceProcess,
        pool: &mut CandidatePool,
    ) -> Result<Self, EngineError> {
        let (rows, width) = (setting.rows(), setting.space().width());
        let kernel = process.posterior.with_signal(process.posterior.signal);
        let mut points = process.fitted_points();
        if rows > MANY_ROWS {
            points = &points[..points.len().min(width * ROWS_FOR_MANY)];
        }
        let count = points.len() / width;
        let mut solved = vec![0.0; count * rows];
        for (point, column) in points
            .chunks_exact(width)
            .zip(solved.chunks_exact_mut(rows))
        {
            pool.covariances(&kernel, point, column);
        }
        let factor = kernel.factor_on(points)?;
        let factor = MatrixRef::square(&factor, count, count);
        let of_target = MatrixMut::new(&mut solved, rows, count, rows);
        blas::solve_triangular(Triangular::Rows, factor, of_target);
        let mut variances = vec![kernel.signal; rows];
        for column in solved.chunks_exact(rows) {
            for (variance, entry) in variances.iter_mut().zip(column) {
                *variance = (-entry).mul_add(*entry, *variance);
            }
        }
        Ok(Self {
            means: pool.means(&process.posterior, &process.points),
            variances: variances.into_iter().map(|v| v.max(0.0)).collect(),
            solved: solved.into_iter().map(|entry| entry as f32).collect(),
            kernel,
        })
    }

    /// The covariance of a row, whose encoded configuration is `point`, with every row.
    pub(super) fn covariances(
        &self,
        row: usize,
        point: &[f64],
        pool: &mut CandidatePool,
    ) -> Vec<f32> {
        let mut column = vec![0.0; self.means.len()];
        pool.covariances(&self.kernel, point, &mut column);
        for of_source in self.solved.chunks_exact(column.len()) {
            let own = f64::from(of_source[row]);
            for (entry, other) in column.iter_mut().zip(of_source) {
                *entry = (-own).mul_add(f64::from(*other), *entry);
            }
        }
        column.into_iter().map(|entry| entry as f32).collect()
    }
}
