//! Names the user may have meant.

use loto_proto::excerpt::list;

/// "did you mean `x`? known are a, b, c": what to say of a name that is not known.
pub(crate) fn suggest(wanted: &str, known: &[&str]) -> String {
    let listed = list(known.iter().copied());
    let closest = known
        .iter()
        .map(|name| {
            (
                edit_distance(&wanted.to_lowercase(), &name.to_lowercase()),
                name,
            )
        })
        .min();
    match closest {
        Some((distance, name)) if distance <= wanted.chars().count().div_ceil(3) => {
            format!("did you mean `{name}`? known are {listed}")
        }
        _ => format!("known are {listed}"),
    }
}

/// Levenshtein distance: insertions, deletions and replacements of characters.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (row, character) in left.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, &other) in right.iter().enumerate() {
            let replaced = previous[column] + usize::from(character != other);
            let cheapest = replaced
                .min(previous[column + 1] + 1)
                .min(current[column] + 1);
            current.push(cheapest);
        }
        previous = current;
    }
    previous[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_agree_with_the_textbook() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("flaw", "lawn"), 2);
    }

    #[test]
    fn only_a_close_name_is_suggested() {
        let known = ["wiki-rolling", "electricity"];
        assert_eq!(
            suggest("wiki_rolling", &known),
            "did you mean `wiki-rolling`? known are wiki-rolling, electricity"
        );
        assert_eq!(
            suggest("a6a", &known),
            "known are wiki-rolling, electricity"
        );
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..30).map(|number| format!("task{number:02}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = suggest("other-name", &names);
        assert!(text.ends_with("task19 and 10 more"), "{text}");
    }
}
