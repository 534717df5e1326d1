//! What becomes of programs when their worker dies, and what they find around them.

use std::fs;
use std::process::Stdio;

use loto_tests::programs::{self, Process};
use loto_tests::small_sweep::Folder;

use crate::remains::TemporaryFolder;

fn sweep(script: &str) -> Folder {
    let sweep = "name = \"isolation\"\nmethods = [\"mine\"]\nseeds = 1\niterations = 1\n\
         [[blackbox]]\nname = \"B\"\ntable = \"table.csv\"\nobjective = \"metric_error\"\ntargets = [\"one\"]\n\
         [external.mine]\ncommand = [\"sh\", \"mine.sh\"]\nfiles = [\"mine.sh\"]\n";
    let folder = Folder::with_sweep(sweep);
    folder.write("mine.sh", script);
    folder
}

const ASKED: &str = "read -r hello; echo '{\"type\":\"ready\",\"protocol\":1}'; read -r table; \
                     read -r job; echo '{\"type\":\"started\"}'; read -r next\n";

#[test]
fn a_worker_that_is_killed_in_the_middle_of_a_choice_leaves_no_orphan() {
    let folder = sweep(&format!(
        "{ASKED}(setsid sleep 1001 &)\nsetsid sh -c 'sleep 1002'\n"
    ));
    let temporary = TemporaryFolder::new();
    let mut run = programs::command("loto");
    run.env("TMPDIR", temporary.path());
    run.stderr(Stdio::null()).stdout(Stdio::null());
    run.arg("run").arg(folder.sweep()).arg("--out");
    run.arg(folder.path("out"));
    let mut process = Process::start(run);
    temporary.wait_for("1001");
    temporary.wait_for("1002");
    process.kill();
    temporary.assert_empties();
}

#[test]
fn a_program_finds_no_password_and_no_address() {
    let seen = tempfile::NamedTempFile::new().unwrap();
    let folder = sweep(&format!(
        "env > {}\n{ASKED}echo '{{\"type\":\"row\",\"iteration\":1,\"row\":0}}'\nread -r end\n\
         echo '{{\"type\":\"ended\"}}'\n",
        seen.path().display()
    ));
    let mut run = programs::command("loto");
    run.env("LOTO_STORE_PASSWORD", "secret-1");
    run.env("LOTO_BROKER", "amqp://user:secret-2@host");
    run.env("AWS_SECRET_ACCESS_KEY", "secret-3");
    run.env("DATABASE_URL", "secret-4");
    run.arg("run").arg(folder.sweep()).arg("--out");
    let output = run.arg(folder.path("out")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let seen = fs::read_to_string(seen.path()).unwrap();
    assert!(
        seen.contains("PATH=") && seen.contains("PYTHONHASHSEED=0"),
        "{seen}"
    );
    assert!(
        !seen.contains("secret") && !seen.contains("LOTO_"),
        "{seen}"
    );
}
