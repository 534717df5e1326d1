//! Sweep files with typical mistakes, in the folder `mistakes`: beside each is what the user is told.

use std::fs;
use std::path::Path;

use super::*;

/// What a user is told of a sweep file: the error, or the warnings.
fn told(file: &Path) -> String {
    let folder = file.parent().unwrap().display().to_string();
    let told = match Plan::read(&SweepSource::File(file.to_owned()), None) {
        Ok(plan) => {
            let warnings = plan.warnings.iter();
            let lines: Vec<String> = warnings.map(|line| format!("warning: {line}")).collect();
            lines.join("\n")
        }
        Err(error) => format!("error: {error}"),
    };
    told.replace(&format!("{folder}/"), "")
        .trim_end()
        .to_owned()
}

#[test]
fn each_mistake_is_told_with_its_place_and_its_cure() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/plan/mistakes");
    let entries = fs::read_dir(&folder).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    assert!(files.len() >= 50, "{}", files.len());
    let mut wrong = String::new();
    for file in &files {
        let told = told(file);
        let expected = fs::read_to_string(file.with_extension("txt")).unwrap_or_default();
        if told.is_empty() || told != expected.trim_end() {
            let name = file.file_stem().unwrap().display();
            wrong.push_str(&format!("=== {name}\n{told}\n"));
        }
    }
    assert!(wrong.is_empty(), "told otherwise than expected:\n{wrong}");
}
