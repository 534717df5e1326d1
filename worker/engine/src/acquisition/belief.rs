//! An acquisition function times a belief in where the optimum is (Hvarfner et al. 2022, pi-BO: Augmenting
//! acquisition functions with user beliefs for Bayesian optimization, eq. 6).

use super::function::Acquisition;

/// The logarithm of `acquisition` times the belief to a power.
pub(crate) struct Believed<'a, A> {
    /// In logarithms.
    pub acquisition: A,
    /// The logarithm of the belief in each row, finite.
    pub log_belief: &'a [f64],
    /// The power: beta / t after t evaluations.
    pub power: f64,
}

impl<A: Acquisition> Acquisition for Believed<'_, A> {
    fn value(&self, row: usize, mean: f64, std_dev: f64) -> f64 {
        self.acquisition.value(row, mean, std_dev) + self.power * self.log_belief[row]
    }

    fn may_reach(&self, row: usize, mean: f64, std_dev: f64, best: f64) -> bool {
        let added = self.power * self.log_belief[row];
        // `best` is a rounded sum. A large belief leaves fewer digits of the acquisition in it than the acquisition's own margin
        // allows for.
        let needed = best - added - 2.0 * f64::EPSILON * added.abs();
        self.acquisition.may_reach(row, mean, std_dev, needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::expected_improvement::{
        LogExpectedImprovement, log_expected_improvement,
    };

    #[test]
    fn the_belief_counts_less_the_smaller_its_power_and_rules_out_rightly() {
        let log_belief = [-0.5, -30.0];
        for power in [10.0, 1.0, 0.1] {
            let believed = Believed {
                acquisition: LogExpectedImprovement::new(0.2, 3.0),
                log_belief: &log_belief,
                power,
            };
            let plain = log_expected_improvement(0.4, 0.7, 0.2);
            let found = believed.value(1, 0.4, 0.7);
            assert!((found - plain + 30.0 * power).abs() < 1e-12, "{found}");
            let mut ruled_out = 0;
            for (row, mean) in (0..80).map(|step| (step % 2, -2.0 + 0.25 * step as f64)) {
                for best in [-60.0, -5.0, 0.0] {
                    if !believed.may_reach(row, mean, 0.5, best) {
                        ruled_out += 1;
                        assert!(
                            [0.5, 0.3]
                                .iter()
                                .all(|s| believed.value(row, mean, *s) < best)
                        );
                    }
                }
            }
            assert!(ruled_out > 50, "{ruled_out}");
        }
    }

    #[test]
    fn a_great_belief_does_not_rule_out_a_tie() {
        let believed = Believed {
            acquisition: LogExpectedImprovement::new(0.0, 3.0),
            log_belief: &[-191_273_858.462_472_95; 2],
            power: 1.0,
        };
        // The second is a little less, which the sums are too coarse for.
        let (one, other) = (1.253_314_137_315_500_1, 1.253_314_124_791_860_4);
        let best = believed.value(0, 0.0, one);
        assert_eq!(believed.value(1, 0.0, other), best);
        assert!(believed.may_reach(1, 0.0, other, best));
    }
}
