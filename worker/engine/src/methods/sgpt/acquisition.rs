//! The transfer acquisition function (Wistuba, Schilling and Schmidt-Thieme 2018,
//! section 7, eq. 46 and 47): expected improvement on the target plus what the
//! sources predict to be gained over what was evaluated, each with its weight.

use pulp::Simd;

use crate::acquisition::expected_improvement::{expected_improvement, improvement_bound};
use crate::acquisition::function::Acquisition;
use crate::acquisition::maximisation::BLOCK;

/// Weights and predicted improvements, on top of expected improvement.
pub(super) struct TransferAcquisition<'a> {
    /// The least transformed observation of the target.
    pub incumbent: f64,
    /// Weight of the expected improvement on the target.
    pub target: TargetWeight<'a>,
    /// The sources' weighted predicted improvement at each row.
    pub transferred: &'a [f64],
}

/// The weight of the expected improvement on the target.
pub(super) enum TargetWeight<'a> {
    /// The same at all rows. The division by the sum of all weights is left out, being the same for all.
    Everywhere(f64),
    /// Its precision at each row, among weights that have this sum over the sources.
    Precision(&'a [f64]),
}

impl Acquisition for TransferAcquisition<'_> {
    /// By precision (EI / s^2 + A) / (1 / s^2 + B), with A the sum of the sources' weighted
    /// improvements and B that of their weights.
    fn value(&self, row: usize, mean: f64, std_dev: f64) -> f64 {
        let improvement = expected_improvement(mean, std_dev, self.incumbent);
        match self.target {
            TargetWeight::Everywhere(weight) => weight * improvement + self.transferred[row],
            TargetWeight::Precision(totals) => {
                let variance = std_dev * std_dev;
                (improvement + variance * self.transferred[row]) / (1.0 + variance * totals[row])
            }
        }
    }

    /// By the bound on EI. A weighted mean of EI and A / B is at most the greater of them; the margin is for rounding.
    fn may_reach(&self, row: usize, mean: f64, std_dev: f64, best: f64) -> bool {
        let most = improvement_bound(self.incumbent - mean, std_dev);
        match self.target {
            TargetWeight::Everywhere(weight) => weight * most + self.transferred[row] >= best,
            TargetWeight::Precision(totals) => {
                (1.0 + 1e-12) * most.max(self.transferred[row] / totals[row]) >= best
            }
        }
    }

    fn rule_out(
        &self,
        rows: &[u32],
        means: &[f64],
        std_devs: &[f64],
        best: f64,
        open: &mut [bool],
    ) {
        let TargetWeight::Everywhere(weight) = self.target else {
            return;
        };
        let mut of_block = [0.0; BLOCK];
        let transferred = &mut of_block[..rows.len()];
        for (place, row) in transferred.iter_mut().zip(rows) {
            *place = self.transferred[*row as usize];
        }
        rule_out_behind(
            (self.incumbent, weight, best),
            transferred,
            (means, std_devs),
            open,
        );
    }
}

/// By a bound on EI whose exponential takes a few products: exp(-q) <= (1 + q / 64)^-64 for q >= 0.
#[pulp::with_simd(rule_out_behind = pulp::Arch::new())]
#[inline(always)]
fn rule_out_behind_with<S: Simd>(
    _simd: S,
    (incumbent, weight, best): (f64, f64, f64),
    transferred: &[f64],
    (means, std_devs): (&[f64], &[f64]),
    open: &mut [bool],
) {
    let predictions = means.iter().zip(std_devs);
    let candidates = open.iter_mut().zip(transferred).zip(predictions);
    for ((flag, from_sources), (mean, std_dev)) in candidates {
        let gain = incumbent - mean;
        let square = (gain / std_dev) * (gain / std_dev);
        let mut power = 1.0 + square / 128.0;
        for _ in 0..6 {
            power *= power;
        }
        // By 1e-9 more than the bound, for rounding.
        let behind = 0.400_000_001 * std_dev / ((1.0 + square) * power);
        *flag &= (gain >= 0.0) | (weight * behind + from_sources >= best);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_weighted_improvement_plus_what_is_transferred() {
        let acquisition = TransferAcquisition {
            incumbent: 1.0,
            target: TargetWeight::Everywhere(0.75),
            transferred: &[0.0, 0.2],
        };
        // EI of N(1, 2^2) over 1 is 2 phi(0) = 0.797884560802865.
        let expected = 0.75 * 0.797_884_560_802_865;
        assert!((acquisition.value(0, 1.0, 2.0) - expected).abs() < 1e-12);
        assert!((acquisition.value(1, 1.0, 2.0) - expected - 0.2).abs() < 1e-12);
        // By precision: of the target 1/4, of the sources 3 in all, whose weighted improvements sum to 0.2.
        let by_precision = TransferAcquisition {
            target: TargetWeight::Precision(&[3.0, 3.0]),
            ..acquisition
        };
        let expected = (0.25 * 0.797_884_560_802_865 + 0.2) / 3.25;
        assert!((by_precision.value(1, 1.0, 2.0) - expected).abs() < 1e-12);
    }

    #[test]
    fn what_is_ruled_out_is_below_the_best_at_every_smaller_deviation() {
        let (transferred, totals) = ([0.0, 0.1, 1.0], [2.0, 0.5, 7.0]);
        let weights = [
            TargetWeight::Everywhere(0.75),
            TargetWeight::Precision(&totals),
        ];
        for target in weights {
            let acquisition = TransferAcquisition {
                incumbent: 0.2,
                target,
                transferred: &transferred,
            };
            let mut ruled_out = 0;
            for best in [1e-9, 1e-4, 0.05, 0.3, 1.2, 3.0] {
                for mean in (0..80).map(|step| -2.0 + 0.1 * f64::from(step)) {
                    for (row, std_dev) in [(0, 0.01), (1, 0.3), (2, 1.0), (0, 3.0)] {
                        let may_reach = acquisition.may_reach(row, mean, std_dev, best);
                        let mut open = [true];
                        let rows = [row as u32];
                        acquisition.rule_out(&rows, &[mean], &[std_dev], best, &mut open);
                        if may_reach && open == [true] {
                            continue;
                        }
                        ruled_out += 1;
                        for share in [1.0, 0.7, 0.1] {
                            assert!(acquisition.value(row, mean, share * std_dev) < best);
                        }
                    }
                }
            }
            assert!(ruled_out > 500, "{ruled_out}");
        }
    }
}
