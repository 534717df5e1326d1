//! The kernels of a Gaussian process, as functions of the squared scaled distance r^2.

use super::{matern, squared_exponential};

/// How the correlation of two configurations falls with their distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kernel {
    /// Matern with nu = 5/2: twice differentiable functions.
    #[default]
    Matern,
    /// Squared exponential with a lengthscale per coordinate (SE-ARD): smooth functions.
    SquaredExponential,
}

impl Kernel {
    /// Turns r^2 of each pair into the covariance, `signal` times the correlation.
    #[inline(always)]
    pub(super) fn covariances(self, signal: f64, entries: &mut [f64]) {
        match self {
            Self::Matern => {
                for entry in entries {
                    *entry = signal * matern::correlation(*entry);
                }
            }
            Self::SquaredExponential => {
                for entry in entries {
                    *entry = signal * squared_exponential::correlation(*entry);
                }
            }
        }
    }

    /// The correlation M of each pair and its slope -2 dM/d(r^2), from r^2.
    #[inline(always)]
    pub(super) fn correlations_and_slopes(
        self,
        squared: &[f64],
        correlations: &mut [f64],
        slopes: &mut [f64],
    ) {
        let pairs = squared.iter().zip(correlations).zip(slopes);
        match self {
            Self::Matern => {
                for ((&squared, correlation), slope) in pairs {
                    (*correlation, *slope) = matern::correlation_and_slope(squared);
                }
            }
            Self::SquaredExponential => {
                for ((&squared, correlation), slope) in pairs {
                    *correlation = squared_exponential::correlation(squared);
                    *slope = *correlation;
                }
            }
        }
    }
}
