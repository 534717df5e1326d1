//! What a program is handed: values of the sources only, and nothing that tells which rows of the target are good.

use std::fs;
use std::path::{Path, PathBuf};

use loto_tests::programs;
use loto_tests::small_sweep::Folder;

/// Writes down what it is told, and keeps the folders.
const SCRIPT: &str = r#"
job=0
while read -r line; do
    echo "$line" >> "$1/conversation"
    case $line in
    *'"type":"hello"'*) echo '{"type":"ready","protocol":1}' ;;
    *'"type":"table"'*) folder=${line#*\"folder\":\"}; folder=${folder%%\"*} ;;
    *'"type":"start"'*)
        job=$((job + 1))
        cp -r "$folder" "$1/$job"
        find "$folder" -name '*configurations.npy' -printf '%i\n' | sort -u >> "$1/different"
        echo '{"type":"started"}' ;;
    *'"type":"next"'*)
        i=${line#*\"iteration\":}; i=${i%%,*}
        echo "{\"type\":\"row\",\"iteration\":$i,\"row\":$((i - 1))}" ;;
    *'"type":"end"'*) echo '{"type":"ended"}' ;;
    esac
done
"#;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// The numbers of a file in the format of NumPy.
fn numbers(path: &Path) -> Vec<f64> {
    let bytes = fs::read(path).unwrap();
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let numbers = bytes[header..].chunks_exact(8);
    numbers
        .map(|number| f64::from_le_bytes(number.try_into().unwrap()))
        .collect()
}

#[test]
fn a_program_is_told_no_value_of_the_target_but_those_it_asked_for() {
    let seen = tempfile::tempdir().unwrap();
    // Sorted by the objective: the order of the file tells which rows are good. No two values are the same.
    let mut table = String::from("hp_a,metric_error,task\n");
    for (task, offset) in [("one", 0.125), ("two", 100.125), ("three", 200.125)] {
        for row in 0..8_u32 {
            let a = (row * 3) % 8;
            table += &format!("{a},{},{task}\n", offset + f64::from(row));
        }
    }
    let sweep = format!(
        "name = \"handover\"\nmethods = [\"mine\"]\nseeds = 1\niterations = 2\n\
         [[blackbox]]\nname = \"B\"\ntable = \"table.csv\"\nobjective = \"metric_error\"\n\
         [external.mine]\ncommand = [\"sh\", \"mine.sh\", {:?}]\nfiles = [\"mine.sh\"]\n",
        seen.path()
    );
    let folder = Folder::with_sweep(&sweep);
    folder.write("table.csv", &table);
    folder.write("mine.sh", SCRIPT);
    let mut run = programs::command("loto");
    run.args(["run", "--jobs", "1", "--out"]);
    let output = run.arg(folder.path("out")).arg(folder.sweep()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");

    let conversation = fs::read_to_string(seen.path().join("conversation")).unwrap();
    let hellos = conversation.matches("\"type\":\"hello\"").count();
    assert_eq!(hellos, 1, "one start per worker slot");
    let messages: Vec<serde_json::Value> = conversation
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let tables: Vec<_> = messages.iter().filter(|it| it["type"] == "table").collect();
    assert_eq!(tables.len(), 3);
    for (job, message) in (1..).zip(&tables) {
        let target = message["target"]["task"].as_str().unwrap();
        let own = match target {
            "one" => 0.0..100.0,
            "two" => 100.0..200.0,
            _ => 200.0..300.0,
        };
        let shown = seen.path().join(job.to_string());
        let files = files(&shown);
        // One file of configurations, which all tasks share, and the values of each source.
        assert_eq!(files.len(), 3, "{files:?}");
        let told_values = message["sources"].as_array().unwrap().iter();
        let told_values: Vec<_> = told_values.map(|it| it["values"].as_str()).collect();
        assert_eq!(told_values.len(), 2);
        for file in told_values {
            let file = shown.join(file.unwrap());
            let values = numbers(&file);
            assert_eq!(values.len(), 8);
            assert!(values.iter().all(|value| !own.contains(value)), "{file:?}");
        }
        // In the order of the configurations, which are the coordinates 0/7 to 7/7.
        let configurations = message["target"]["configurations"].as_str().unwrap();
        assert!(message["target"]["values"].is_null());
        let coordinates = numbers(&shown.join(configurations));
        let expected = (0..8).map(|row| f64::from(row) / 7.0);
        assert!(coordinates.into_iter().eq(expected));
    }
    // All tasks have the same configurations, which are written once.
    let different = fs::read_to_string(seen.path().join("different")).unwrap();
    let different: Vec<&str> = different.lines().collect();
    assert_eq!(different.len(), tables.len());
    assert!(
        different.iter().all(|file| *file == different[0]),
        "{different:?}"
    );
    // Beside files, only values that were evaluated are told: two per job.
    let told = messages.iter().filter(|it| it["told"].is_object());
    assert_eq!(told.count(), 2 * 3);
    // The row with hp_a = 0 is the first one of the file, and the first that the program knows.
    let first = messages.iter().find(|it| it["told"].is_object()).unwrap();
    assert_eq!(first["told"]["row"], 0);
    assert_eq!(first["told"]["value"].as_f64().unwrap().fract(), 0.125);
}
