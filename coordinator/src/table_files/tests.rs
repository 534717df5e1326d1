use std::fs;
use std::path::PathBuf;

use super::*;
use crate::plan::{Plan, SweepSource};

const SNAPPY: &[u8] = include_bytes!("samples/snappy.parquet");
const GZIP: &[u8] = include_bytes!("samples/gzip.parquet");
const ZSTD: &[u8] = include_bytes!("samples/zstd.parquet");
const MISSING: &[u8] = include_bytes!("samples/missing.parquet");
const TIMESTAMP: &[u8] = include_bytes!("samples/timestamp.parquet");
const EMPTY: &[u8] = include_bytes!("samples/empty.parquet");

/// What pandas has of the samples, 4-byte numbers as 8-byte numbers.
const TEXT: &str = "\
hp_lr,hp_units,hp_kind,hp_on,metric_error,task,blackbox
0.1,16,sgd,true,0.5,one,Net
0.0000001,32,adam,false,0.25,one,Net
2.5,64,sgd,true,0.75,one,Net
0.1,16,sgd,true,0.10000000149011612,two,Net
0.0000001,32,adam,false,0.20000000298023224,two,Net
2.5,64,sgd,true,0.30000001192092896,two,Net
";

const SWEEP: &str = "
name = 'test'
methods = ['rs']
seeds = 1
iterations = 3
[[blackbox]]
name = 'Net'
table = 'TABLE'
objective = 'metric_error'
categorical = ['hp_kind']
scales = { hp_on = 'boolean', hp_lr = 'log' }
";

/// The plan of a folder called `table` of tables with one numeric hyperparameter.
fn plan_of_numbers(folder: &std::path::Path) -> Result<Plan, String> {
    let scales = SWEEP.find("categorical").unwrap();
    plan_of(folder, &SWEEP[..scales].replace("TABLE", "table"))
}

/// The plan of a sweep file in a folder.
fn plan_of(folder: &std::path::Path, sweep: &str) -> Result<Plan, String> {
    let path = folder.join("sweep.toml");
    fs::write(&path, sweep).unwrap();
    Plan::read(&SweepSource::File(path), None).map_err(|error| error.to_string())
}

fn read_bytes(bytes: &[u8]) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    fs::write(&path, bytes).unwrap();
    let bytes = read(&path).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(bytes).unwrap())
}

fn refusal(bytes: &[u8]) -> String {
    let message = read_bytes(bytes).unwrap_err();
    assert!(message.contains("table.parquet: "), "{message}");
    message
}

/// The plan of a folder whose table has that name.
fn plan(folder: &std::path::Path, table: &str) -> Result<Plan, String> {
    plan_of(folder, &SWEEP.replace("TABLE", table))
}

#[test]
fn the_same_content_is_the_same_text_however_it_is_packed() {
    assert_eq!(read_bytes(SNAPPY).unwrap(), TEXT);
    assert_eq!(read_bytes(GZIP).unwrap(), TEXT);
}

#[test]
fn the_fingerprint_is_that_of_the_content() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.parquet"), SNAPPY).unwrap();
    fs::write(folder.path().join("g.parquet"), GZIP).unwrap();
    fs::write(folder.path().join("t.csv"), TEXT).unwrap();
    let fingerprint = |table: &str| {
        let plan = plan(folder.path(), table).unwrap();
        assert_eq!(plan.tables[0].table.tasks[1].rows(), 3);
        plan.tables[0].fingerprint()
    };
    let of_csv = fingerprint("t.csv");
    assert_eq!(fingerprint("s.parquet"), of_csv);
    assert_eq!(fingerprint("g.parquet"), of_csv);
}

#[test]
fn a_missing_number_is_named_with_its_line() {
    let text = "hp_x,metric_error,task\n1,1,a\n,2,a\n3,3,b\n";
    assert_eq!(read_bytes(MISSING).unwrap(), text);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("m.parquet"), MISSING).unwrap();
    let sweep = SWEEP.replace("categorical = ['hp_kind']", "");
    let sweep = sweep.replace("scales = { hp_on = 'boolean', hp_lr = 'log' }", "");
    let path = folder.path().join("sweep.toml");
    fs::write(&path, sweep.replace("TABLE", "m.parquet")).unwrap();
    let error = Plan::read(&SweepSource::File(path), None)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("m.parquet: line 3, column `hp_x`: there is no value"),
        "{error}"
    );
}

#[test]
fn a_file_without_rows_is_a_table_without_rows() {
    assert_eq!(read_bytes(EMPTY).unwrap(), "hp_x,metric_error,task\n");
}

#[test]
fn what_is_not_read_is_named_with_the_cure() {
    let message = refusal(ZSTD);
    assert!(
        message.contains("column `hp_lr` is compressed by ZSTD") && message.contains("snappy"),
        "{message}"
    );
    let message = refusal(TIMESTAMP);
    assert!(
        message.contains("column `hp_x` has the type INT64 (TIMESTAMP_MICROS)"),
        "{message}"
    );
}

