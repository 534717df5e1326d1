use std::collections::BTreeSet;
use std::io::Write;

use loto_proto::table_spec::{Categorical, TableSpec};

use super::Table;
use super::encoding::Kind;

const TABLE: &str = "\
hp_rate,hp_kind,metric_error,dataset_n,blackbox,task
0,sgd,0.5,10,Net,one
2,adam,0.25,10,Net,one
4,sgd,0.75,20,Net,two
";

fn spec(categorical: &[&str]) -> TableSpec {
    TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::Columns(categorical.iter().map(|c| c.to_string()).collect()),
        ..TableSpec::default()
    }
}

fn read(text: &str) -> Result<Table, String> {
    Table::read(text.as_bytes(), &spec(&["hp_kind"]), "net.csv").map_err(|error| error.to_string())
}

fn zipped(text: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("/misleading.csv.zip", options).unwrap();
    archive.write_all(text.as_bytes()).unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn numbers_are_scaled_over_all_tasks_and_levels_are_sorted() {
    let table = read(TABLE).unwrap();
    assert_eq!(table.blackbox.as_deref(), Some("Net"));
    assert_eq!(table.space.width(), 3);
    assert_eq!(
        table.space.hyperparameters[1].kind,
        Kind::Categorical {
            levels: vec!["adam".into(), "sgd".into()]
        }
    );
    let one = table.task("one").unwrap();
    assert_eq!(one.objective, [0.5, 0.25]);
    let mut point = [0.0; 3];
    table.space.encode(&one.columns, 1, &mut point);
    assert_eq!(point, [0.5, 1.0, 0.0]);
    let two = table.task("two").unwrap();
    table.space.encode(&two.columns, 0, &mut point);
    assert_eq!(point, [1.0, 0.0, 1.0]);
}

#[test]
fn tasks_are_alike_if_their_rows_have_the_same_configurations() {
    let mut table = String::from("hp_rate,hp_kind,metric_error,task\n");
    for (task, rows) in [
        ("one", ["0,sgd", "1,adam"]),
        ("other kind", ["0,adam", "1,adam"]),
        ("as one", ["0,sgd", "1,adam"]),
        ("other order", ["1,adam", "0,sgd"]),
        ("other rate", ["0,sgd", "2,adam"]),
        ("as other order", ["1,adam", "0,sgd"]),
    ] {
        for row in rows {
            table += &format!("{row},0.5,{task}\n");
        }
    }
    let table = read(&table).unwrap();
    let found = (0..table.tasks.len()).map(|position| table.first_alike(position));
    assert_eq!(found.collect::<Vec<_>>(), [0, 1, 0, 3, 4, 3]);
    assert_eq!(read(TABLE).unwrap().first_alike(1), 1);
}

#[test]
fn spaces_around_names_and_levels_make_no_others() {
    let plain = read(TABLE).unwrap();
    let spaced = TABLE
        .replace(",one\n2,adam", ", one\n2, adam ")
        .replace("Net,two", "Net ,two ");
    let table = read(&spaced).unwrap();
    assert_eq!(table.space, plain.space);
    let names = |table: &Table| -> Vec<String> {
        let tasks = table.tasks.iter();
        tasks.map(|task| task.name.clone()).collect()
    };
    assert_eq!(names(&table), names(&plain));
    assert_eq!(table.tasks[0].columns, plain.tasks[0].columns);
}

#[test]
fn plain_gzipped_and_zipped_tables_are_alike() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(TABLE.as_bytes()).unwrap();
    let plain = read(TABLE).unwrap();
    for file in [gzip.finish().unwrap(), zipped(TABLE)] {
        let table = Table::read(&file, &spec(&["hp_kind"]), "net").unwrap();
        assert_eq!(table.space, plain.space);
        assert_eq!(table.tasks[1].objective, plain.tasks[1].objective);
        assert_ne!(table.fingerprint, plain.fingerprint);
    }
}

