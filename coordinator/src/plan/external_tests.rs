//! External methods of a sweep file: which jobs they make, and what is wrong with them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use loto_proto::identity::JobId;
use tempfile::TempDir;

use super::*;

const SWEEP: &str = r#"
name = "external"
methods = ["rs", "mine", "other", "mine-24"]
seeds = 2
iterations = 2

[external.mine]
command = ["python3", "mine.py"]
files = ["mine.py", "lib/part.py"]
parameters = { samples = 10 }

[external.other]
command = ["awk", "-f", "other.awk"]
files = ["other.awk"]
version = 3

[[method]]
name = "mine-24"
id = "mine"
samples = 24

[[blackbox]]
name = "B"
table = "table.csv"
objective = "metric_error"
"#;

const TABLE: &str = "\
hp_a,metric_error,task
0,0.5,one
1,0.25,one
2,0.75,one
0,0.5,two
1,0.25,two
2,0.75,two
";

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("table.csv", TABLE);
        folder.write("mine.py", "print(1)\n");
        folder.write("lib/part.py", "");
        folder.write("other.awk", "{ print }\n");
        folder.write("beside.py", "");
        folder
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn plan(&self, sweep: &str) -> Result<Plan, PlanError> {
        let path = self.write("sweep.toml", sweep);
        Plan::read(&SweepSource::File(path), None)
    }

    /// The jobs of each method of the sweep.
    fn jobs(&self, sweep: &str) -> BTreeMap<String, BTreeSet<JobId>> {
        let mut jobs: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for job in self.plan(sweep).unwrap().sweep.jobs() {
            let method = job.series.method.label().to_owned();
            jobs.entry(method).or_default().insert(job.id());
        }
        jobs
    }

    /// The methods whose jobs are new after a change; all of theirs are.
    fn new_after(&self, sweep: &str, change: impl FnOnce() -> String) -> Vec<String> {
        let before = self.jobs(sweep);
        let after = self.jobs(&change());
        assert_eq!(before.len(), after.len());
        let changed = before.into_iter().filter(|(method, jobs)| {
            let common = jobs.intersection(&after[method]).count();
            assert!(common == 0 || common == jobs.len(), "{method}");
            common == 0
        });
        changed.map(|(method, _)| method).collect()
    }
}

#[test]
fn one_changed_byte_makes_exactly_that_methods_jobs_new() {
    let folder = Folder::new();
    let new_after = |name: &str, text: &str| {
        folder.new_after(SWEEP, || {
            folder.write(name, text);
            SWEEP.to_owned()
        })
    };
    assert_eq!(new_after("mine.py", "print(2)\n"), ["mine", "mine-24"]);
    assert_eq!(new_after("lib/part.py", "# x\n"), ["mine", "mine-24"]);
    // A file that is not listed, and one whose version stands for it.
    assert_eq!(new_after("beside.py", "# x\n"), [""; 0]);
    assert_eq!(new_after("other.awk", "{ print 2 }\n"), [""; 0]);
}

#[test]
fn version_parameters_and_rules_make_jobs_new_and_deadlines_do_not() {
    let folder = Folder::new();
    let new_after = |find: &str, replace: &str| {
        assert!(SWEEP.contains(find), "{find}");
        folder.new_after(SWEEP, || SWEEP.replacen(find, replace, 1))
    };
    assert_eq!(new_after("version = 3", "version = 4"), ["other"]);
    assert_eq!(new_after("samples = 10", "samples = 11"), ["mine"]);
    assert_eq!(new_after("samples = 24", "samples = 25"), ["mine-24"]);
    let strict = "version = 3\nrepeats = \"refuse\"";
    assert_eq!(new_after("version = 3", strict), ["other"]);
    let strict = "version = 3\noff_table = \"refuse\"";
    assert_eq!(new_after("version = 3", strict), ["other"]);
    let patient = "version = 3\nchoice_deadline = 9";
    assert_eq!(new_after("version = 3", patient), [""; 0]);
    assert_eq!(new_after("-f\", ", "-v\", \"x=1\", \"-f\", "), [""; 0]);
    assert_eq!(
        new_after("\"mine.py\"]\n", "\"mine.py\", \"-u\"]\n"),
        ["mine", "mine-24"]
    );
}

#[test]
fn jobs_say_which_program_runs_them() {
    let folder = Folder::new();
    let plan = folder.plan(SWEEP).unwrap();
    assert_eq!(plan.programs.len(), 2);
    for method in &plan.sweep.blackboxes[0].methods {
        let program = plan
            .programs
            .iter()
            .find(|planned| Some(planned.id) == method.program);
        let name = program.map(|planned| planned.program.name.as_str());
        let expected = match method.label() {
            "rs" => None,
            "other" => Some("other"),
            _ => Some("mine"),
        };
        assert_eq!(name, expected);
    }
    // The files of a version may change: workers get the new ones.
    let before = plan.programs[1].id;
    folder.write("other.awk", "{ print 2 }\n");
    let plan = folder.plan(SWEEP).unwrap();
    assert_ne!(plan.programs[1].id, before);
}

#[test]
fn mistakes_are_told_with_their_cure() {
    let folder = Folder::new();
    folder.write("large.py", &"x".repeat(1 << 20));
    let cases = [
        ("\"mine.py\", \"lib", "\"absent.py\", \"lib", "cannot read"),
        (
            "\"mine.py\", \"lib",
            "\"../mine.py\", \"lib",
            "without `..`",
        ),
        ("\"mine.py\", \"lib", "\"large.py\", \"lib", ""),
        (
            "\"mine.py\", \"lib",
            "\"large.py\", \"mine.py\", \"lib",
            "more than 1048576 bytes",
        ),
        ("[\"python3\", \"mine.py\"]", "[]", "command is empty"),
        (
            "files = [\"mine.py\", \"lib/part.py\"]",
            "",
            "neither files nor a version",
        ),
        ("version = 3", "version = 0", "version is 0"),
        ("version = 3", "choice_deadline = 0", "choice_deadline is 0"),
        (
            "version = 3",
            "repeats = \"count\"",
            "unknown variant `count`, expected `nearest` or `refuse`",
        ),
        ("version = 3", "deadline = 3", "unknown field `deadline`"),
        (
            "\"other\", ",
            "",
            "[external.other]: it runs on no black box",
        ),
        (
            "[external.other]",
            "[external.gp]",
            "[external.gp]: it runs on no black box",
        ),
    ];
    for (find, replace, expected) in cases {
        assert!(SWEEP.contains(find), "{find}");
        let sweep = SWEEP.replacen(find, replace, 1);
        let told = match folder.plan(&sweep) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert!(told.contains(expected), "{told}");
        assert_eq!(told.is_empty(), expected.is_empty(), "{told}");
    }
    let taken = SWEEP
        .replace("\"other\"", "\"gp\"")
        .replace("[external.other]", "[external.gp]");
    let told = folder.plan(&taken).unwrap_err().to_string();
    assert!(
        told.contains("`gp` is a method of loto: choose another name"),
        "{told}"
    );
    assert!(told.contains("sweep.toml"), "{told}");
}