#[test]
fn a_damaged_file_is_refused_wherever_the_damage_is() {
    for sample in [SNAPPY, GZIP] {
        for length in [4, 8, 12, sample.len() / 2, sample.len() - 1] {
            refusal(&sample[..length]);
        }
        for place in (4..sample.len()).step_by(3) {
            let mut damaged = sample.to_vec();
            damaged[place] ^= 0x55;
            // Some bytes are values or names: what counts is that there is an answer.
            if let Err(message) = read_bytes(&damaged) {
                assert!(message.len() < 2000, "{message}");
            }
        }
    }
}

#[test]
fn a_page_that_unpacks_to_more_than_it_says_is_refused() {
    // The number of bytes that the first page unpacks to, 50, stands behind the second byte 0x15; twice, as all signed numbers.
    let mut lying = GZIP.to_vec();
    assert_eq!(lying[4..8], [0x15, 0x06, 0x15, 100]);
    lying[7] = 2;
    let message = refusal(&lying);
    let told = "column `hp_lr` has a page that unpacks to another size than it says";
    assert!(message.contains(told), "{message}");
}

#[test]
fn a_folder_has_a_file_for_each_task() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("table");
    fs::create_dir(&table).unwrap();
    let write = |name: &str, text: &[u8]| fs::write(table.join(name), text).unwrap();
    write("README.md", b"not a table");
    write("two.csv", b"metric_error,hp_x,note\n0.5,1,b\n0.25,2,a\n");
    write("one.csv", b"hp_x,metric_error\n1,5\n2,6\n");
    let bytes = read(&table).unwrap();
    assert_eq!(
        String::from_utf8(bytes).unwrap(),
        "hp_x,metric_error,task\n1,5,one\n2,6,one\n1,0.5,two\n2,0.25,two\n"
    );
    // Parquet beside CSV, with the tasks in a column.
    fs::remove_file(table.join("one.csv")).unwrap();
    write("three.parquet", MISSING);
    let text = String::from_utf8(read(&table).unwrap()).unwrap();
    assert!(text.ends_with("3,3,b\n1,0.5,two\n2,0.25,two\n"), "{text}");

    let refused = |name: &str, text: &[u8], told: &str| {
        write(name, text);
        let message = read(&table).unwrap_err().to_string();
        assert!(
            message.contains(told) && message.contains(name),
            "{message}"
        );
        fs::remove_file(table.join(name)).unwrap();
    };
    refused(
        "x.csv",
        b"hp_y,metric_error\n1,2\n",
        "the column `hp_y` is missing",
    );
    refused(
        "x.csv",
        b"hp_x\n1\n",
        "the column `metric_error` is missing",
    );
    refused(
        "x.csv",
        b"hp_x,metric_error,dataset_size\n1,2,3\n",
        "the column `dataset_size` is missing",
    );
    refused(
        "x.csv",
        b"hp_x,metric_error\n1,2\n3\n",
        "line 3: it has 1 field,",
    );
    let same = "are both the task `two`, by their names";
    refused("two.csv.gz", b"hp_x,metric_error\n1,2\n", same);
    refused("x.csv.xz", b"\xfd7zXZ\0\0\0", "compressed by xz");
    refused("x.jsonl", b"{\"hp_x\": 1}\n", "it is JSON");
}

#[test]
fn a_row_of_a_folder_is_named_by_its_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("table")).unwrap();
    let write = |name: &str, text: &[u8]| {
        let path = folder.path().join("table").join(name);
        fs::write(path, text).unwrap();
    };
    let told = |name: &str, place: &str| {
        let message = plan_of_numbers(folder.path()).unwrap_err();
        let expected = format!("{name}: {place}");
        assert!(message.contains(&expected), "{message}");
    };
    write(
        "a.csv",
        b"hp_x,metric_error\r\n1,5\r\n2,6\r\n3,7\r\n4,8\r\n",
    );
    write("b.csv", b"hp_x,metric_error\n1,5\n\n2,6\n\nthree,7\n");
    told("b.csv", "line 6, column `hp_x`");
    write("b.csv", b"hp_x,metric_error\n1,5\n2,6\n3,7\n4,8\n2,1\n");
    told("b.csv", "line 6: task `b` has this configuration");
    write("a.csv", b"hp_x,metric_error\n1,5\n2,six\n3,7\n4,8\n");
    told("a.csv", "line 3, column `metric_error`");
}

#[test]
fn a_folder_keeps_what_describes_tasks_and_whatever_else_a_sweep_may_name() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("table");
    fs::create_dir(&table).unwrap();
    let write = |name: &str, text: &str| fs::write(table.join(name), text).unwrap();
    write("a.csv", "hp_x,dataset_n,thinned,lr\n1,7,true,0.1\n");
    write("b.csv", "lr,dataset_n,hp_x,note\n0.2,8,2,none\n");
    let text = String::from_utf8(read(&table).unwrap()).unwrap();
    assert_eq!(
        text,
        "hp_x,dataset_n,thinned,lr,task\n1,7,true,0.1,a\n2,8,,0.2,b\n"
    );
}

#[test]
fn an_empty_folder_is_no_table() {
    let folder = tempfile::tempdir().unwrap();
    let message = read(folder.path()).unwrap_err().to_string();
    assert!(message.contains("expected is a file per task"), "{message}");
    let none: PathBuf = folder.path().join("none");
    assert!(
        read(&none)
            .unwrap_err()
            .to_string()
            .starts_with("cannot read")
    );
}