#[test]
fn truncated_archives_are_refused() {
    let whole = zipped(TABLE);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(TABLE.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    for cut in [
        &whole[..whole.len() / 2],
        &whole[..2],
        &gzip[..gzip.len() - 4],
    ] {
        let error = Table::read(cut, &spec(&[]), "net").unwrap_err().to_string();
        assert!(error.starts_with("table net: "), "{error}");
    }
}

#[test]
fn mistakes_are_named_with_line_and_column() {
    let cases = [
        ("2,adam", "fast,adam", "line 3, column `hp_rate`: `fast`"),
        (
            "2,adam",
            "fast,adam",
            "if the column holds names, declare it: categorical = [\"hp_rate\"]",
        ),
        ("2,adam", "True,adam", "scales = { hp_rate = \"boolean\" }"),
        ("2,adam", ",adam", "column `hp_rate`: there is no value"),
        ("0.25", "NaN", "line 3, column `metric_error`: `NaN`"),
        ("0.25", "inf", "line 3, column `metric_error`: `inf`"),
        (
            "0.25",
            "",
            "line 3, column `metric_error`: there is no value",
        ),
        (
            "2,adam",
            "-0,sgd",
            "line 3: task `one` has this configuration already",
        ),
        (
            "metric_error",
            "metric_errors",
            "did you mean `metric_errors`?",
        ),
        ("hp_kind", "hp_rate", "`hp_rate` is there twice"),
        (
            "hp_kind",
            "hp_sort",
            "categorical column `hp_kind` is not a column",
        ),
        (",task\n", ",tusk\n", "column `task` is missing"),
        ("Net,two", "Mat,two", "line 4, column `blackbox`"),
        ("Net,two", "Net,", "line 4, column `task`"),
        ("Net,two", "Net,two,3", "line 4: it has 7 fields"),
        ("hp_", "dp_", "hp_"),
    ];
    for (find, replace, expected) in cases {
        assert!(TABLE.contains(find));
        let text = match find {
            "hp_" => TABLE.replace(find, replace),
            _ => TABLE.replacen(find, replace, 1),
        };
        let message = read(&text).unwrap_err();
        assert!(message.contains(expected), "{replace}: {message}");
        assert!(message.contains("net.csv"), "{message}");
    }
    let header = TABLE.lines().next().unwrap();
    assert!(read(header).unwrap_err().contains("no rows"));
    assert!(read("").is_err());
}

#[test]
fn all_columns_can_be_categorical() {
    let spec = TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::All,
        ..TableSpec::default()
    };
    let table = Table::read(TABLE.as_bytes(), &spec, "net").unwrap();
    assert_eq!(table.space.width(), 3 + 2);
    let columns = BTreeSet::from(["hp_rate".to_string(), "hp_kind".to_string()]);
    let listed = TableSpec {
        categorical: Categorical::Columns(columns),
        ..spec
    };
    assert_eq!(
        Table::read(TABLE.as_bytes(), &listed, "net").unwrap().space,
        table.space
    );
}

#[test]
fn a_new_table_whose_names_are_not_what_they_look_like_is_refused_with_line_and_character() {
    let read = |text: &str| {
        let table = Table::read(text.as_bytes(), &spec(&[]), "net.csv").unwrap();
        let names: Vec<String> = table.tasks.iter().map(|task| task.name.clone()).collect();
        let checked = table.check_names("net.csv");
        (names, checked.map_err(|error| error.to_string()))
    };
    let header = "hp_a,metric_error,task,blackbox\n";
    let sound = format!("{header}0,1,caf\u{e9},B\n1,2,b,B\n");
    assert_eq!(read(&sound).1, Ok(()));
    let task = format!("{header}0,1,a,B\n1,2,\"b\n\u{1b}[2J\",B\n");
    // It can be read, as the tables must be that are in a store already.
    let (names, refusal) = read(&task);
    assert_eq!(names, ["a", "b\n\u{1b}[2J"]);
    let refusal = refusal.unwrap_err();
    let told = "table net.csv: line 3, column `task`: character 2 of the name is U+000A";
    assert!(refusal.starts_with(told), "{refusal}");
    let blackbox = format!("{header}0,1,a,\u{202e}B\n1,2,b,\u{202e}B\n");
    let refusal = read(&blackbox).1.unwrap_err();
    let told = "line 2, column `blackbox`: character 1 of the name is U+202E";
    assert!(refusal.contains(told), "{refusal}");
}
