//! The fit of a Gaussian process to the observations so far.

use super::hyperparameters::{HyperparameterModel, Hyperprior, Priors};
use super::kernel::Kernel;
use super::likelihood::Likelihood;
use super::pairs::SquaredDifferences;
use crate::blas::MatrixRef;
use crate::elimination::Elimination;
use crate::error::EngineError;
use crate::lbfgs::{self, Curvature, Settings};
use crate::table::encoding::Space;

/// How processes are fitted. Warm starts make the optimum near: the tolerances are those at which a tighter
/// fit no longer changes scores.
pub(crate) const FIT: Settings = Settings {
    iterations: 50,
    gradient_tolerance: 1e-3,
    value_tolerance: 1e-6,
    longest_step: 2.0,
};

/// A Gaussian process on points: encoded configurations, which lie in the unit cube, or features of them, which may lie anywhere.
pub struct GaussianProcess {
    width: usize,
    model: HyperparameterModel,
    /// Logarithms of lengthscales, signal and noise variance; the next fit starts here.
    logarithms: Vec<f64>,
    bounds: (Vec<f64>, Vec<f64>),
    /// Observed points, one after the other.
    points: Vec<f64>,
    squares: SquaredDifferences,
    likelihood: Likelihood,
    /// What the fits so far learned of the likelihood's curvature: one more observation changes it little.
    curvature: Curvature,
    posterior: Posterior,
}

/// What predictions need of a fitted process.
#[derive(Debug, Default)]
pub struct Posterior {
    /// How correlation falls with distance.
    pub kernel: Kernel,
    /// 1 / lengthscale^2 of each coordinate.
    pub weights: Vec<f64>,
    /// Signal variance.
    pub signal: f64,
    /// Noise variance.
    pub noise: f64,
    /// Constant mean.
    pub mean: f64,
    /// K^-1 (z - mean).
    pub alpha: Vec<f64>,
}

impl Posterior {
    /// The same hyperparameters, without data, with another signal variance.
    pub(crate) fn with_signal(&self, signal: f64) -> Self {
        Self {
            kernel: self.kernel,
            weights: self.weights.clone(),
            signal,
            noise: self.noise,
            mean: 0.0,
            alpha: Vec::new(),
        }
    }
}

impl GaussianProcess {
    /// A process on encoded points of a space, at most `points` of them.
    pub fn new(space: &Space, points: usize, hyperprior: Hyperprior) -> Self {
        let model = HyperparameterModel::new(space, hyperprior);
        let width = model.width();
        Self {
            width,
            logarithms: model.start(),
            bounds: model.bounds(),
            model,
            points: Vec::with_capacity(width * points),
            squares: SquaredDifferences::new(width, points),
            likelihood: Likelihood::new(width, points),
            curvature: Curvature::default(),
            posterior: Posterior::default(),
        }
    }

    /// The process with these priors on its hyperparameters in place of its own.
    pub(crate) fn with_priors(mut self, priors: Priors) -> Self {
        self.model = self.model.with_priors(priors);
        self
    }

    /// The process with another kernel than Matern-5/2.
    pub fn with_kernel(mut self, kernel: Kernel) -> Self {
        self.likelihood = self.likelihood.with_kernel(kernel);
        self
    }

    /// Number of observed points.
    pub fn count(&self) -> usize {
        self.points.len() / self.width
    }

    /// Adds an observed point; its target is given to [`Self::fit`].
    pub fn observe(&mut self, point: &[f64]) {
        self.squares.append(point);
        self.points.extend_from_slice(point);
    }

    /// Fits the hyperparameters to one target per observed point, from where the
    /// last fit ended and with the curvature that it left, and prepares predictions.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the kernel matrix cannot be factorised.
    pub fn fit(&mut self, targets: &[f64]) -> Result<(), EngineError> {
        assert_eq!(targets.len(), self.count(), "one target per observed point");
        let (squares, likelihood) = (&self.squares, &mut self.likelihood);
        let model = &self.model;
        // The last evaluation is nearly always that of the optimum, whose factor is there then.
        let mut factorised = Vec::new();
        lbfgs::minimise_on(
            &mut self.curvature,
            |logarithms, gradient| {
                factorised.clear();
                let value = likelihood.evaluate(squares, targets, model, logarithms, gradient)?;
                factorised.extend_from_slice(logarithms);
                Ok(value)
            },
            &mut self.logarithms,
            (&self.bounds.0, &self.bounds.1),
            FIT,
        )?;
        if factorised != self.logarithms {
            likelihood.factorise(squares, targets, &self.logarithms)?;
        }
        self.set_posterior();
        Ok(())
    }

