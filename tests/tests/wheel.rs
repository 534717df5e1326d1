//! The wheel, packed around the programs of this build: installed without a network, it has all that its page promises.
//!
//! That a wheel with OpenBLAS in it runs where nothing else is installed is shown by deploy/python/check-wheel.

use std::path::{Path, PathBuf};
use std::process::Command;

use loto_tests::{programs, python};

/// Runs a command free of the caller's settings, away from the repository; gives what it printed.
fn printed(program: &Path, arguments: &[&str], folder: &Path) -> String {
    let mut command = programs::command_at(program);
    command.env_remove("PYTHONPATH").args(arguments);
    succeeded(command.current_dir(folder))
}

fn succeeded(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The blocks of code of a page in a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let parts = page.split(&fence).skip(1);
    let until_end = |part: &str| part.split("```").next().unwrap_or_default().to_owned();
    parts.map(until_end).collect()
}

/// A Python environment with nothing but the wheel.
fn installed(python: &Path, folder: &Path) -> PathBuf {
    let mut pack = Command::new(python);
    pack.arg(python::repository().join("deploy/python/build-wheel"));
    pack.arg(folder).arg("--program");
    let wheel = succeeded(pack.arg(programs::binary("loto")));
    let environment = folder.join("environment");
    let path = environment.to_str().unwrap();
    printed(python, &["-m", "venv", path], folder);
    let own = environment.join("bin/python");
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        wheel.trim(),
    ];
    printed(&own, &install, folder);
    environment
}

/// The extra of the package that is installed without a wheel; the wheel reads its own from requirements.txt.
#[test]
fn the_extra_of_the_client_has_the_versions_of_its_generator() {
    let read = |name: &str| {
        let path = python::repository().join("deploy/python").join(name);
        std::fs::read_to_string(path).unwrap()
    };
    let requirements = read("requirements.txt");
    let project = read("pyproject.toml");
    for package in ["grpcio", "protobuf"] {
        let mut lines = requirements.lines();
        let version = lines.find_map(|line| line.strip_prefix(&format!("{package}==")));
        let expected = format!("\"{package}>={}\"", version.unwrap());
        assert!(
            project.contains(&expected),
            "{expected} is not in {project}"
        );
    }
}

#[test]
fn a_wheel_is_installed_and_does_what_its_page_says() {
    let name = "a_wheel_is_installed_and_does_what_its_page_says";
    let Some(python) = python::interpreter_or_skip(name) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let environment = installed(&python, folder);
    let program = |name: &str| environment.join("bin").join(name);

    // Both programs are there; the worker is the other one by its name.
    for name in ["loto", "loto-worker"] {
        let told = printed(&program(name), &["--version"], folder);
        assert_eq!(
            told,
            printed(&programs::binary(name), &["--version"], folder)
        );
        assert!(told.starts_with(&format!("{name} ")), "{told}");
    }

    // The client comes with the code that is generated for it. Its packages are an extra.
    let packages = "import grpc, pathlib; print(pathlib.Path(grpc.__file__).parent.parent)";
    let packages = printed(&python, &["-c", packages], folder);
    let import = "import loto, loto.client, loto.v1.job_pb2; print(loto.__file__)";
    let mut client = programs::command_at(&program("python"));
    client
        .env("PYTHONPATH", packages.trim())
        .args(["-c", import]);
    let place = succeeded(client.current_dir(folder));
    assert!(Path::new(place.trim()).starts_with(&environment), "{place}");

    // The method and the sweep of the page, the latter cut short.
    let page = std::fs::read_to_string(python::repository().join("deploy/python/README.md"));
    let page = page.unwrap();
    let method = blocks(&page, "python").remove(0);
    let sweep = blocks(&page, "toml").remove(0);
    let short = sweep
        .replace("seeds = 30", "seeds = 1")
        .replace("iterations = 100", "iterations = 8")
        + "targets = [\"wine-alcohol\"]\n";
    assert!(!short.contains("seeds = 30") && !short.contains("iterations = 100"));
    std::fs::write(folder.join("mine.py"), method).unwrap();
    std::fs::write(folder.join("sweep.toml"), short).unwrap();
    let run = ["run", "sweep.toml", "--out", "out"];
    printed(&program("loto"), &run, folder);
    let scores = std::fs::read_to_string(folder.join("out/scores.csv")).unwrap();
    assert!(scores.contains(",mine,"), "{scores}");
}
