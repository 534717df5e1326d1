//! A Gaussian process on rows of all sources, as a prior on the target's rows.
//!
//! Its hyperparameters are fitted once, to some of the rows, and stay. Sources disagree with each other at equal
//! configurations: that becomes noise.

use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::error::EngineError;
use crate::fits::FitName;
use crate::setting::Setting;
use crate::sources::sample::SourceSample;
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::gaussian_process::{GaussianProcess, Posterior};
use crate::surrogate::hyperparameters::Hyperprior;
use crate::surrogate::kernel::Kernel;
use crate::surrogate::prior_pool::RowPrior;
use crate::table::encoding::{Column, Space};
use crate::transform::Transform;

/// Raised whenever the fit changes.
const VERSION: u64 = 1;

/// Rows that the hyperparameters are fitted to, at most.
const FITTED_ROWS: usize = 300;

/// Rows of all sources together, at most: the more rows the target has, the fewer, for time and memory.
fn most_rows(target_rows: usize) -> usize {
    match target_rows {
        0..=500 => 2000,
        501..=20_000 => 1000,
        _ => 300,
    }
}

/// The posterior given the sources' rows.
pub(super) struct JointPrior<'a> {
    space: &'a Space,
    columns: &'a [Column],
    pool: CandidatePool,
    /// The hyperparameters.
    hyperparameters: Posterior,
    means: Vec<f64>,
    /// L^-1 K: a run over the target's rows for each row of the sources, with the kernel K between the two and the
    /// Cholesky factor L of the kernel matrix of the sources' rows.
    solved: Vec<f64>,
}

/// Rows of all sources in turn, with their transformed objective.
struct Rows {
    points: Vec<f64>,
    targets: Vec<f64>,
}

impl Rows {
    /// The same number of each source, as far as it has them: first one of each, then another of each.
    fn of_sources(setting: &Setting, transform: Transform) -> Result<Self, EngineError> {
        let sources = setting.sources(transform)?;
        let count = sources.iter().count();
        let each = (most_rows(setting.rows()) / count).max(1);
        let samples: Vec<SourceSample> = sources
            .iter()
            .map(|source| SourceSample::new(setting, source, each))
            .collect();
        let width = setting.space().width();
        let mut rows = Self {
            points: Vec::new(),
            targets: Vec::new(),
        };
        for place in 0..each {
            for sample in &samples {
                let Some(target) = sample.targets.get(place) else {
                    continue;
                };
                let point = &sample.points[place * width..(place + 1) * width];
                rows.points.extend_from_slice(point);
                rows.targets.push(*target);
            }
        }
        Ok(rows)
    }
}

impl<'a> JointPrior<'a> {
    /// The prior of a setting.
    ///
    /// # Errors
    /// Those of [`Setting::sources`] and of the fit.
    pub(super) fn new(
        setting: &Setting<'a>,
        transform: Transform,
        hyperprior: Hyperprior,
    ) -> Result<Self, EngineError> {
        let Rows { points, targets } = Rows::of_sources(setting, transform)?;
        let hyperparameters = hyperparameters(setting, transform, hyperprior, &points, &targets)?;
        let (count, rows) = (targets.len(), setting.rows());
        let all = (0..rows as u32).collect();
        let mut pool = CandidatePool::new(setting.space(), setting.columns(), all);
        let mut solved = vec![0.0; count * rows];
        let width = setting.space().width();
        for (point, column) in points
            .chunks_exact(width)
            .zip(solved.chunks_exact_mut(rows))
        {
            pool.covariances(&hyperparameters, point, column);
        }
        let factor = hyperparameters.factor_on(&points)?;
        let factor = MatrixRef::square(&factor, count, count);
        let of_target = MatrixMut::new(&mut solved, rows, count, rows);
        blas::solve_triangular(Triangular::Rows, factor, of_target);

        // L^-1 z and L^-1 1 side by side; the constant mean is profiled out.
        let mut half = targets;
        half.resize(2 * count, 1.0);
        let right = MatrixMut::new(&mut half, count, 2, count);
        blas::solve_triangular(Triangular::Lower, factor, right);
        let (targets, ones) = half.split_at(count);
        let product = |left: &[f64]| -> f64 { left.iter().zip(ones).map(|(a, b)| a * b).sum() };
        let mean = product(targets) / product(ones);
        let mut means = vec![mean; rows];
        for (column, (target, one)) in solved.chunks_exact(rows).zip(targets.iter().zip(ones)) {
            let weight = target - mean * one;
            for (mean, entry) in means.iter_mut().zip(column) {
                *mean = weight.mul_add(*entry, *mean);
            }
        }
        Ok(Self {
            space: setting.space(),
            columns: setting.columns(),
            pool,
            hyperparameters,
            means,
            solved,
        })
    }

    /// The noise variance.
    pub(super) fn noise(&self) -> f64 {
        self.hyperparameters.noise
    }
}

impl RowPrior for JointPrior<'_> {
    fn means(&self) -> &[f64] {
        &self.means
    }

    fn variances(&self) -> Vec<f64> {
        let mut variances = vec![self.hyperparameters.signal; self.means.len()];
        for column in self.solved.chunks_exact(self.means.len()) {
            for (variance, entry) in variances.iter_mut().zip(column) {
                *variance = (-entry).mul_add(*entry, *variance);
            }
        }
        variances
    }

    fn covariances(&mut self, row: usize, column: &mut [f64]) {
        let mut point = vec![0.0; self.space.width()];
        self.space.encode(self.columns, row, &mut point);
        self.pool.covariances(&self.hyperparameters, &point, column);
        for of_source in self.solved.chunks_exact(self.means.len()) {
            let own = of_source[row];
            for (entry, other) in column.iter_mut().zip(of_source) {
                *entry = (-own).mul_add(*other, *entry);
            }
        }
    }
}

/// The hyperparameters of one process on rows of all sources, fitted or found fitted.
fn hyperparameters(
    setting: &Setting,
    transform: Transform,
    hyperprior: Hyperprior,
    points: &[f64],
    targets: &[f64],
) -> Result<Posterior, EngineError> {
    let width = setting.space().width();
    let name = FitName {
        variant: hyperprior.name(),
        ..setting.fit_name("joint-process", VERSION, transform)
    };
    // Numbers in this order: weights, signal, noise.
    let stored = setting.shared().fit(&name, width + 2, || {
        let fitted = FITTED_ROWS.min(targets.len());
        let mut process = GaussianProcess::new(setting.space(), fitted, hyperprior);
        for point in points.chunks_exact(width).take(fitted) {
            process.observe(point);
        }
        process.fit(&targets[..fitted])?;
        let fit = process.posterior();
        let numbers = [&fit.weights[..], &[fit.signal, fit.noise]].concat();
        Ok(numbers.into_iter().map(|number| number as f32).collect())
    })?;
    let numbers: Vec<f64> = stored.iter().map(|&number| number.into()).collect();
    let (weights, rest) = numbers.split_at(width);
    Ok(Posterior {
        kernel: Kernel::Matern,
        weights: weights.to_vec(),
        signal: rest[0],
        noise: rest[1],
        mean: 0.0,
        alpha: Vec::new(),
    })
}
