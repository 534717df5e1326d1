//! Names the user may have meant.

use crate::excerpt::list;

/// "did you mean `x`? known are a, b, c": what to say of a name that is not known.
pub fn suggest(wanted: &str, known: &[&str]) -> String {
    let listed = list(known.iter().copied());
    let lowercase = wanted.to_lowercase();
    let distance = |name: &&str| strsim::levenshtein(&lowercase, &name.to_lowercase());
    let length = wanted.chars().count();
    let closest = known.iter().map(|name| (distance(name), name)).min();
    match closest {
        None => "none is known".to_owned(),
        Some((distance, name)) if distance <= length.div_ceil(3) && distance < length => {
            format!("did you mean `{name}`? known are {listed}")
        }
        _ => format!("known are {listed}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(suggest("a6a", &[]), "none is known");
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..30).map(|number| format!("task{number:02}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = suggest("other-name", &names);
        assert!(text.ends_with("task19 and 10 more"), "{text}");
    }
}
