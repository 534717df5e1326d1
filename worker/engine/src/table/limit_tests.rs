//! Each limit of a table, with what a hostile file might try.

use std::collections::BTreeSet;
use std::io::{Cursor, Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use loto_proto::limits::{
    MAX_ARCHIVE_MEMBERS, MAX_COLUMNS, MAX_COORDINATES, MAX_LEVELS, MAX_NAME_BYTES,
    MAX_TABLE_FILE_BYTES, MAX_TASKS,
};
use loto_proto::table_spec::{Categorical, TableSpec};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::Table;
use super::container::{self, ContainerError};
use super::encoding::Column;

fn read_as(file: &[u8], categorical: Categorical) -> Result<Table, String> {
    let spec = TableSpec {
        objective: "metric".into(),
        categorical,
        ..TableSpec::default()
    };
    Table::read(file, &spec, "t").map_err(|error| error.to_string())
}

fn read(file: &[u8]) -> Result<Table, String> {
    read_as(file, Categorical::Columns(BTreeSet::new()))
}

#[track_caller]
fn assert_refused(outcome: Result<Table, String>, expected: &str) {
    let error = outcome.unwrap_err();
    assert!(error.contains(expected), "{error}");
    assert!(error.len() < 1000, "{} bytes: {error:.1000}", error.len());
}

fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        archive
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn a_line_without_an_end_is_refused_before_it_fills_the_memory() {
    // 400 MB of zeros in 400 KB.
    let zeros = vec![0; 1 << 20];
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("zeros", SimpleFileOptions::default())
        .unwrap();
    for _ in 0..400 {
        gzip.write_all(&zeros).unwrap();
        zip.write_all(&zeros).unwrap();
    }
    let files = [
        gzip.finish().unwrap(),
        zip.finish().unwrap().into_inner(),
        zeros.repeat(4),
        [b"hp_a,metric,task\n\"".as_slice(), &zeros.repeat(4)].concat(),
    ];
    for file in files {
        assert_refused(read(&file), "a line has more than 1048576 bytes");
    }
}

#[test]
fn what_a_file_unpacks_to_is_bounded() {
    let text = b"x,metric,task\n".repeat(100);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&text).unwrap();
    for file in [gzip.finish().unwrap(), zipped(&[("t", &text)]), text] {
        let consume = |csv: &mut dyn Read| {
            let mut text = Vec::new();
            csv.read_to_end(&mut text)
                .map_err(ContainerError::Unreadable)
        };
        let most = 100 * 14;
        let whole = container::with_csv(Cursor::new(&file), most, consume);
        assert_eq!(whole.unwrap(), most as usize);
        let error = container::with_csv(Cursor::new(&file), most - 1, consume).unwrap_err();
        assert!(
            error.to_string().contains("more than 1399 bytes"),
            "{error}"
        );
    }
}

#[test]
fn a_member_that_lies_about_its_size_is_refused() {
    let text = b"hp_a,metric,task\n1,2,x\n";
    let honest = zipped(&[("t", text)]);
    read(&honest).unwrap();
    // The size is in the local header and in the directory.
    let size = (text.len() as u32).to_le_bytes();
    for lie in [1_u32, 5 << 20, u32::MAX - 1] {
        let mut lying = honest.clone();
        let places: Vec<_> = (0..lying.len() - 4)
            .filter(|&place| lying[place..place + 4] == size)
            .collect();
        assert!(places.len() >= 2);
        for place in places {
            lying[place..place + 4].copy_from_slice(&lie.to_le_bytes());
        }
        // What counts is what comes: either it is refused, or the text is the same.
        match read(&lying) {
            Ok(table) => assert_eq!(table.tasks[0].objective, [2.0]),
            Err(error) => assert!(error.len() < 1000, "{error}"),
        }
    }
}

#[test]
fn an_archive_of_many_members_is_refused() {
    let names: Vec<String> = (0..=MAX_ARCHIVE_MEMBERS).map(|n| n.to_string()).collect();
    let text = b"hp_a,metric,task\n1,2,x\n".as_slice();
    let members: Vec<_> = names.iter().map(|name| (name.as_str(), text)).collect();
    assert_refused(read(&zipped(&members)), "more than 1000 members");
    read(&zipped(&members[1..])).unwrap();
}

#[test]
fn an_archive_in_an_archive_is_no_table() {
    let inner = zipped(&[("t", b"hp_a,metric,task\n1,2,x\n")]);
    assert_refused(read(&zipped(&[("t.csv", &inner)])), "column");
}

#[test]
fn a_large_file_is_refused_before_it_is_read() {
    let error = "the file has more than 67108864 bytes";
    assert_refused(read(&vec![b'x'; MAX_TABLE_FILE_BYTES + 1]), error);
}

#[test]
fn many_and_long_columns_are_refused() {
    let names: Vec<_> = (0..MAX_COLUMNS - 1).map(|n| format!("hp_{n}")).collect();
    let header = format!("task,metric,{}\n", names.join(","));
    assert_refused(read(header.as_bytes()), "it has 1001 columns");
    let long = format!("task,{}\n", "hp_".repeat(MAX_NAME_BYTES));
    assert_refused(read(long.as_bytes()), "has 600 bytes, allowed are 200");
}

