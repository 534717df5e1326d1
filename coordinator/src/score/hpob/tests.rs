use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

const ONE: &str = r#"{"10": {"a": {"test0": [0.09, 0.24, 0.8, 0.8], "test1": [0.09, 0.43, 0.48, 0.48]},
 "b": {"test0": [0.73, 0.73, 0.73, 0.73], "test1": [0.43, 0.59, 0.74, 0.96]}},
 "7": {"c": {"test0": [0.28, 0.65, 0.7, 0.7], "test1": [0.0, 0.97, 0.97, 0.97]}}}"#;
const TWO: &str = r#"{"7": {"c": {"test0": [0.92, 0.92, 0.92, 0.92], "test1": [0.96, 0.96, 0.96, 0.97]}},
 "10": {"a": {"test1": [0.09, 0.43, 0.48, 0.48], "test0": [0.09, 0.24, 0.8, 0.8]},
 "b": {"test0": [0.56, 0.56, 0.61, 0.61], "test1": [0.18, 0.75, 0.75, 0.75]}}}"#;
const THREE: &str = r#"{"10": {"a": {"test0": [0.89, 0.89, 0.89, 0.89], "test1": [0.03, 0.71, 0.71, 0.71]},
 "b": {"test0": [0.66, 0.93, 0.93, 0.93], "test1": [0.3, 0.74, 0.74, 0.74]}},
 "7": {"c": {"test0": [0.83, 0.83, 0.83, 0.83], "test1": [0.43, 0.76, 0.88, 0.88]}}}"#;

struct Files {
    folder: TempDir,
    paths: Vec<PathBuf>,
}

/// Files `one.json`, `two.json` and so on.
fn files(texts: &[&str]) -> Files {
    let folder = tempfile::tempdir().unwrap();
    let names = ["one.json", "two.json", "three.json"];
    let write = |(name, text): (&&str, &&str)| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let paths = names.iter().zip(texts).map(write).collect();
    Files { folder, paths }
}

fn refusal(texts: &[&str], trials: Option<usize>) -> String {
    read(&files(texts).paths, trials).unwrap_err().to_string()
}

fn close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-12,
        "{found} instead of {expected}"
    );
}

#[test]
fn scores_are_those_of_numpy_and_scipy() {
    let files = files(&[ONE, TWO, THREE]);
    let scores = score(&read(&files.paths, None).unwrap());
    let counts = (
        scores.trials,
        scores.search_spaces,
        scores.tasks,
        scores.traces,
    );
    assert_eq!(counts, (3, 2, 3, 6));
    // NumPy 2, SciPy 1.17: scipy.stats.rankdata of numpy.round(1 - values, 8), trim_mean(.25), friedmanchisquare.
    let expected = [
        (
            "one",
            2.0833333333333335,
            0.22666666666666668,
            0.2025,
            0.2961111111111111,
            2.1666666666666665,
        ),
        (
            "two",
            2.0833333333333335,
            0.245,
            0.22999999999999998,
            0.2827777777777778,
            2.1666666666666665,
        ),
        (
            "three",
            1.8333333333333333,
            0.17,
            0.165,
            0.1766666666666667,
            1.6666666666666667,
        ),
    ];
    for (method, (name, rank, regret, middle, area, task_rank)) in
        scores.methods.iter().zip(expected)
    {
        assert_eq!(method.method, name);
        close(method.mean_rank, rank);
        close(method.mean_regret, regret);
        close(method.interquartile_mean_regret, middle);
        close(method.area_under_curve.unwrap(), area);
        close(method.mean_task_rank, task_rank);
    }
    let ranks = &scores.methods[0].mean_rank_by_trial;
    for (found, expected) in ranks
        .iter()
        .zip([2.0, 2.3333333333333335, 2.25, 2.0833333333333335])
    {
        close(*found, expected);
    }
    let friedman = scores.friedman.unwrap().tie_corrected.unwrap();
    close(friedman.chi_square, 0.5454545454545455);
    close(friedman.p_value, 0.7613003866968736);
    assert!(scores.notes.is_empty());
}

