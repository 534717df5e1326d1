//! `deploy/local/check-structure` finds what it is there to find, and nothing else.

use std::fs;
use std::path::Path;
use std::process::Command;

use loto_tests::python;
use tempfile::TempDir;

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn manifest(package: &str) -> String {
    format!("[package]\nname = \"{package}\"\nedition = \"2024\"\n")
}

/// A crate of these files beside a manifest.
fn with_files(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "Cargo.toml", &manifest("loto-proto"));
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    folder
}

/// What the check says of a workspace, or `None` if the test is skipped.
fn problems(workspace: &Path) -> Option<String> {
    let python = python::interpreter_or_skip("check-structure")?;
    let mut check = Command::new(python);
    check.arg(python::repository().join("deploy/local/check-structure"));
    let output = check.arg(workspace).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.success(), said.is_empty(), "{said}");
    Some(said)
}

#[track_caller]
fn assert_found(files: &[(&str, &str)], expected: &[&str]) {
    let Some(found) = problems(with_files(files).path()) else {
        return;
    };
    assert_eq!(found.is_empty(), expected.is_empty(), "{found}");
    for part in expected {
        assert!(found.contains(part), "`{part}` is not in: {found}");
    }
}

#[test]
fn what_only_looks_like_a_circle_is_none() {
    let text = r##"
        // use crate::other::Other;
        pub struct One(&'static str);
        pub const TEXT: &str = r#"use crate::other::Other;"#;
        impl One {
            pub fn quote(self) -> char { '"' }
            pub fn member(self) -> usize { self.0.len() }
        }
        #[cfg(test)]
        mod tests {
            use crate::other::Other;
        }
        #[cfg(test)]
        use crate::other::{Other};
    "##;
    assert_found(
        &[
            ("src/lib.rs", "mod one;\nmod other;\npub use one::One;"),
            ("src/one.rs", text),
            ("src/other.rs", "use crate::One;\npub struct Other(One);"),
        ],
        &[],
    );
}

#[test]
fn a_circle_of_files_is_followed_through_names_and_re_exports() {
    let lib = ("src/lib.rs", "mod facade;\nmod one;\n");
    let facade = ("src/facade/mod.rs", "mod two;\npub use two::Two as Both;");
    let two = "pub struct Two(std::fmt::Error);\nuse crate::one::{One};";
    let expected = [
        "loto-proto: files import each other in a circle",
        "src/facade/two.rs uses One of src/one.rs",
        "src/one.rs uses Two of src/facade/two.rs",
    ];
    for one in [
        "use crate::facade::Both;\npub struct One(Box<Both>);",
        "pub struct One(Box<super::facade::Both>);",
        "use super::facade::*;\npub struct One(Box<Both>);",
        "use crate::facade;\npub struct One(Box<facade::Both>);",
        "pub struct One;\nfn one() {\n    use crate::facade::{self as other};\n    let _: other::Both;\n}",
    ] {
        let two = ("src/facade/two.rs", two);
        assert_found(&[lib, facade, two, ("src/one.rs", one)], &expected);
    }
}

#[test]
fn modules_that_a_macro_declares_are_read() {
    let lib =
        "macro_rules! rooms { ($($name:ident),*) => { $(mod $name;)* }; }\nrooms! { one, two }";
    assert_found(
        &[
            ("src/lib.rs", lib),
            ("src/one.rs", "pub struct One(crate::two::Two);"),
            ("src/two.rs", "pub struct Two(Box<super::one::One>);"),
        ],
        &["src/one.rs uses Two of src/two.rs"],
    );
}

#[test]
fn a_circle_of_folders_is_found_where_no_files_form_one() {
    assert_found(
        &[
            ("src/lib.rs", "mod left;\nmod right;"),
            ("src/left/mod.rs", "pub mod one;\npub mod two;"),
            ("src/left/one.rs", "pub struct One(crate::right::One);"),
            ("src/left/two.rs", "pub struct Two;"),
            ("src/right.rs", "mod one;\npub mod two;\npub use one::One;"),
            ("src/right/one.rs", "pub struct One;"),
            ("src/right/two.rs", "pub struct Two(crate::left::two::Two);"),
        ],
        &[
            "loto-proto: folders import each other in a circle",
            "src/left uses One of src/right",
            "src/right uses Two of src/left",
        ],
    );
}

#[test]
fn dependencies_on_crates_above_are_found() {
    let folder = TempDir::new().unwrap();
    let workspace = folder.path();
    let members =
        "[workspace]\nresolver = \"3\"\nmembers = [\"proto\", \"engine\", \"report\", \"tokio\"]\n";
    write(workspace, "Cargo.toml", members);
    for (package, needed) in [
        ("proto", "engine"),
        ("engine", "report"),
        ("report", "tokio"),
    ] {
        let needed = match needed {
            "tokio" => "tokio = { path = \"../tokio\" }".to_owned(),
            _ => format!("loto-{needed} = {{ path = \"../{needed}\" }}"),
        };
        let text = manifest(&format!("loto-{package}")) + "[dependencies]\n" + &needed;
        write(workspace, &format!("{package}/Cargo.toml"), &text);
    }
    write(workspace, "tokio/Cargo.toml", &manifest("tokio"));
    for package in ["proto", "engine", "report", "tokio"] {
        write(workspace, &format!("{package}/src/lib.rs"), "");
    }
    let mut lock = Command::new(env!("CARGO"));
    lock.args(["generate-lockfile", "--offline"]);
    assert!(lock.current_dir(workspace).status().unwrap().success());
    let Some(found) = problems(workspace) else {
        return;
    };
    for expected in [
        "loto-proto must not depend on loto-engine",
        "loto-engine must not depend on loto-report",
        "tokio: say in check-structure which crates it may depend on",
        "loto-engine must not depend on tokio, not even through another crate",
    ] {
        assert!(found.contains(expected), "`{expected}` is not in: {found}");
    }
}

/// Copies the manifests and the Rust code of a workspace.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (name, path) = (entry.file_name(), entry.path());
        let hidden = name.to_string_lossy().starts_with('.');
        if path.is_dir() && !hidden && name != "target" {
            copy(&path, &to.join(name));
        } else if name == "Cargo.lock" || path.extension().is_some_and(|e| e == "rs" || e == "toml")
        {
            fs::create_dir_all(to).unwrap();
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

#[test]
fn a_circle_planted_in_a_copy_of_this_workspace_is_found() {
    let folder = TempDir::new().unwrap();
    copy(&python::repository(), folder.path());
    let path = folder.path().join("worker/engine/src/blas/matrix.rs");
    let planted = "use crate::surrogate::gaussian_process::GaussianProcess;\n";
    fs::write(&path, fs::read_to_string(&path).unwrap() + planted).unwrap();
    if let Some(found) = problems(folder.path()) {
        let circle = "worker/engine/src/blas/matrix.rs uses GaussianProcess of";
        assert!(found.contains(circle), "{found}");
    }
}

/// The page of promises names tests: `FILE`: `TEST`, `TEST`; `FILE`: `TEST`.
#[test]
fn every_promise_names_a_test_that_there_is() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = repository.join("coordinator/PROMISES.md");
    let page = fs::read_to_string(page).unwrap();
    let mut tests = 0;
    for line in page.lines().filter(|line| line.contains(".rs`: `")) {
        let shows = line.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        for place in shows.split("; ").filter(|place| place.contains(".rs`")) {
            let (file, names) = place.split_once(": ").unwrap();
            let file = repository.join(file.trim_matches('`'));
            let code = fs::read_to_string(&file);
            let code = code.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            for name in names.split(", ") {
                let function = format!("fn {}(", name.trim_matches('`'));
                assert!(code.contains(&function), "{}: {name}", file.display());
                tests += 1;
            }
        }
    }
    assert!(tests > 20, "{tests} tests");
}