    /// Prepares predictions from one target per observed point under these logarithms of lengthscales, signal and noise
    /// variance.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the kernel matrix cannot be factorised.
    pub(crate) fn condition_under(
        &mut self,
        logarithms: &[f64],
        targets: &[f64],
    ) -> Result<(), EngineError> {
        assert_eq!(targets.len(), self.count(), "one target per observed point");
        self.logarithms.copy_from_slice(logarithms);
        self.likelihood
            .factorise(&self.squares, targets, &self.logarithms)?;
        self.set_posterior();
        Ok(())
    }

    /// Of the hyperparameters at which the likelihood was factorised last.
    fn set_posterior(&mut self) {
        let weight = |logarithm: &f64| libm::exp(-2.0 * logarithm);
        self.posterior = Posterior {
            kernel: self.likelihood.kernel(),
            weights: self.logarithms[..self.width].iter().map(weight).collect(),
            signal: libm::exp(self.logarithms[self.width]),
            noise: libm::exp(self.logarithms[self.width + 1]),
            mean: self.likelihood.mean(),
            alpha: self.likelihood.alpha().to_vec(),
        };
    }

    /// What the process of the last fit, which was to these targets, predicts for each observed point from all
    /// others: z_j - alpha_j / (K^-1)_jj, the hyperparameters and the constant mean being those of the fit
    /// (Rasmussen and Williams 2006, eq. 5.12).
    pub(crate) fn leave_one_out_means(&self, targets: &[f64]) -> Vec<f64> {
        let mut diagonal = vec![0.0; targets.len()];
        for row in self.elimination().inverse_rows() {
            for (own, entry) in diagonal.iter_mut().zip(row) {
                *own += entry * entry;
            }
        }
        let alpha = self.posterior.alpha.iter().zip(diagonal);
        let means = targets.iter().zip(alpha);
        means
            .map(|(target, (alpha, own))| target - alpha / own)
            .collect()
    }

    /// Logarithms of lengthscales, signal and noise variance of the last fit.
    #[cfg(test)]
    pub(crate) fn logarithms(&self) -> &[f64] {
        &self.logarithms
    }

    /// Observed points, one after the other.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// The posterior of the last fit.
    pub fn posterior(&self) -> &Posterior {
        &self.posterior
    }

    /// The posterior of the last fit, without the memory of fits.
    pub(crate) fn into_posterior(self) -> Posterior {
        self.posterior
    }

    /// The covariance of two observations under the last fit, noise included.
    pub(crate) fn covariance(&self, one: usize, other: usize) -> f64 {
        let Posterior { signal, noise, .. } = self.posterior;
        if one == other {
            signal + noise
        } else {
            let (earlier, later) = (one.min(other), one.max(other));
            signal * self.likelihood.correlation(earlier, later)
        }
    }

    /// Cholesky factor of the kernel matrix of the last fit.
    pub(crate) fn factor(&self) -> MatrixRef<'_> {
        self.elimination().factor()
    }

    /// That factor and its inverse.
    pub(crate) fn elimination(&self) -> &Elimination {
        self.likelihood.elimination()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_reaches_the_optimum_that_scipy_finds() {
        // L-BFGS-B of SciPy 1.17 on the same objective (dense, numerical gradient),
        // best of 20 starts: tests/python/gaussian_process_reference.py.
        let reference: Vec<Vec<f64>> = include_str!("fit_reference.csv")
            .lines()
            .map(|line| {
                line.split(',')
                    .map(|field| field.parse().unwrap())
                    .collect()
            })
            .collect();
        let (optimum, rows) = reference.split_last().unwrap();
        let mut process = GaussianProcess::new(&Space::numeric(2), rows.len(), Hyperprior::Gamma);
        let mut targets = Vec::new();
        for row in rows {
            process.observe(&row[..2]);
            targets.push(row[2]);
        }
        process.fit(&targets).unwrap();
        for (found, expected) in process.logarithms().iter().zip(optimum) {
            assert!(
                (found - expected).abs() < 2e-2,
                "{:?} {optimum:?}",
                process.logarithms()
            );
        }
    }
}
