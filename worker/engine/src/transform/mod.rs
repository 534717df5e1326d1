//! How objective values of different tasks are made comparable.

mod copula;
mod standardisation;

/// A transformation of a task's objective values, fitted on those values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transform {
    /// psi: Gaussian quantiles of the empirical distribution.
    Copula,
    /// Delta: subtract the mean, divide by the standard deviation.
    Standardisation,
}

impl Transform {
    /// A name with the version of the transform's constants.
    pub fn versioned_name(self) -> &'static str {
        match self {
            Self::Copula => "copula 1",
            Self::Standardisation => "standardisation 1",
        }
    }

    /// Transforms each value by the distribution of all of them, into `transformed`.
    ///
    /// The copula needs at least 2 values, the standardisation 1.
    pub fn apply(self, values: &[f64], transformed: &mut Vec<f64>) {
        transformed.clear();
        match self {
            Self::Copula => copula::apply(values, transformed),
            Self::Standardisation => standardisation::apply(values, transformed),
        }
    }
}
