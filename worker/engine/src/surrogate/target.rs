//! The Gaussian process of a target task: on its transformed observations, on
//! their residuals to a parametric prior, or on observations of other tasks besides.

use super::gaussian_process::GaussianProcess;
use super::hyperparameters::{Hyperprior, Priors};
use super::kernel::Kernel;
use crate::acquisition::expected_improvement::LogExpectedImprovement;
use crate::error::EngineError;
use crate::prior::parametric::ParametricPrior;
use crate::search::Observations;
use crate::setting::Setting;
use crate::table::encoding::{Column, Space};
use crate::transform::Transform;

/// The surrogate of a target, refitted to all observations at each step.
pub(crate) struct TargetSurrogate<'a> {
    /// How observations are transformed.
    pub transform: Transform,
    space: &'a Space,
    columns: &'a [Column],
    prior: Option<ParametricPrior>,
    /// The process of the last fit.
    pub process: GaussianProcess,
    /// What the process is fitted to: targets of the first points, which are not the
    /// target task's, then those of its observations.
    pub targets: Vec<f64>,
    warm: usize,
    /// The least transformed observation at the last fit.
    pub incumbent: f64,
}

/// A point of another task with its transformed objective there.
pub(crate) struct WarmPoint {
    /// The encoded configuration.
    pub point: Vec<f64>,
    /// Its transformed objective.
    pub target: f64,
}

impl<'a> TargetSurrogate<'a> {
    /// A process on the observations as `transform` maps them.
    pub(crate) fn new(setting: &Setting<'a>, transform: Transform, hyperprior: Hyperprior) -> Self {
        Self::warm_started(setting, transform, hyperprior, &[])
    }

    /// A process on residuals (z - mu) / sigma of a prior.
    pub(crate) fn on_residuals(
        setting: &Setting<'a>,
        transform: Transform,
        hyperprior: Hyperprior,
        prior: ParametricPrior,
    ) -> Self {
        Self {
            prior: Some(prior),
            ..Self::new(setting, transform, hyperprior)
        }
    }

    /// The surrogate with another kernel than Matern-5/2.
    pub(crate) fn with_kernel(self, kernel: Kernel) -> Self {
        Self {
            process: self.process.with_kernel(kernel),
            ..self
        }
    }

    /// The surrogate with these priors on the hyperparameters of its process.
    pub(crate) fn with_priors(self, priors: Priors) -> Self {
        Self {
            process: self.process.with_priors(priors),
            ..self
        }
    }

    /// A process whose data begin with points of other tasks.
    pub(crate) fn warm_started(
        setting: &Setting<'a>,
        transform: Transform,
        hyperprior: Hyperprior,
        warm: &[WarmPoint],
    ) -> Self {
        let points = warm.len() + setting.iterations;
        let mut process = GaussianProcess::new(setting.space(), points, hyperprior);
        for WarmPoint { point, .. } in warm {
            process.observe(point);
        }
        Self {
            transform,
            space: setting.space(),
            columns: setting.columns(),
            prior: None,
            process,
            targets: warm.iter().map(|warm| warm.target).collect(),
            warm: warm.len(),
            incumbent: f64::INFINITY,
        }
    }

    /// Fits the process to the observations so far.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the fit fails.
    pub(crate) fn fit(&mut self, observations: &Observations) -> Result<(), EngineError> {
        let mut point = vec![0.0; self.space.width()];
        let observed = self.process.count() - self.warm;
        for &row in &observations.rows[observed..] {
            self.space.encode(self.columns, row as usize, &mut point);
            self.process.observe(&point);
        }
        let transformed = observations.transformed(self.transform);
        let values = transformed.iter().copied();
        self.incumbent = values.clone().fold(f64::INFINITY, f64::min);
        self.targets.truncate(self.warm);
        match &self.prior {
            None => self.targets.extend(values),
            Some(prior) => {
                let residual = |(value, &row): (f64, &u32)| {
                    (value - prior.means[row as usize]) / prior.std_devs[row as usize]
                };
                self.targets
                    .extend(values.zip(&observations.rows).map(residual));
            }
        }
        self.process.fit(&self.targets)
    }

    /// Log expected improvement under the last fit.
    pub(crate) fn log_expected_improvement(&self) -> LogExpectedImprovement<'_> {
        let largest = self.process.posterior().signal.sqrt();
        match &self.prior {
            None => LogExpectedImprovement::new(self.incumbent, largest),
            Some(prior) => LogExpectedImprovement::of_residuals(self.incumbent, largest, prior),
        }
    }
}
