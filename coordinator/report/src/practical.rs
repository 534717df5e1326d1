//! What is said of differences that matter, and of significant ones that do not.

use loto_statistics::analysis::{BlackboxAnalysis, Comparison, RopeUnit};
use loto_statistics::practical_differences::{PROBABLE, PracticalPair};
use loto_statistics::results::Measure;

use crate::numbers;

/// Most pairs that a sentence names; with forty methods there may be hundreds.
const MOST_PAIRS: usize = 20;

/// What a rope is a difference of on a black box, in words.
pub(crate) fn unit_in_words(unit: RopeUnit, measure: Measure) -> &'static str {
    match (unit, measure) {
        (RopeUnit::Value, Measure::DistanceToMinimum) => "objective value",
        _ => measure.words(),
    }
}

/// The same of all black boxes that a comparison is over; they may differ.
pub(crate) fn units_in_words(
    unit: RopeUnit,
    comparison: &Comparison,
    blackboxes: &[BlackboxAnalysis],
) -> String {
    let compared = blackboxes.iter().filter(|blackbox| {
        let mut tasks = comparison.tasks.iter();
        tasks.any(|task| task.blackbox == blackbox.name)
    });
    let mut units: Vec<_> = compared
        .map(|blackbox| unit_in_words(unit, blackbox.measure))
        .collect();
    units.sort_unstable();
    units.dedup();
    units.join(" or ")
}

/// How many pairs differ by more than the rope in the end, how many are equivalent, and which ones are so in spite of a
/// significant difference; empty if that was not asked for.
pub(crate) fn sentences(comparison: &Comparison, blackboxes: &[BlackboxAnalysis]) -> Vec<String> {
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
        units_in_words(practical.unit, comparison, blackboxes),
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
        let named = small.iter().take(MOST_PAIRS);
        let named: Vec<&str> = named.map(String::as_str).collect();
        let rest = match small.len() - named.len() {
            0 => String::new(),
            rest => format!("; and {rest} more; the table of the page has all"),
        };
        sentences.push(format!(
            "Significantly different in the end, and too small to matter: {}{rest}.",
            named.join("; ")
        ));
    }
    sentences
}

/// For each method that the hierarchical test compares over fewer than all tasks, over how many.
pub(crate) fn tasks_left_out(blackbox: &BlackboxAnalysis) -> Vec<String> {
    let Some(compared) = &blackbox.hierarchical else {
        return Vec::new();
    };
    let all = blackbox.averaged_tasks;
    let methods = compared.methods.iter();
    let partial = methods.filter(|method| method.tasks < all);
    let sentences = partial.map(|method| {
        format!(
            "{} is compared over {} of {all} tasks: on the others it has fewer than two seeds in common with {}.",
            method.method, method.tasks, compared.against,
        )
    });
    sentences.collect()
}
