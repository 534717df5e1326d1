//! Values that are in no table: how they are found, and what is done with them.

use std::collections::BTreeMap;

use loto_proto::sweep::Sweep;

/// Relative distance up to which a recorded value is a value of the table: CSV writers and readers
/// of other programs are off by a few units in the last place.
const TOLERANCE: f64 = 1e-12;

/// What is done with a value that is not in its task's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnForeign {
    /// The traces are refused.
    Refuse,
    /// The value is scored as it was recorded.
    Keep,
    /// The iteration counts as spent without a result: the best value so far stays.
    Drop,
}

/// What is done with foreign values, by black box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignValues {
    /// The rule for black boxes that have none of their own.
    default: OnForeign,
    /// Rules of single black boxes.
    rules: BTreeMap<String, OnForeign>,
}

impl Default for ForeignValues {
    /// All foreign values are refused.
    fn default() -> Self {
        Self {
            default: OnForeign::Refuse,
            rules: BTreeMap::new(),
        }
    }
}

impl ForeignValues {
    /// The rules that follow from the options `--allow-foreign-values` and
    /// `--drop-foreign-values`. Each is absent, or an empty list for all black boxes that the other
    /// does not name, or the names of black boxes.
    ///
    /// # Errors
    /// [`ForeignRuleError`] if both are for the same black boxes.
    pub fn new(
        allow: Option<&[String]>,
        drop: Option<&[String]>,
    ) -> Result<Self, ForeignRuleError> {
        if let (Some([]), Some([])) = (allow, drop) {
            return Err(ForeignRuleError::BothForAll);
        }
        let mut this = Self::default();
        for (option, rule) in [(allow, OnForeign::Keep), (drop, OnForeign::Drop)] {
            if option.is_some_and(<[String]>::is_empty) {
                this.default = rule;
            }
            for blackbox in option.unwrap_or_default() {
                let other = this.rules.insert(blackbox.clone(), rule);
                if other.is_some_and(|other| other != rule) {
                    return Err(ForeignRuleError::BothForOne(blackbox.clone()));
                }
            }
        }
        Ok(this)
    }

    /// The rule for a black box.
    pub fn rule(&self, blackbox: &str) -> OnForeign {
        self.rules.get(blackbox).copied().unwrap_or(self.default)
    }

    /// Refuses rules for black boxes that the sweep does not have.
    pub(super) fn check(&self, sweep: &Sweep) -> Result<(), ForeignRuleError> {
        let known = &sweep.blackboxes;
        let is_unknown = |name: &&String| known.iter().all(|blackbox| blackbox.name != **name);
        match self.rules.keys().find(is_unknown) {
            Some(name) => Err(ForeignRuleError::UnknownBlackbox(name.clone())),
            None => Ok(()),
        }
    }
}

/// Why rules for foreign values make no sense.
#[derive(Debug, thiserror::Error)]
pub enum ForeignRuleError {
    /// Foreign values of all black boxes are to be kept and to be dropped.
    #[error(
        "foreign values cannot both be allowed and be dropped: \
         name the black boxes of one, as in --allow-foreign-values=NAME"
    )]
    BothForAll,

    /// Foreign values of a black box are to be kept and to be dropped.
    #[error("foreign values of `{0}` cannot both be allowed and be dropped")]
    BothForOne(String),

    /// A rule is for a black box that the sweep file does not have.
    #[error("black box `{0}`, named for its foreign values, is not in the sweep file")]
    UnknownBlackbox(String),
}

/// The value of the table that was recorded as `value`, if there is one.
pub(super) fn table_value(ascending: &[f64], value: f64) -> Option<f64> {
    let above = ascending.partition_point(|known| *known < value);
    let distance = |known: &f64| (known - value).abs();
    let neighbours = ascending[above.saturating_sub(1)..].iter().take(2);
    let nearest = *neighbours.min_by(|one, other| distance(one).total_cmp(&distance(other)))?;
    is_recorded_as(nearest, value).then_some(nearest)
}

/// Whether a value of the table may be recorded as `value`.
pub(super) fn is_recorded_as(known: f64, value: f64) -> bool {
    (known - value).abs() <= TOLERANCE * value.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_value_is_the_tables_up_to_rounding() {
        let ascending = [0.1, 0.25, 3.0];
        assert_eq!(table_value(&ascending, 0.1), Some(0.1));
        assert_eq!(table_value(&ascending, 0.100_000_000_000_000_03), Some(0.1));
        assert_eq!(table_value(&ascending, 3.000_000_000_000_000_4), Some(3.0));
        assert_eq!(table_value(&ascending, 0.100_000_001), None);
        assert_eq!(table_value(&ascending, 0.0), None);
        assert_eq!(table_value(&[0.0], 0.0), Some(0.0));
        assert_eq!(table_value(&ascending, 1e300), None);
    }

    #[test]
    fn the_two_options_share_the_black_boxes() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let all = ForeignValues::new(Some(&[]), None).unwrap();
        assert_eq!(all.rule("FCNET"), OnForeign::Keep);
        let both = ForeignValues::new(Some(&names(&["FCNET"])), Some(&[])).unwrap();
        assert_eq!(both.rule("FCNET"), OnForeign::Keep);
        assert_eq!(both.rule("DeepAR"), OnForeign::Drop);
        assert_eq!(
            ForeignValues::new(None, None).unwrap().rule("DeepAR"),
            OnForeign::Refuse
        );
        assert!(ForeignValues::new(Some(&[]), Some(&[])).is_err());
        assert!(ForeignValues::new(Some(&names(&["a"])), Some(&names(&["a"]))).is_err());
    }
}
