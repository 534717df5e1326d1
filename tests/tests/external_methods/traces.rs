//! Random search as a program has the traces of the built-in method.

use std::fs;
use std::path::{Path, PathBuf};

use loto_tests::cluster::Cluster;
use loto_tests::reports::{assert_same, outcomes};
use loto_tests::servers::{PrivateServers, Server};
use loto_tests::{programs, python, samples};
use tempfile::TempDir;

use crate::remains::TemporaryFolder;

const TARGETS: [&str; 2] = ["digits-3-vs-8", "wine-noisy"];
const SEEDS: usize = 3;
const ITERATIONS: usize = 20;

const SHELL: &str = "[external.in-shell]\ncommand = [\"sh\", \"random_search.sh\"]\n\
                     files = [\"random_search.sh\"]\n";

const SHELL_PROGRAM: &str = include_str!("../../../coordinator/sweeps/programs/random_search.sh");

/// A sweep of `rs` and these programs.
fn sweep(folder: &TempDir, names: &[&str], sections: &str) -> PathBuf {
    let programs = [
        ("random_search.sh", SHELL_PROGRAM),
        ("random_search.py", include_str!("random_search.py")),
    ];
    for (name, text) in programs {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let methods: Vec<&str> = ["rs"].into_iter().chain(names.iter().copied()).collect();
    let sweep = samples::built_in_sweep("external", &methods, &TARGETS, SEEDS, ITERATIONS);
    let file = folder.path().join("sweep.toml");
    fs::write(&file, format!("{sweep}\n{sections}")).unwrap();
    file
}

fn embedded(sweep: &Path, out: &str) -> Vec<String> {
    let temporary = TemporaryFolder::new();
    let out = sweep.with_file_name(out);
    let mut run = programs::command("loto");
    run.env("TMPDIR", temporary.path());
    run.arg("run").arg(sweep).args(["--jobs", "2", "--out"]);
    let output = run.arg(&out).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    temporary.assert_empties();
    outcomes(&out)
}

/// The lines of a method, without its name.
fn of_method(outcomes: &[String], method: &str) -> Vec<String> {
    let name = format!(",{method},");
    let lines = outcomes.iter().filter(|line| line.contains(&name));
    lines.map(|line| line.replacen(&name, ",", 1)).collect()
}

#[test]
fn a_program_has_the_traces_of_the_built_in_method() {
    let folder = tempfile::tempdir().unwrap();
    let outcomes = embedded(&sweep(&folder, &["in-shell"], SHELL), "out");
    let built_in = of_method(&outcomes, "rs");
    assert_eq!(built_in.len(), TARGETS.len() * SEEDS * ITERATIONS);
    assert_same(&of_method(&outcomes, "in-shell"), &built_in);
}

#[test]
fn so_has_a_program_in_python_over_every_transport() {
    let test = "so_has_a_program_in_python_over_every_transport";
    let Some(interpreter) = python::interpreter_or_skip(test) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let sections = format!(
        "{SHELL}\n[external.in-python]\ncommand = [{interpreter:?}, \"random_search.py\"]\n\
         files = [\"random_search.py\"]\nparameters = {{ unused = 2 }}\n"
    );
    let sweep = sweep(&folder, &["in-shell", "in-python"], &sections);
    let embedded = embedded(&sweep, "embedded");
    let built_in = of_method(&embedded, "rs");
    assert_eq!(built_in.len(), TARGETS.len() * SEEDS * ITERATIONS);
    for method in ["in-shell", "in-python"] {
        assert_same(&of_method(&embedded, method), &built_in);
    }

    let servers = PrivateServers::start(&[Server::Broker, Server::Store]);
    let mut cluster = Cluster::new(&servers.broker_url(), &servers.store_url());
    cluster.start_worker();
    cluster.start_worker();
    let out = folder.path().join("cluster");
    // Workers have neither the sweep file nor the programs.
    cluster.run(&sweep, "external", &out);
    assert_same(&outcomes(&out), &embedded);

    let mut verify = programs::command("loto");
    verify.args(["verify", "external", "--fraction", "1", "--store"]);
    let verified = verify.arg(servers.store_url()).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

#[test]
fn verification_finds_a_program_that_answers_differently() {
    let folder = tempfile::tempdir().unwrap();
    // Each process of it draws a number of its own.
    let program = SHELL_PROGRAM.replace(
        "\"${rows%%,*}\"",
        "$(( (${rows%%,*} + ${iteration%%,*} * $$) % 288 ))",
    );
    assert_ne!(program, SHELL_PROGRAM);
    let sweep = sweep(
        &folder,
        &["unsteady"],
        "[external.unsteady]\ncommand = [\"sh\", \"unsteady.sh\"]\nfiles = [\"unsteady.sh\"]\n",
    );
    fs::write(folder.path().join("unsteady.sh"), program).unwrap();
    embedded(&sweep, "out");
    let mut verify = programs::command("loto");
    verify.args(["verify", "external", "--fraction", "1", "--store"]);
    let verified = verify.arg(folder.path().join("out/sweep.loto")).output();
    let verified = verified.unwrap();
    let text = String::from_utf8_lossy(&verified.stdout);
    assert!(!verified.status.success(), "{text}");
    assert!(text.contains("differs (stored:"), "{text}");
    assert!(!text.contains("(rs on"), "{text}");
}
