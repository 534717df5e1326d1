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

    /// Turns r^2 of each pair into the correlation, in single precision.
    #[inline(always)]
    pub(super) fn correlations_in_single_precision(self, entries: &mut [f32]) {
        match self {
            Self::Matern => {
                for entry in entries {
                    *entry = matern::correlation_in_single_precision(*entry);
                }
            }
            Self::SquaredExponential => {
                for entry in entries {
                    *entry = squared_exponential::correlation_in_single_precision(*entry);
                }
            }
        }
    }

    /// Rates l and shares c of exponentials with M(r) = sum of c exp(-l r^2), and at least the error of that sum. The shares are positive
    /// and sum to 1 at most.
    pub(super) fn exponentials(self) -> (&'static [[f64; 2]], f64) {
        match self {
            Self::Matern => (&matern::EXPONENTIALS, matern::EXPONENTIALS_ERROR),
            Self::SquaredExponential => (&[[0.5, 1.0]], 0.0),
        }
    }

    /// Puts the slope -2 dM/d(r^2) of each pair into the place of its r^2, and its correlation M into `correlations`.
    #[inline(always)]
    pub(super) fn correlations_and_slopes(self, pairs: &mut [f64], correlations: &mut [f64]) {
        let places = pairs.iter_mut().zip(correlations);
        match self {
            Self::Matern => {
                for (pair, correlation) in places {
                    (*correlation, *pair) = matern::correlation_and_slope(*pair);
                }
            }
            Self::SquaredExponential => {
                for (pair, correlation) in places {
                    *correlation = squared_exponential::correlation(*pair);
                    *pair = *correlation;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_precision_agrees_with_double_precision() {
        for kernel in [Kernel::Matern, Kernel::SquaredExponential] {
            for step in 0..400_000 {
                // Distances 0 to 400, dense near 0.
                let share = f64::from(step) / 4e5;
                let mut single = [(1.6e5 * share.powi(6)) as f32];
                let mut double = [f64::from(single[0])];
                kernel.correlations_in_single_precision(&mut single);
                kernel.covariances(1.0, &mut double);
                let error = (f64::from(single[0]) - double[0]).abs();
                assert!(error < 7e-7, "{kernel:?} at {share}: off by {error}");
            }
            let mut far = [1e30];
            kernel.correlations_in_single_precision(&mut far);
            assert!((0.0..1e-6).contains(&far[0]), "{far:?}");
        }
    }

    /// Turns squared distances into covariances and correlations, compiled for the vectors of one kind of processor.
    #[cfg(target_arch = "x86_64")]
    struct Kernels<'a>(&'a mut [f64], &'a mut [Vec<f32>; 3]);

    #[cfg(target_arch = "x86_64")]
    impl pulp::WithSimd for Kernels<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, simd: S) {
            let Self(double, [one, other, activations]) = self;
            for (kernel, single) in [(Kernel::Matern, one), (Kernel::SquaredExponential, other)] {
                kernel.covariances(1.7, double);
                kernel.correlations_in_single_precision(single);
            }
            crate::special::hyperbolic::tanh_with(simd, activations);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn wider_vectors_give_the_same_bits() {
        // Processors without the wider ones have nothing to compare.
        let (Some(narrow), Some(wide)) = (pulp::x86::V3::try_new(), pulp::x86::V4::try_new())
        else {
            return;
        };
        let run = |simd: &mut dyn FnMut(Kernels)| {
            // No whole number of vectors of either width.
            let mut double: Vec<f64> = (0..1003)
                .map(|step| 1e-7 * f64::from(step).powi(3))
                .collect();
            let single: Vec<f32> = double.iter().map(|number| *number as f32).collect();
            let activations = single.iter().map(|number| number - 2.0).collect();
            let mut singles = [single.clone(), single, activations];
            simd(Kernels(&mut double, &mut singles));
            let double: Vec<u64> = double.iter().map(|number| number.to_bits()).collect();
            let singles = singles.iter().flatten().map(|number| number.to_bits());
            (double, singles.collect::<Vec<u32>>())
        };
        let narrow = run(&mut |kernels| pulp::Simd::vectorize(narrow, kernels));
        let wide = run(&mut |kernels| pulp::Simd::vectorize(wide, kernels));
        assert_eq!(narrow, wide);
    }
}
