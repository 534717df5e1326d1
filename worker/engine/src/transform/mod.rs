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

    /// As [`Self::apply`], also to no value, and to a single one: it says nothing of the distribution and is its median, 0.
    fn apply_to_any(self, values: &[f64]) -> Vec<f64> {
        match values.len() {
            0 | 1 => vec![0.0; values.len()],
            _ => self.apply(values),
        }
    }

    /// The average over several objectives, which is transformed no further (ICML 2020, section 5.2): each objective, the
    /// values of which `objectives` has in the same order, is transformed by its own distribution. Of one objective it is
    /// [`Self::apply`]; a single value says nothing of the distribution and is its median, 0.
    pub(crate) fn average(self, objectives: &[&[f64]]) -> Vec<f64> {
        let Some((first, further)) = objectives.split_first() else {
            return Vec::new();
        };
        let mut averaged = self.apply_to_any(first);
        for objective in further {
            let pairs = averaged.iter_mut().zip(self.apply_to_any(objective));
            pairs.for_each(|(sum, value)| *sum += value);
        }
        let count = objectives.len() as f64;
        averaged.iter_mut().for_each(|sum| *sum /= count);
        averaged
    }

    /// Each value transformed by the distribution of all of them.
    ///
    /// The copula needs at least 2 values, the standardisation 1.
    pub fn apply(self, values: &[f64]) -> Vec<f64> {
        match self {
            Self::Copula => copula::apply(values),
            Self::Standardisation => standardisation::apply(values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_objective_is_transformed_as_it_is() {
        let values = [0.31, 0.295, 0.5, 0.302, -0.1];
        for transform in [Transform::Copula, Transform::Standardisation] {
            assert_eq!(transform.average(&[&values]), transform.apply(&values));
            assert_eq!(transform.average(&[&[3.0]]), [0.0]);
            assert!(transform.average(&[&[]]).is_empty() && transform.average(&[]).is_empty());
        }
    }

    #[test]
    fn several_are_transformed_each_by_itself_and_averaged() {
        // Standardised: -1 1 -1 1 and -1.5 .5 .5 .5 times sqrt(4 / 3), which is 1 / sqrt(3/4).
        let found = Transform::Standardisation
            .average(&[&[1.0, 3.0, 1.0, 3.0], &[100.0, 300.0, 300.0, 300.0]]);
        let third = 1.0 / 3f64.sqrt();
        let expected = [-1.0 - 3.0 * third, 1.0 + third, -1.0 + third, 1.0 + third];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected / 2.0).abs() < 1e-14, "{found} {expected}");
        }
        // From Python's statistics.NormalDist().inv_cdf of the clipped shares 0, 1/3 and 2/3, d = .1023.
        let found = Transform::Copula.average(&[&[1.0, 2.0, 3.0], &[30.0, 20.0, 10.0]]);
        let least = -1.268_835_808_623_589_1;
        let (middle, largest) = (-0.430_727_299_295_457_4, 0.430_727_299_295_457_4);
        let ends = (least + largest) / 2.0;
        for (found, expected) in found.iter().zip([ends, middle, ends]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}