#[test]
fn longer_traces_are_cut_with_a_word() {
    let files = files(&[ONE, &TWO.replace("0.96, 0.97]", "0.96, 0.97, 0.99]")]);
    let scores = score(&read(&files.paths, None).unwrap());
    assert_eq!(
        scores.notes,
        ["Longer traces were cut after 3 trials: 1 trace of two."]
    );
    close(scores.methods[1].mean_regret, 0.245);
    let after_one = score(&read(&files.paths, Some(1)).unwrap());
    assert_eq!(after_one.trials, 1);
    // 1 minus the mean of .24 .43 .73 .59 .65 .97.
    close(
        after_one.methods[0].mean_regret,
        1.0 - (0.24 + 0.43 + 0.73 + 0.59 + 0.65 + 0.97) / 6.0,
    );
}

#[test]
fn values_that_fall_are_scored_and_told() {
    let files = files(&[ONE, &TWO.replace("[0.18, 0.75", "[0.18, 0.95")]);
    let notes = read(&files.paths, None).unwrap().notes;
    assert!(
        notes[0].starts_with("A value is below") && notes[0].contains("in 1 trace of two;"),
        "{notes:?}"
    );
}

#[test]
fn one_method_has_scores_and_no_test() {
    let files = files(&[ONE]);
    let scores = score(&read(&files.paths, Some(0)).unwrap());
    assert!(scores.friedman.is_none() && scores.nemenyi.is_none());
    assert_eq!(scores.methods[0].area_under_curve, None);
    assert_eq!(scores.methods[0].mean_rank, 1.0);
}

#[test]
fn mistakes_are_named_with_file_and_field() {
    let spoilt = |find: &str, replace: &str| {
        assert!(ONE.contains(find), "{find}");
        ONE.replacen(find, replace, 1)
    };
    let cases = [
        (
            spoilt("0.97, 0.97]", "0.97, 1.5]"),
            "search space 7, data set c, seed test1, value 3 is 1.5",
        ),
        (
            spoilt("0.97]", "\"x\"]"),
            "`7`: `c`: `test1`: invalid type: string \"x\"",
        ),
        (
            spoilt("0.97]", "null]"),
            "`7`: `c`: `test1`: invalid type: null",
        ),
        (spoilt("0.97]", "NaN]"), "line 3 column"),
        (spoilt("\"b\"", "\"a\""), "the key `a` is there twice"),
        (spoilt("test1", "test0"), "the key `test0` is there twice"),
        (
            spoilt("{\"c\"", "[\"c\""),
            "`7`: invalid type: sequence, expected an object",
        ),
        ("{}".into(), "it has no values"),
        (ONE[..ONE.len() - 1].into(), "EOF while parsing"),
        ("[".repeat(100_000), "invalid type: sequence"),
        (
            spoilt("0.97, 0.97, 0.97]", "0.97]"),
            "seed test1 has 2 values, but 4 are needed to compare after 3 trials",
        ),
        (
            spoilt(", \"test1\": [0.0, 0.97, 0.97, 0.97]", ""),
            "one.json: search space 7, data set c, seed test1 is missing",
        ),
    ];
    for (text, told) in cases {
        let message = refusal(&[&text, TWO], None);
        assert!(
            message.contains(told) && message.contains("one.json"),
            "{told}: {message}"
        );
        assert!(message.len() < 1000, "{message}");
    }
    let more = TWO.replace(
        "\"test0\": [0.92",
        "\"test9\": [0.92, 0.92, 0.92, 0.92], \"test0\": [0.92",
    );
    let message = refusal(&[ONE, &more], None);
    assert!(
        message.contains("one.json: search space 7, data set c, seed test9 is missing"),
        "{message}"
    );
    let message = refusal(&[ONE, TWO], Some(9));
    assert!(message.contains("--trials 3"), "{message}");
}

#[test]
fn files_are_named_if_they_cannot_be_read_or_told_apart() {
    let mut files = files(&[ONE]);
    files.paths.push(files.folder.path().join("none.json"));
    let message = read(&files.paths, None).unwrap_err().to_string();
    assert!(
        message.starts_with("cannot read ") && message.contains("none.json"),
        "{message}"
    );
    let packed = files.folder.path().join("one.json.gz");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, ONE.as_bytes()).unwrap();
    fs::write(&packed, gzip.finish().unwrap()).unwrap();
    let only = read(std::slice::from_ref(&packed), None).unwrap();
    assert_eq!(only.methods, ["one"]);
    files.paths[1] = packed;
    let message = read(&files.paths, None).unwrap_err().to_string();
    assert!(message.contains("have the same name"), "{message}");
}
