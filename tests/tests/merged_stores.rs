//! `loto merge`: the results of several runs become those of one. None of this needs a server.

use std::fs;
use std::path::Path;

use loto_proto::trace::Trace;
use loto_tests::programs::run;
use loto_tests::reports::{assert_same, evaluations, outcomes};
use loto_tests::small_sweep::{Folder, job, table_blob};
use loto_transport::store;

const SWEEP: &str = r#"
name = "whole"
methods = ["rs", "gp", "cts"]
seeds = 3
iterations = 6

[[blackbox]]
name = "B"
table = "table.csv"
objective = "metric_error"
"#;

/// What a command prints and what it logs, if it ends with that status.
fn told(arguments: &[&str], status: i32) -> (String, String) {
    let output = run("loto", arguments);
    assert_eq!(
        output.status.code(),
        Some(status),
        "{arguments:?}: {output:?}"
    );
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs [`SWEEP`] with other methods and number of seeds; returns its folder and the file of its store.
fn run_part(folder: &Folder, name: &str, methods: &str, seeds: u32) -> (String, String) {
    let sweep = SWEEP
        .replace("whole", name)
        .replace(r#""rs", "gp", "cts""#, methods)
        .replace("seeds = 3", &format!("seeds = {seeds}"));
    let file = format!("{name}.toml");
    folder.write(&file, sweep);
    let out = folder.path(name);
    told(&["run", path(&folder.path(&file)), "--out", path(&out)], 0);
    let store = out.join("sweep.loto");
    (path(&out).to_owned(), path(&store).to_owned())
}

#[test]
fn a_run_computes_only_what_the_merged_stores_lack_and_reports_the_same() {
    let folder = Folder::with_sweep(SWEEP);
    let (_, baselines) = run_part(&folder, "baselines", r#""rs", "gp""#, 3);
    let (_, own) = run_part(&folder, "own", r#""cts", "rs""#, 2);
    let merged = folder.path("merged");
    let merge = ["merge", &baselines, &own, "--out", path(&merged)];
    let (text, _) = told(&merge, 0);
    // Two tasks: 12 traces and 8, of which 4 are of rs in both.
    assert!(
        text.contains("merged 2 stores") && text.contains("16 new traces, 4 were there"),
        "{text}"
    );
    let (text, _) = told(&merge, 0);
    assert!(text.contains("0 new traces, 20 were there"), "{text}");

    let store = merged.join("sweep.loto");
    let (list, _) = told(&["status", "--store", path(&store)], 0);
    assert!(list.contains("baselines") && list.contains("own"), "{list}");
    let sweep = path(&folder.sweep()).to_owned();
    told(&["run", &sweep, "--out", path(&merged)], 0);
    let fresh = folder.path("fresh");
    told(&["run", &sweep, "--out", path(&fresh)], 0);
    assert_same(&outcomes(&merged), &outcomes(&fresh));
    for file in ["scores.csv", "scores_by_task.csv", "curves.csv"] {
        // The last has the errors of priors, which came with the traces.
        let of = |out: &Path| fs::read_to_string(out.join(file)).unwrap();
        assert_eq!(of(&merged), of(&fresh), "{file}");
    }
    // What was merged was not computed again: its seconds are those of the run that it comes from.
    let kept = evaluations(&folder.path("baselines"));
    let merged = evaluations(&merged);
    let of_gp: Vec<&String> = kept.iter().filter(|line| line.contains(",gp,")).collect();
    assert!(of_gp.len() == 36 && of_gp.iter().all(|line| merged.contains(line)));
}

#[tokio::test]
async fn stores_that_contradict_each_other_or_are_damaged_are_refused_and_nothing_is_made() {
    let folder = Folder::with_sweep(SWEEP);
    let (_, sound) = run_part(&folder, "sound", r#""rs""#, 2);
    let (_, other) = run_part(&folder, "other", r#""rs""#, 2);
    let out = folder.path("merged");
    let refused = |files: &[&str]| {
        let arguments = [&["merge"], files, &["--out", path(&out)]].concat();
        let (_, error) = told(&arguments, 2);
        assert!(!out.exists(), "{error}");
        error
    };

    // The other store says the opposite of one job.
    let store = store::open(other.as_str()).await.unwrap();
    let job = job(table_blob().0, 1);
    let series = job.series.id();
    let mut trace: Trace = store.trace(series, 1).await.unwrap().unwrap();
    trace.rows.reverse();
    trace.values.reverse();
    store.discard_trace(series, 1).await.unwrap();
    store.put_trace(&job, &trace).await.unwrap();
    let error = refused(&[&sound, &other]);
    for part in [
        &job.id().to_string(),
        "rs on one, seed 1",
        "differs from iteration",
        &sound,
        &other,
        "nothing was merged",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }

    // Its values are not those of the table.
    trace.values[0] += 1.0;
    store.discard_trace(series, 1).await.unwrap();
    store.put_trace(&job, &trace).await.unwrap();
    drop(store);
    let error = refused(&[&other]);
    assert!(
        error.contains(&other) && error.contains("1 damaged traces"),
        "{error}"
    );

    let error = refused(&[&sound, path(&folder.path("none.loto"))]);
    assert!(error.contains("no such file"), "{error}");
    let error = refused(&[path(&folder.sweep())]);
    assert!(error.contains("sweep.toml"), "{error}");
    let empty = folder.path("empty.loto");
    drop(store::open(path(&empty)).await.unwrap());
    let error = refused(&[path(&empty)]);
    assert!(error.contains("has no sweeps"), "{error}");
}
