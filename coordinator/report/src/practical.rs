//! What is said of differences that matter, and of significant ones that do not.

use loto_statistics::analysis::{Comparison, RopeUnit};
use loto_statistics::practical_differences::{PROBABLE, PracticalPair};

use crate::numbers;

/// What a rope is a difference of, in words.
pub(crate) fn unit_in_words(unit: RopeUnit) -> &'static str {
    match unit {
        RopeUnit::Distance => "distance to the minimum",
        RopeUnit::Value => "objective value",
    }
}

/// How many pairs differ by more than the rope in the end, how many are equivalent, and which ones are so in spite of a
/// significant difference; empty if that was not asked for.
pub(crate) fn sentences(comparison: &Comparison) -> Vec<String> {
    let Some(practical) = &comparison.practical_differences else {
        return Vec::new();
    };
    let pairs = &practical.differences.pairs;
    let count = |is_wanted: &dyn Fn(&PracticalPair) -> bool| {
        pairs.iter().filter(|pair| is_wanted(pair)).count()
    };
    let different = count(&|pair| pair.first_better.max(pair.second_better) >= PROBABLE);
    let equivalent = count(&|pair| pair.equivalent >= PROBABLE);
    let mut sentences = vec![format!(
        "What was found in the end, with a rope of {} of the {} (Bayesian signed-rank test), of {}: {different} with a \
         difference that matters and {equivalent} practically equivalent, each with a probability of at least {}; {} undecided.",
        practical.differences.rope,
        unit_in_words(practical.unit),
        numbers::count(pairs.len() as u64, "pair"),
        numbers::percentage(PROBABLE),
        pairs.len() - different - equivalent,
    )];
    let alpha = comparison.nemenyi.alpha;
    let small = pairs
        .iter()
        .filter(|pair| comparison.wilcoxon_can_reject() && pair.is_significant_but_small(alpha));
    let small = small.map(|pair| {
        format!(
            "{} and {} (p {}, equivalent with probability {:.3})",
            comparison.methods[pair.first],
            comparison.methods[pair.second],
            numbers::probability(pair.holm_p_value),
            pair.equivalent,
        )
    });
    let small: Vec<String> = small.collect();
    if !small.is_empty() {
        sentences.push(format!(
            "Significantly different in the end, and too small to matter: {}.",
            small.join("; ")
        ));
    }
    sentences
}
