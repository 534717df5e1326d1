//! The configurations of a table as its file has them, to find the row that a recorded evaluation is of.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io::Cursor;

use csv::{ByteRecord, StringRecord};
use loto_engine::table::container;
use loto_proto::limits::MAX_UNPACKED_BYTES;

use super::error::TracesProblem;

/// A task and a configuration, hashed with two random keys: 128 bits, so that chance makes no two alike.
type ConfigurationHash = [u64; 2];

/// Rows within their tasks by task and configuration.
#[derive(Debug, Default)]
pub(super) struct Configurations {
    keys: [RandomState; 2],
    rows: HashMap<ConfigurationHash, u32>,
}

impl Configurations {
    /// Reads the configurations of a table file, which is known to be sound.
    ///
    /// # Errors
    /// [`TracesProblem::Container`], [`TracesProblem::Csv`] if it is not.
    pub(super) fn read(file: &[u8]) -> Result<Self, TracesProblem> {
        let mut configurations = Self::default();
        container::with_csv(Cursor::new(file), MAX_UNPACKED_BYTES, |text| {
            let mut lines = csv::Reader::from_reader(text);
            let header = lines.byte_headers()?.clone();
            let is_hyperparameter =
                |position: &usize| header[*position].trim_ascii().starts_with(b"hp_");
            let columns: Vec<usize> = (0..header.len()).filter(is_hyperparameter).collect();
            let task = header.iter().position(|name| name.trim_ascii() == b"task");
            let mut rows: HashMap<Vec<u8>, u32> = HashMap::new();
            let mut record = ByteRecord::new();
            while lines.read_byte_record(&mut record)? {
                let name = task.and_then(|task| record.get(task)).unwrap_or_default();
                let row = rows.entry(name.to_vec()).or_default();
                let fields = columns.iter().map(|&column| &record[column]);
                let hash = configurations.hash(name, fields);
                // Repeated measurements of a configuration are one row.
                configurations.rows.entry(hash).or_insert_with(|| {
                    let first = *row;
                    *row += 1;
                    first
                });
            }
            Ok(configurations)
        })
    }

    /// The row of a configuration within its task.
    pub(super) fn row(&self, task: &str, record: &StringRecord, columns: &[usize]) -> Option<u32> {
        let fields = columns
            .iter()
            .map(|&column| record.get(column).unwrap_or_default());
        let hash = self.hash(task.as_bytes(), fields.map(str::as_bytes));
        self.rows.get(&hash).copied()
    }

    fn hash<'a>(&self, task: &[u8], fields: impl Iterator<Item = &'a [u8]>) -> ConfigurationHash {
        let values: Vec<Value<'_>> = fields.map(Value::of).collect();
        self.keys
            .each_ref()
            .map(|key| key.hash_one((task, &values)))
    }
}

/// A value: the same number is the same value, however it is written.
#[derive(Hash)]
enum Value<'a> {
    Number(u64),
    Text(&'a [u8]),
}

impl<'a> Value<'a> {
    fn of(field: &'a [u8]) -> Self {
        let field = field.trim_ascii();
        let text = std::str::from_utf8(field).ok();
        match text.and_then(|text| text.parse::<f64>().ok()) {
            // Adding zero makes -0 and 0 the same value.
            Some(number) => Self::Number((number + 0.0).to_bits()),
            None => Self::Text(field),
        }
    }
}
