//! Transforms that make the objective values of different tasks comparable.

mod copula;
mod standardisation;

/// A transform of a task's objective values, fitted to those values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transform {
    /// psi: Gaussian quantiles of the empirical distribution.
    Copula,
    /// Delta: subtract the mean, divide by the standard deviation.
    Standardisation,
}

impl Transform {
    /// The transform's name with the version of its constants, part of the name of a fit in the store.
    pub fn versioned_name(self) -> &'static str {
        match self {
            Self::Copula => "copula 1",
            Self::Standardisation => "standardisation 2",
        }
    }

    /// As [`Self::apply`], also to a single value: it says nothing of the distribution and is its median, 0.
    pub(crate) fn apply_to_any(self, values: &[f64], transformed: &mut Vec<f64>) {
        match values.len() {
            1 => {
                transformed.clear();
                transformed.push(0.0);
            }
            _ => self.apply(values, transformed),
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
