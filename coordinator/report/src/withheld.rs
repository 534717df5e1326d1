//! Which tests are left out, because over so few tasks no outcome of theirs could be significant.

use loto_statistics::analysis::Comparison;

use crate::numbers;

/// One sentence per test that is left out.
pub(crate) fn sentences(comparison: &Comparison) -> Vec<String> {
    let smallest = &comparison.smallest_p_values;
    let alpha = comparison.nemenyi.alpha;
    let methods = comparison.methods.len();
    let over = format!(
        "{} on {}",
        numbers::count(methods as u64, "method"),
        numbers::count(comparison.tasks.len() as u64, "task")
    );
    let mut sentences = Vec::new();
    if !comparison.friedman_can_reject() {
        sentences.push(format!(
            "Friedman's test is left out: with {over} its smallest possible p is {}, above {alpha}.",
            numbers::probability(smallest.friedman)
        ));
    }
    if !comparison.nemenyi_can_reject() {
        sentences.push(format!(
            "Nemenyi's test is left out: with {over} no difference of average ranks is significant \
             at {alpha}."
        ));
    }
    if !comparison.wilcoxon_can_reject() {
        sentences.push(format!(
            "Wilcoxon's tests are left out: with {over} the smallest possible p is {}, after Holm's \
             adjustment for {} {}, above {alpha}.",
            numbers::probability(smallest.wilcoxon),
            numbers::count((methods * (methods - 1) / 2) as u64, "pair"),
            numbers::probability(smallest.wilcoxon_holm),
        ));
    }
    sentences
}
