//! File names and labels for names of the user.

use std::collections::BTreeSet;

/// Longest part of a file name that comes from a name of the user.
const MAX_NAME_CHARACTERS: usize = 60;

/// A file name for a name of the user: unlike all in `taken`, on every file system.
pub(crate) fn file_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let safe = |character: char| match character {
        safe if safe.is_ascii_alphanumeric() || matches!(safe, '-' | '_') => safe,
        _ => '_',
    };
    let base: String = name.chars().take(MAX_NAME_CHARACTERS).map(safe).collect();
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    let mut candidates = std::iter::once(base.clone()).chain(numbered);
    let free = candidates.find(|candidate| taken.insert(candidate.to_lowercase()));
    free.expect("there are more numbers than black boxes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_distinct() {
        let mut taken = BTreeSet::new();
        assert_eq!(file_name("../a b", &mut taken), "___a_b");
        assert_eq!(file_name("NAS", &mut taken), "NAS");
        assert_eq!(file_name("nas", &mut taken), "nas-2");
        assert_eq!(file_name("nas", &mut taken), "nas-3");
    }
}