#[test]
fn many_rows_are_refused() {
    let rows = |columns: usize, rows: usize| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        let names: Vec<_> = (0..columns).map(|n| format!("hp_{n}")).collect();
        writeln!(gzip, "task,metric,{}", names.join(",")).unwrap();
        let zeros = ",0".repeat(columns - 1);
        for row in 0..rows {
            writeln!(gzip, "x,0,{row}{zeros}").unwrap();
        }
        gzip.finish().unwrap()
    };
    assert_refused(
        read(&rows(1, 2_000_001)),
        "line 2000002: it has more than 2000000 rows",
    );
    assert_refused(
        read(&rows(500, 40_001)),
        "line 40002: it has more than 20000000 hyperparameter values",
    );
}

#[test]
fn many_tasks_and_long_names_are_refused() {
    let mut table = String::from("hp_a,metric,task\n");
    for task in 0..=MAX_TASKS {
        table.push_str(&format!("1,2,t{task}\n"));
    }
    assert_refused(
        read(table.as_bytes()),
        "line 10002: it has more than 10000 tasks",
    );
    let long = format!("hp_a,metric,task\n1,2,{}\n", "x".repeat(201));
    assert_refused(
        read(long.as_bytes()),
        "line 2, column `task`: a task's name must be a text of 1 to 200 bytes",
    );
    let long = format!("hp_a,metric,task,blackbox\n1,2,x,{}\n", "x".repeat(201));
    assert_refused(read(long.as_bytes()), "at most 200 bytes");
}

#[test]
fn many_and_long_levels_are_refused() {
    let column = |levels: usize, columns: usize| {
        let names: Vec<_> = (0..columns).map(|n| format!("hp_{n}")).collect();
        let mut table = format!("task,metric,{}\n", names.join(","));
        for level in 0..levels {
            table.push_str(&format!("x,0{}\n", format!(",{level}").repeat(columns)));
        }
        table
    };
    let categorical = |table: &str| read_as(table.as_bytes(), Categorical::All);
    assert_refused(
        categorical(&column(MAX_LEVELS + 1, 1)),
        "line 1002, column `hp_0`: more than 1000 levels",
    );
    categorical(&column(MAX_LEVELS, MAX_COORDINATES / MAX_LEVELS)).unwrap();
    assert_refused(
        categorical(&column(MAX_LEVELS, MAX_COORDINATES / MAX_LEVELS + 1)),
        "11000 coordinates (one per numeric hyperparameter and per level), allowed are 10000",
    );
    let long = format!("hp_a,metric,task\n{},2,x\n", "x".repeat(1001));
    assert_refused(categorical(&long), "the level has 1001 bytes");
}

#[test]
fn numbers_whose_distances_overflow_are_refused() {
    for (number, field) in [("2e100", "2e100,0"), ("-1.7e308", "0,-1.7e308")] {
        let table = format!("hp_a,metric,task\n{field},x\n");
        let expected = format!("{number} is too large a number");
        assert_refused(read(table.as_bytes()), &expected);
    }
    let table = read(b"hp_a,metric,task\n1e100,0,x\n-1e100,0,x\n").unwrap();
    assert_eq!(table.tasks[0].columns, [Column::Numeric(vec![1.0, 0.0])]);
}

#[test]
fn objectives_whose_squared_differences_are_zero_are_refused() {
    for (first, second, told) in [("1e-310", "0", "1e-310"), ("-2e-101", "7e-101", "9e-101")] {
        let table = format!("hp_a,metric,task\n1,5,y\n2,6,y\n1,{first},x\n2,{second},x\n");
        let expected = format!("task `x`: the values of metric differ by {told}, allowed are");
        assert_refused(read(table.as_bytes()), &expected);
    }
    for value in ["0", "1e-310", "1e-100"] {
        let table = format!("hp_a,metric,task\n1,{value},x\n2,{value},x\n1,{value},y\n2,7,y\n");
        read(table.as_bytes()).unwrap();
    }
}

#[test]
fn texts_from_elsewhere_are_read_or_refused_in_short() {
    // As a spreadsheet on Windows writes it.
    let table = read(b"\xef\xbb\xbfhp_a,metric,task\r\n1,2,x\r\n3,4,x\r\n").unwrap();
    assert_eq!(table.tasks[0].objective, [2.0, 4.0]);
    assert_eq!(table.tasks[0].name, "x");
    // Zero bytes are part of a name, and no number.
    assert_refused(
        read(b"hp_a,metric,task\n1\0,2,x\n"),
        "line 2, column `hp_a`: `1\\x00` is not a finite number",
    );
    let long = "9".repeat(100_000) + "x";
    let wrong = format!("hp_a,metric,task\n{long},2,x\n");
    assert_refused(read(wrong.as_bytes()), "is not a finite number");
    let twice = format!("hp_a,hp_a,metric,task\n{long},2,x\n");
    assert_refused(read(twice.as_bytes()), "`hp_a` is there twice");
    let many: Vec<_> = (0..900).map(|n| format!("metric_{n:0150}")).collect();
    let header = format!("hp_a,task,{}\n", many.join(","));
    assert_refused(read(header.as_bytes()), " more");
    // UTF-16, as another spreadsheet writes it.
    let wide: Vec<u8> = "\u{feff}hp_a,metric,task\n1,2,x\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_refused(read(&wide), "it is text in UTF-16");
}
