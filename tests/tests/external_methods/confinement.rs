//! What programs cannot do where the kernel has Landlock: open what holds values of the target or a password, and
//! connect over TCP.

use std::fs;
use std::net::TcpListener;

use loto_tests::cluster::Cluster;
use loto_tests::programs;
use loto_tests::python;
use loto_tests::servers::{PrivateServers, Server};
use loto_tests::skipped;
use loto_tests::small_sweep::Folder;
use loto_worker::external::Gap;

/// Tries everything, writes down what succeeded, and is random search.
const SCRIPT: &str = r#"
import glob, os, signal, socket, sys
import loto

log, table, out, port, pid, link = sys.argv[1:]


def attempt(name, action):
    with open(log, "a") as file:
        try:
            action()
            print(name, "succeeded", file=file)
        except OSError as error:
            print(name, "refused", error.errno, file=file)


def read(path):
    with open(path, "rb") as file:
        file.read(1)


@loto.method
def mine(problem, observations):
    if not observations.rows:
        own = os.path.dirname(os.getcwd())
        attempt("table", lambda: read(table))
        attempt("link", lambda: read(link))
        attempt("overwrite", lambda: open(table, "r+b").close())
        attempt("store", lambda: read(os.path.join(out, "sweep.loto")))
        attempt("log", lambda: read(os.path.join(out, "sweep.loto-wal")))
        attempt("new", lambda: read(os.path.join(out, "sweep.loto-journal")))
        for path in glob.glob(os.path.join(own, "tasks", "*.npy")):
            attempt("tasks", lambda: read(path))
        attempt("environment", lambda: read(f"/proc/{pid}/environ"))
        attempt("connection", lambda: socket.create_connection(("127.0.0.1", int(port)), 5).close())
        attempt("signal", lambda: os.kill(int(pid), 0))
        # What a method needs.
        attempt("own", lambda: open(os.path.join(os.environ["TMPDIR"], "x"), "w").close())
        attempt("program", lambda: read(__file__))
        attempt("packages", lambda: read(os.__file__))
    return problem.random_rows[len(observations)]


loto.serve(mine)
"#;

/// Whether the kernel enforces everything; says so if the test is skipped.
fn enforced_or_skip(test: &str) -> bool {
    let gaps = Gap::of_this_host();
    if !gaps.is_empty() {
        skipped::note(test, "the kernel does not enforce all that Landlock can");
    }
    gaps.is_empty()
}

#[test]
fn tables_stores_passwords_and_servers_are_out_of_reach() {
    let test = "tables_stores_passwords_and_servers_are_out_of_reach";
    let (true, Some(interpreter)) = (enforced_or_skip(test), python::interpreter_or_skip(test))
    else {
        return;
    };
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let folder = Folder::with_sweep("");
    let log = tempfile::NamedTempFile::new().unwrap();
    let (table, out) = (folder.path("table.csv"), folder.path("out"));
    let link = folder.path("link.csv");
    std::os::unix::fs::symlink(&table, &link).unwrap();
    fs::write(
        folder.sweep(),
        format!(
            "name = \"confinement\"\nmethods = [\"mine\"]\nseeds = 1\niterations = 2\n\
             [[blackbox]]\nname = \"B\"\ntable = \"table.csv\"\nobjective = \"metric_error\"\n\
             [external.mine]\ncommand = [{interpreter:?}, \"mine.py\", {:?}, {table:?}, {out:?}, \"{port}\", \"{}\", {link:?}]\n\
             files = [\"mine.py\"]\n",
            log.path(),
            std::process::id(),
        ),
    )
    .unwrap();
    folder.write("mine.py", SCRIPT);

    let mut check = programs::command("loto");
    let checked = check.arg("check").arg(folder.sweep()).output().unwrap();
    let checked = String::from_utf8_lossy(&checked.stdout);
    assert!(
        checked.contains("kept from tables, stores, passwords and TCP"),
        "{checked}"
    );

    let mut run = programs::command("loto");
    run.args(["run", "--jobs", "1", "--out"]).arg(&out);
    let output = run.arg(folder.sweep()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let log = fs::read_to_string(log.path()).unwrap();
    let allowed = ["own", "program", "packages"];
    for line in log.lines() {
        let (what, outcome) = line.split_once(' ').unwrap();
        let expected = if allowed.contains(&what) {
            "succeeded"
        } else {
            "refused"
        };
        assert!(outcome.starts_with(expected), "{line}\n{log}");
    }
    // The tasks of former jobs lie beside what the method is shown.
    for what in [
        "table",
        "link",
        "overwrite",
        "store",
        "tasks",
        "environment",
        "connection",
        "signal",
        "packages",
    ] {
        assert!(
            log.contains(&format!("{what} ")),
            "{what} was not tried: {log}"
        );
    }
}

/// Asks the Redis and the RabbitMQ of its worker for an answer, writes down what comes of it, and is random search.
const CLIENT: &str = r#"
import socket, sys
import loto

log, store, broker = sys.argv[1:]


def ask(name, port, question):
    try:
        with socket.create_connection(("127.0.0.1", int(port)), 5) as connection:
            connection.sendall(question)
            return f"{name}: {connection.recv(4)}"
    except OSError as error:
        return f"{name}: {type(error).__name__}"


def ask_both():
    answers = [ask("store", store, b"PING\r\n"), ask("broker", broker, b"AMQP\x00\x00\x09\x01")]
    with open(log, "a") as file:
        print(*answers, sep="\n", file=file)


@loto.method
def mine(problem, observations):
    ask_both()
    return problem.random_rows[len(observations)]


if log == "":
    log = "/dev/stdout"
    ask_both()
else:
    loto.serve(mine)
"#;

#[test]
fn the_servers_of_a_worker_refuse_nobody_but_the_program() {
    let test = "the_servers_of_a_worker_refuse_nobody_but_the_program";
    let (true, Some(interpreter)) = (enforced_or_skip(test), python::interpreter_or_skip(test))
    else {
        return;
    };
    let servers = PrivateServers::start(&[Server::Broker, Server::Store]);
    let ports = [Server::Store, Server::Broker].map(|server| servers.port(server).to_string());
    let [store, broker] = &ports;
    let log = tempfile::NamedTempFile::new().unwrap();
    let folder = Folder::with_sweep(&format!(
        "name = \"client\"\nmethods = [\"mine\"]\nseeds = 1\niterations = 2\n\
         [[blackbox]]\nname = \"B\"\ntable = \"table.csv\"\nobjective = \"metric_error\"\n\
         [external.mine]\ncommand = [{interpreter:?}, \"mine.py\", {:?}, \"{store}\", \"{broker}\"]\n\
         files = [\"mine.py\"]\n",
        log.path(),
    ));
    folder.write("mine.py", CLIENT);

    // The same program, not as a method: what it asks is answered.
    let mut plain = std::process::Command::new(&interpreter);
    plain.arg(folder.path("mine.py")).arg("").args(&ports);
    plain.env("PYTHONPATH", python::repository().join("deploy/python"));
    let output = plain.output().unwrap();
    let answers = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        answers, "store: b'+PON'\nbroker: b'\\x01\\x00\\x00\\x00'\n",
        "{output:?}"
    );

    let mut cluster = Cluster::new(&servers.broker_url(), &servers.store_url());
    cluster.start_worker();
    cluster.run(&folder.sweep(), "client", &folder.path("out"));
    let log = fs::read_to_string(log.path()).unwrap();
    // Two tasks of two evaluations. Permission is what is missing: the servers listen, the worker uses them.
    let expected = "store: PermissionError\nbroker: PermissionError\n".repeat(4);
    assert_eq!(log, expected);
}
