//! How differently a source task and the target order the configurations evaluated
//! so far, and what weight that gives the source (Wistuba, Schilling and
//! Schmidt-Thieme 2018, section 6.2).

/// Weight of a source at a distance: the Epanechnikov kernel (eq. 42 and 43), 3/4 at
/// distance 0, falling to 0 at the `bandwidth`.
pub(super) fn weight(distance: f64, bandwidth: f64) -> f64 {
    let share = distance / bandwidth;
    if share <= 1.0 {
        0.75 * (1.0 - share * share)
    } else {
        0.0
    }
}

/// How the number of disagreements becomes a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Distance {
    /// Euclidean distance of the two descriptors of eq. 45, whose t (t - 1) entries, one per ordered
    /// pair, are 1 / (t (t - 1)) or 0: for the same share of disagreements it falls as 1 / t.
    Euclidean,
    /// Kendall distance, the share of pairs on which the two disagree: what the text around eq. 45 says. A tie
    /// on one side only counts half.
    Kendall,
}

/// Counts the ordered pairs of configurations on which a source and the target
/// disagree, observation by observation.
#[derive(Debug, Default)]
pub(super) struct RankDistance {
    /// Source and target value of each configuration.
    values: Vec<(f64, f64)>,
    discordant: u64,
}

impl RankDistance {
    /// Adds a configuration: its value on the source, as predicted, and on the target.
    pub(super) fn observe(&mut self, source: f64, target: f64) {
        let disagree = |(other_source, other_target): &(f64, f64)| {
            let first = (source > *other_source) != (target > *other_target);
            let second = (*other_source > source) != (*other_target > target);
            u64::from(first) + u64::from(second)
        };
        self.discordant += self.values.iter().map(disagree).sum::<u64>();
        self.values.push((source, target));
    }

    /// The distance; 0 before there is a pair.
    pub(super) fn distance(&self, distance: Distance) -> f64 {
        let count = self.values.len() as f64;
        if self.values.len() < 2 {
            return 0.0;
        }
        let pairs = count * (count - 1.0);
        match distance {
            Distance::Euclidean => (self.discordant as f64).sqrt() / pairs,
            Distance::Kendall => self.discordant as f64 / pairs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(pairs: &[(f64, f64)], kind: Distance) -> f64 {
        let mut distance = RankDistance::default();
        for &(source, target) in pairs {
            distance.observe(source, target);
        }
        distance.distance(kind)
    }

    #[test]
    fn distances_agree_with_pairs_counted_by_hand() {
        // Target 1 2 3 4 against source 1 3 2 4: one of six pairs is discordant, that is
        // two of twelve entries differ, each by 1/12.
        let one = [(1.0, 1.0), (3.0, 2.0), (2.0, 3.0), (4.0, 4.0)];
        // Reversed: all six pairs.
        let all = [(4.0, 1.0), (3.0, 2.0), (2.0, 3.0), (1.0, 4.0)];
        // A tie on one side only is half a pair: one entry of six.
        let tie = [(1.0, 1.0), (1.0, 2.0), (3.0, 3.0)];
        let cases = [
            (&one[..], 2f64.sqrt() / 12.0, 1.0 / 6.0),
            (&all, 12f64.sqrt() / 12.0, 1.0),
            (&tie, 1.0 / 6.0, 1.0 / 6.0),
            (&[(0.3, 0.1), (0.5, 0.7)], 0.0, 0.0),
            (&[(0.3, 0.1)], 0.0, 0.0),
        ];
        for (pairs, euclidean, kendall) in cases {
            assert!((distance(pairs, Distance::Euclidean) - euclidean).abs() < 1e-15);
            assert!((distance(pairs, Distance::Kendall) - kendall).abs() < 1e-15);
        }
    }

    #[test]
    fn the_kernel_falls_from_three_quarters_to_zero_at_the_bandwidth() {
        // gamma(t) = 3/4 (1 - t^2): t = 0, 1/2, 1, 2.
        for (distance, expected) in [(0.0, 0.75), (0.05, 0.5625), (0.1, 0.0), (0.2, 0.0)] {
            assert!(
                (weight(distance, 0.1) - expected).abs() < 1e-15,
                "{distance}"
            );
        }
    }
}
