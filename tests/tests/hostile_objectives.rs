//! Wrong input about a second objective and costs: each a clear error, and nothing of it in a result.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_tests::programs;
use loto_transport::store;
use tempfile::TempDir;

const TABLE: &str = "\
hp_a,hp_b,metric_error,metric_size,metric_time,task
0,0,0.50,3,1.5,one
1,0,0.25,4,2,one
2,1,0.75,1,1,one
3,1,0.20,7,3,one
0,0,0.30,3,1.5,two
1,0,0.35,4,2,two
2,1,0.65,1,1,two
3,1,0.15,7,3,two
";

const TWO: &str = r#"objectives = ["metric_error", "metric_size"]"#;

const ITERATIONS: usize = 3;

/// A folder with a table and a sweep on it, of random search and these methods.
struct Folder(TempDir);

impl Folder {
    fn new(table: &str, blackbox: &str, further_methods: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let names = further_methods.iter().map(|(name, _)| *name);
        let methods: Vec<&str> = std::iter::once("rs").chain(names).collect();
        let mut sweep = format!(
            "name = \"hostile\"\nmethods = {methods:?}\nseeds = 1\niterations = {ITERATIONS}\n\
             [[blackbox]]\nname = \"B\"\ntable = \"table.csv\"\n{blackbox}\n"
        );
        for (name, script) in further_methods {
            sweep += &format!(
                "[external.{name}]\ncommand = [\"sh\", \"{name}.sh\"]\nfiles = [\"{name}.sh\"]\n"
            );
            fs::write(folder.path(&format!("{name}.sh")), script).unwrap();
        }
        fs::write(folder.path("table.csv"), table).unwrap();
        fs::write(folder.path("sweep.toml"), sweep).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn loto(&self, arguments: &[&str]) -> Output {
        let mut loto = programs::command("loto");
        loto.args(arguments).current_dir(self.0.path());
        loto.output().unwrap()
    }

    fn run(&self) -> Output {
        self.loto(&["run", "sweep.toml", "--out", "out"])
    }
}

#[track_caller]
fn assert_told(text: &str, expected: &[&str]) {
    assert!(!text.contains("panicked"), "{text}");
    for part in expected {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

#[test]
fn wrong_objectives_and_costs_are_refused_with_file_line_and_cure_before_anything_is_computed() {
    let two = |more: &str| format!("{TWO}\n{more}");
    let with_cost = two("cost = \"metric_time\"");
    let three = r#"objectives = ["metric_error", "metric_size", "metric_time"]"#;
    let same = TABLE.to_owned();
    let changed = |find: &str, replacement: &str| TABLE.replacen(find, replacement, 1);
    let of_size = |value: &str, told: &str| {
        let table = changed("0.25,4,", &format!("0.25,{value},"));
        let told = format!("table.csv: line 3, column `metric_size`: {told}");
        (table, TWO.to_owned(), told)
    };
    let not_finite = |value: &str| of_size(value, &format!("`{value}` is not a finite"));
    let of_cost = |value: &str, told: &str| {
        let table = changed(",1.5,one", &format!(",{value},one"));
        let told = format!("table.csv: line 2, column `metric_time`: {told}");
        (table, with_cost.clone(), told)
    };
    let declared = |blackbox: String, told: &str| (same.clone(), blackbox, told.to_owned());
    let cases = [
        not_finite("high"),
        not_finite("NaN"),
        not_finite("-inf"),
        of_size("", "there is no value: fill it in"),
        of_cost("-1.5", "a cost is -1.5, but has to be above 0"),
        of_cost("0", "a cost is 0, but has to be above 0"),
        of_cost("inf", "`inf` is not a finite number"),
        (
            changed("metric_size", "metric_bytes"),
            TWO.to_owned(),
            "table.csv: line 1: the objective `metric_size` is not a column".to_owned(),
        ),
        declared(
            TWO.replace("size", "error"),
            "line 8: black box `B`: objectives: `metric_error` is listed twice",
        ),
        declared("objectives = []".into(), "fewer than two columns: write"),
        declared(three.into(), "3 are listed, but at most 2 can be compared"),
        declared(
            TWO.replace("metric_size", "hp_a"),
            "objectives: `hp_a` is a hyperparameter already",
        ),
        declared(
            two("objective = \"metric_error\""),
            "objective and objectives are both there",
        ),
        declared(
            two("direction = \"maximise\""),
            "line 9: black box `B`: direction cannot be with objectives",
        ),
        declared(two("cost = \"hp_a\""), "cost: `hp_a` is a hyperparameter"),
        declared(
            two("cost = \"metric_money\""),
            "the cost `metric_money` is not a column",
        ),
        declared(two("cost = \"a\\u001b[2J\""), "U+001B"),
    ];
    for (table, blackbox, told) in cases {
        let folder = Folder::new(&table, &blackbox, &[]);
        let output = folder.run();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{blackbox}: {error}");
        assert_told(&error, &[&told]);
        assert!(!error.contains('\u{1b}'), "{error:?}");
        assert!(!folder.path("out/sweep.loto").exists(), "{error}");
    }
}

/// The trace of the sweep's first job is replaced by what is made of it: the report has to name that, and to leave it out.
async fn is_named_and_left_out(blackbox: &str, forge: impl Fn(&mut Trace), told: &str) {
    let folder = Folder::new(TABLE, blackbox, &[]);
    let run = folder.run();
    assert!(run.status.success(), "{run:?}");
    let path = folder.path("out/sweep.loto");
    let store = store::open(path.to_str().unwrap()).await.unwrap();
    let id = store.sweeps().await.unwrap()[0];
    let sweep = store.sweep(id).await.unwrap().unwrap();
    let job: Job = sweep.jobs().next().unwrap();
    let series = job.series.id();
    let mut trace = store.trace(series, job.seed).await.unwrap().unwrap();
    store.discard_trace(series, job.seed).await.unwrap();
    forge(&mut trace);
    // Its checksum is sound.
    store.put_trace(&job, &trace).await.unwrap();
    drop(store);

    let report = folder.loto(&["report", "hostile", "--store", "out/sweep.loto"]);
    assert_eq!(report.status.code(), Some(2), "{report:?}");
    let text = String::from_utf8(report.stdout).unwrap();
    let named = ["rs on one, seed 0", "corrupt", "1 of 2 traces finished"];
    assert_told(&text, &named);
    assert_told(&text, &[told]);
    // The same command computes it again.
    let again = folder.run();
    assert!(again.status.success(), "{again:?}");
    let report = folder.loto(&["report", "hostile", "--store", "out/sweep.loto"]);
    assert!(report.status.success(), "{report:?}");
}

#[tokio::test]
async fn traces_with_missing_further_or_wrong_values_are_named_and_left_out() {
    let one = "objective = \"metric_error\"";
    let further = |trace: &mut Trace| trace.further_values = vec![3.0; ITERATIONS];
    let told = "it has the values of 2 objectives, the table has 1";
    is_named_and_left_out(one, further, told).await;

    let missing = |trace: &mut Trace| trace.further_values.clear();
    let told = "it has the values of 1 objectives, the table has 2";
    is_named_and_left_out(TWO, missing, told).await;
    let many = |trace: &mut Trace| trace.further_values.resize(2 * ITERATIONS, 3.0);
    let told = "it has the values of 3 objectives, the table has 2";
    is_named_and_left_out(TWO, many, told).await;
    let short = |trace: &mut Trace| trace.further_values.truncate(ITERATIONS - 1);
    is_named_and_left_out(TWO, short, "further").await;
    let wrong = |trace: &mut Trace| trace.further_values[1] = 2.5;
    let told = "iteration 2 has the value 2.5 of objective 2";
    is_named_and_left_out(TWO, wrong, told).await;
    let not_a_number = |trace: &mut Trace| trace.further_values[0] = f64::NAN;
    is_named_and_left_out(TWO, not_a_number, "NaN").await;
}

/// A program that says this of objectives when it is ready, and answers the first question with this line.
fn program(objectives: &str, answer: &str) -> String {
    format!(
        "read -r hello\necho '{{\"type\":\"ready\",\"protocol\":1{objectives}}}'\nread -r table\nread -r job\n\
         echo '{{\"type\":\"started\"}}'\nread -r next\necho '{answer}'\nread -r end\n"
    )
}

#[test]
fn programs_that_answer_with_vectors_or_take_one_objective_fail_their_own_jobs_only() {
    let several = ",\"objectives\":\"several\"";
    let row = r#"{"type":"row","iteration":1,"row":0}"#;
    let vector = r#"{"type":"row","iteration":1,"row":[0,1]}"#;
    let nested = r#"{"type":"configuration","iteration":1,"values":[[0,0],[1,0]]}"#;
    let with_values = r#"{"type":"configuration","iteration":1,"values":[0,0,0.5,3]}"#;
    let cases = [
        (
            "one",
            program("", row),
            "it is for one objective, and there are 2",
        ),
        (
            "many",
            program(",\"objectives\":\"many\"", row),
            r#""objectives":"many""#,
        ),
        ("vector", program(several, vector), r#""row":[0,1]"#),
        (
            "nested",
            program(several, nested),
            r#""values":[[0,0],[1,0]]"#,
        ),
        (
            "with-values",
            program(several, with_values),
            "a configuration of 4 values, but there are 2 hyperparameters",
        ),
    ];
    let methods = cases
        .each_ref()
        .map(|(name, script, _)| (*name, script.as_str()));
    let folder = Folder::new(TABLE, TWO, &methods);
    let run = folder.run();
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let status = folder.loto(&["status", "hostile", "--store", "out/sweep.loto"]);
    let text = String::from_utf8(status.stdout).unwrap();
    let failed = 2 * cases.len();
    assert_told(
        &text,
        &[&format!("2 of {} done, {failed} poisoned", 2 + failed)],
    );
    for (name, _, told) in cases {
        let method = format!("external method `{name}`");
        let mut of_it = text.lines().filter(|line| line.contains(&method));
        let first = of_it.next();
        assert!(
            first.is_some_and(|line| line.contains(told)),
            "{name}: {text}"
        );
    }
}
