//! The transfer acquisition function (Wistuba, Schilling and Schmidt-Thieme 2018,
//! section 7, eq. 46 and 47): expected improvement on the target plus what the
//! sources predict to be gained over what was evaluated, each with its weight.

use super::Acquisition;
use super::expected_improvement::log_expected_improvement;

/// Weights and predicted improvements, on top of expected improvement.
pub struct TransferAcquisition<'a> {
    /// The least transformed observation of the target.
    pub incumbent: f64,
    /// Weight of the expected improvement on the target.
    pub target_weight: f64,
    /// The sources' weighted predicted improvement at each row.
    pub transferred: &'a [f64],
}

impl Acquisition for TransferAcquisition<'_> {
    /// Without the division by the sum of all weights, which is the same for all rows.
    fn value(&self, row: usize, mean: f64, deviation: f64) -> f64 {
        let improvement = log_expected_improvement(mean, deviation, self.incumbent).exp();
        self.target_weight * improvement + self.transferred[row]
    }

    /// EI = s h(v) <= s phi(0) + max(incumbent - mean, 0).
    fn may_reach(&self, row: usize, mean: f64, deviation: f64, best: f64) -> bool {
        let most = 0.4 * deviation + (self.incumbent - mean).max(0.0);
        self.target_weight * most + self.transferred[row] >= best
    }
}
