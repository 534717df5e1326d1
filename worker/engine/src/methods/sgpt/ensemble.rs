//! Expected improvement under an ensemble of the target's process and the sources' (Wistuba, Schilling and
//! Schmidt-Thieme 2018, section 6, eq. 31, 32, 36 and 44; Feurer et al. 2018, section 4).

use crate::acquisition::expected_improvement::log_expected_improvement;
use crate::acquisition::function::Acquisition;

/// How the target's prediction and the sources' become one.
pub(super) enum Blend<'a> {
    /// Weights that are the same at all rows and sum to 1: the mean is the weighted one.
    Weighted {
        /// Weight of the target.
        target: f64,
        /// The sources' weighted sum of means, by row.
        means: &'a [f64],
        /// If the variance is that of the weighted sum of independent processes: the sources' part of
        /// it, by row. Without it the variance is the target's own.
        variances: Option<&'a [f64]>,
    },
    /// A product of experts, each with the same share 1 / models.
    Product {
        /// Number of sources and the target.
        models: usize,
        /// The sources' sum of means over variances, by row.
        means: &'a [f64],
        /// The sources' sum of precisions, by row.
        precisions: &'a [f64],
    },
}

impl Blend<'_> {
    /// Mean and standard deviation of the ensemble at a row, from those of the target's process.
    fn prediction(&self, row: usize, mean: f64, std_dev: f64) -> (f64, f64) {
        match self {
            Self::Weighted {
                target,
                means,
                variances,
            } => {
                let std_dev = match variances {
                    None => std_dev,
                    Some(variances) => {
                        (target * target * std_dev * std_dev + variances[row]).sqrt()
                    }
                };
                (target * mean + means[row], std_dev)
            }
            Self::Product {
                models,
                means,
                precisions,
            } => {
                let own = 1.0 / (std_dev * std_dev);
                let total = own + precisions[row];
                let mean = (own * mean + means[row]) / total;
                (mean, (*models as f64 / total).sqrt())
            }
        }
    }
}

/// Log expected improvement of the ensemble over the incumbent.
pub(super) struct EnsembleImprovement<'a> {
    /// The least transformed observation of the target.
    pub incumbent: f64,
    /// The ensemble.
    pub blend: Blend<'a>,
}

impl Acquisition for EnsembleImprovement<'_> {
    fn value(&self, row: usize, mean: f64, std_dev: f64) -> f64 {
        let (mean, std_dev) = self.blend.prediction(row, mean, std_dev);
        log_expected_improvement(mean, std_dev, self.incumbent)
    }

    /// The deviation of the ensemble grows with the target's, and its mean lies between that at the given deviation
    /// and the target's own, to which it tends as the deviation falls. The margin is for rounding.
    fn may_reach(&self, row: usize, mean: f64, std_dev: f64, best: f64) -> bool {
        let (blended, largest) = self.blend.prediction(row, mean, std_dev);
        let least = match self.blend {
            Blend::Weighted { .. } => blended,
            Blend::Product { .. } => blended.min(mean),
        };
        log_expected_improvement(least, largest, self.incumbent) + 1e-9 >= best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_of_gaussian_densities_has_its_mean_and_deviation() {
        // Target N(1, 2^2), sources N(0, 1) and N(3, 0.5^2): precisions 1/4, 1, 4, their thirds as exponents.
        // Mean (0.25 + 0 + 12) / 5.25, variance 3 / 5.25.
        let blend = Blend::Product {
            models: 3,
            means: &[12.0],
            precisions: &[5.0],
        };
        let (mean, std_dev) = blend.prediction(0, 1.0, 2.0);
        assert!((mean - 12.25 / 5.25).abs() < 1e-12, "{mean}");
        assert!(
            (std_dev - (3.0_f64 / 5.25).sqrt()).abs() < 1e-12,
            "{std_dev}"
        );
    }

    #[test]
    fn weighted_ensembles_have_the_deviation_of_the_sum_or_of_the_target() {
        let (means, variances) = ([0.6], [0.09]);
        let blend = |variances| Blend::Weighted {
            target: 0.5,
            means: &means,
            variances,
        };
        assert_eq!(blend(None).prediction(0, 1.0, 2.0), (1.1, 2.0));
        let (mean, std_dev) = blend(Some(&variances)).prediction(0, 1.0, 2.0);
        assert!((mean - 1.1).abs() < 1e-12 && (std_dev - 1.09_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn what_is_ruled_out_is_below_the_best_at_every_smaller_deviation() {
        let (means, parts) = ([-1.0, 0.3, 2.0], [0.5, 4.0, 0.01]);
        let blends = [
            Blend::Weighted {
                target: 0.4,
                means: &means,
                variances: None,
            },
            Blend::Weighted {
                target: 0.4,
                means: &means,
                variances: Some(&parts),
            },
            Blend::Product {
                models: 4,
                means: &means,
                precisions: &parts,
            },
        ];
        for blend in blends {
            let improvement = EnsembleImprovement {
                incumbent: -0.5,
                blend,
            };
            let mut ruled_out = 0;
            for best in [-20.0, -5.0, -2.0, -1.0, 0.0] {
                for mean in (0..40).map(|step| -2.0 + 0.2 * f64::from(step)) {
                    for (row, std_dev) in [(0, 0.01), (1, 0.3), (2, 1.0), (0, 3.0)] {
                        if improvement.may_reach(row, mean, std_dev, best) {
                            continue;
                        }
                        ruled_out += 1;
                        for share in [1.0, 0.7, 0.1, 1e-3] {
                            assert!(improvement.value(row, mean, share * std_dev) < best);
                        }
                    }
                }
            }
            assert!(ruled_out > 100, "{ruled_out}");
        }
    }
}
