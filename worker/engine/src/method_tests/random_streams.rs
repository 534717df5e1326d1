use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The Rust files below a folder, those of these tests excepted: they name the streams of methods once more.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("method_tests") {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Owner and use of the streams that a text names.
fn named(text: &str) -> impl Iterator<Item = (String, String)> {
    let begin = concat!("StreamName::", "new(");
    text.split(begin).skip(1).map(|rest| {
        let mut quoted = rest.split('"');
        let [owner, purpose] = [1, 1].map(|skipped| quoted.nth(skipped).unwrap().to_owned());
        (owner, purpose)
    })
}

#[test]
fn each_random_stream_is_named_once() {
    let mut files = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    let mut places: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    // The file that defines the names has examples.
    for file in files.iter().filter(|file| !file.ends_with("random.rs")) {
        for name in named(&fs::read_to_string(file).unwrap()) {
            places
                .entry(name)
                .or_default()
                .push(file.display().to_string());
        }
    }
    assert!(places.len() >= 9, "{places:?}");
    for (name, places) in places {
        assert_eq!(
            places.len(),
            1,
            "the stream {name:?} is drawn from in {places:?}: name one of them otherwise"
        );
    }
}

#[test]
fn names_are_found_however_they_are_broken_into_lines() {
    let text = concat!(
        "A = StreamName::",
        "new(\n    \"a\",\n    \"b\",\n);\nB = StreamName::",
        "new(\"c\", \"d\")"
    );
    let found: Vec<_> = named(text).collect();
    let expected = [("a", "b"), ("c", "d")].map(|(one, two)| (one.to_owned(), two.to_owned()));
    assert_eq!(found, expected);
}
