//! How much a task differs from the moments of the others, learned by holding out each source.

use std::f64::consts::PI;

use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::error::EngineError;
use crate::setting::Setting;
use crate::sources::process::SourceProcess;
use crate::sources::sample::SourceSample;
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::gaussian_process::Posterior;
use crate::surrogate::moments::Moments;
use crate::table::encoding::Column;
use crate::transform::Transform;

/// Rows of a source that the moments of the others have to predict.
const ROWS: usize = 20;

/// What is tried.
const SIGNALS: [f64; 6] = [0.03, 0.1, 0.2, 0.3, 0.5, 1.0];
const NOISES: [f64; 4] = [0.003, 0.01, 0.05, 0.1];

/// What is the target's own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OwnVariances {
    /// Variance of what the sources do not span.
    pub signal: f64,
    /// Variance of the noise.
    pub noise: f64,
}

/// Where there is no second source that could be predicted from the first.
const DEFAULT: OwnVariances = OwnVariances {
    signal: 0.3,
    noise: 0.05,
};

/// A source's rows under the moments of all others.
struct HeldOut {
    residuals: Vec<f64>,
    /// Covariance by the moments.
    moments: Vec<f64>,
    /// Correlation by the kernel.
    kernel: Vec<f64>,
}

/// The variances under which random rows of each source are most likely, the prior being that of all other sources.
///
/// # Errors
/// Those of [`Setting::sources`]; [`EngineError::LinearAlgebra`] if a covariance cannot be factorised.
pub(super) fn own_variances(
    setting: &Setting,
    transform: Transform,
    processes: &[SourceProcess],
    kernel: &Posterior,
) -> Result<OwnVariances, EngineError> {
    if processes.len() < 2 {
        return Ok(DEFAULT);
    }
    let all = held_out(setting, transform, processes, kernel)?;
    let mut best = (f64::NEG_INFINITY, DEFAULT);
    for signal in SIGNALS {
        for noise in NOISES {
            let own = OwnVariances { signal, noise };
            let densities = all.iter().map(|source| source.log_density(own));
            let sum = densities.sum::<Result<f64, EngineError>>()?;
            if sum > best.0 {
                best = (sum, own);
            }
        }
    }
    Ok(best.1)
}

fn held_out(
    setting: &Setting,
    transform: Transform,
    processes: &[SourceProcess],
    kernel: &Posterior,
) -> Result<Vec<HeldOut>, EngineError> {
    let sources = setting.sources(transform)?;
    let samples: Vec<SourceSample> = sources
        .iter()
        .map(|source| SourceSample::new(setting, source, ROWS))
        .collect();
    // The sampled rows of all sources, as one task.
    let parts = sources.iter().map(|source| {
        let rows = SourceSample::order(setting, source, ROWS);
        (source.task.columns.as_slice(), rows)
    });
    let columns = stacked(&parts.collect::<Vec<_>>());
    let count: usize = samples.iter().map(|sample| sample.targets.len()).sum();
    let mut pool = CandidatePool::new(setting.space(), &columns, (0..count as u32).collect());
    let functions: Vec<Vec<f64>> = processes
        .iter()
        .map(|process| pool.means(&process.posterior, &process.points))
        .collect();
    let kernel = kernel.with_signal(1.0);
    let width = setting.space().width();
    let mut first = 0;
    let mut column = vec![0.0; count];
    let of_source = samples.iter().enumerate().map(|(left_out, sample)| {
        let size = sample.targets.len();
        let rows = first..first + size;
        first += size;
        let others = functions.iter().enumerate();
        let others: Vec<&[f64]> = others
            .filter(|(number, _)| *number != left_out)
            .map(|(_, function)| &function[rows.clone()])
            .collect();
        let prior = Moments::of(&others);
        let mut moments = vec![0.0; size * size];
        for (row, column) in moments.chunks_exact_mut(size).enumerate() {
            prior.add_covariances(row, column);
        }
        let mut of_kernel = Vec::with_capacity(size * size);
        for point in sample.points.chunks_exact(width) {
            pool.covariances(&kernel, point, &mut column);
            of_kernel.extend_from_slice(&column[rows.clone()]);
        }
        let residuals = sample.targets.iter().zip(&prior.means);
        HeldOut {
            residuals: residuals.map(|(target, mean)| target - mean).collect(),
            moments,
            kernel: of_kernel,
        }
    });
    Ok(of_source.collect())
}

/// The rows of several tasks, one after the other.
fn stacked(parts: &[(&[Column], Vec<u32>)]) -> Vec<Column> {
    let hyperparameters = parts.first().map_or(0, |(columns, _)| columns.len());
    let stack = |number: usize| {
        let mut whole: Option<Column> = None;
        for (columns, rows) in parts {
            let rows = rows.iter().map(|&row| row as usize);
            match (&columns[number], &mut whole) {
                (Column::Numeric(values), Some(Column::Numeric(all))) => {
                    all.extend(rows.map(|row| values[row]));
                }
                (Column::Categorical(levels), Some(Column::Categorical(all))) => {
                    all.extend(rows.map(|row| levels[row]));
                }
                (Column::Numeric(values), _) => {
                    whole = Some(Column::Numeric(rows.map(|row| values[row]).collect()));
                }
                (Column::Categorical(levels), _) => {
                    whole = Some(Column::Categorical(rows.map(|row| levels[row]).collect()));
                }
            }
        }
        whole
    };
    (0..hyperparameters).filter_map(stack).collect()
}

impl HeldOut {
    /// The logarithm of the normal density of the residuals.
    fn log_density(&self, own: OwnVariances) -> Result<f64, EngineError> {
        let size = self.residuals.len();
        let entries = self.moments.iter().zip(&self.kernel);
        let mut matrix: Vec<f64> = entries
            .map(|(moments, kernel)| own.signal.mul_add(*kernel, *moments))
            .collect();
        for diagonal in matrix.iter_mut().step_by(size + 1) {
            *diagonal += own.noise;
        }
        blas::cholesky(MatrixMut::square(&mut matrix, size, size))?;
        let mut solved = self.residuals.clone();
        let factor = MatrixRef::square(&matrix, size, size);
        let right = MatrixMut::new(&mut solved, size, 1, size);
        blas::solve_triangular(Triangular::Lower, factor, right);
        let misfit: f64 = solved.iter().map(|entry| entry * entry).sum();
        let diagonal = matrix.iter().step_by(size + 1);
        let log_root: f64 = diagonal.map(|&entry| libm::log(entry)).sum();
        Ok(-0.5 * misfit - log_root - 0.5 * size as f64 * libm::log(2.0 * PI))
    }
}
