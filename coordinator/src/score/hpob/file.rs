//! One file of results: the JSON object of search spaces, of data sets, of seeds, of values.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use loto_engine::table::container::{self, ContainerError};
use loto_proto::limits::MAX_HPOB_BYTES;

use super::error::{HpobError, PlaceInFile};
use crate::distinct_keys::Object;

/// The values of one method, best so far, by trace.
pub(super) type Traces = BTreeMap<PlaceInFile, Vec<f64>>;

/// Reads a file, plain, gzipped or zipped.
///
/// # Errors
/// [`HpobError`], which names the file and what is wrong in it.
pub(super) fn read(path: &Path) -> Result<Traces, HpobError> {
    let opened = File::open(path).map_err(|source| HpobError::UnreadableFile {
        path: path.to_owned(),
        source,
    })?;
    let mut text = Vec::new();
    let unpacked = container::with_content(BufReader::new(opened), MAX_HPOB_BYTES, |content| {
        let read = content.read_to_end(&mut text);
        read.map_err(ContainerError::Unreadable)
    });
    unpacked.map_err(|source| HpobError::Container {
        path: path.to_owned(),
        source,
    })?;
    parse(&text, path)
}

fn parse(text: &[u8], path: &Path) -> Result<Traces, HpobError> {
    let spaces: Object<Object<Object<Vec<f64>>>> =
        serde_json::from_slice(text).map_err(|source| HpobError::Json {
            path: path.to_owned(),
            source,
        })?;
    let mut traces = Traces::new();
    for (search_space, data_sets) in spaces.0 {
        for (data_set, seeds) in data_sets.0 {
            for (seed, values) in seeds.0 {
                let place = PlaceInFile {
                    search_space: search_space.clone(),
                    data_set: data_set.clone(),
                    seed,
                };
                check_values(&values, &place, path)?;
                traces.insert(place, values);
            }
        }
    }
    match traces.is_empty() {
        true => Err(HpobError::NoValues(path.to_owned())),
        false => Ok(traces),
    }
}

fn check_values(values: &[f64], place: &PlaceInFile, path: &Path) -> Result<(), HpobError> {
    let mut numbered = values.iter().enumerate();
    match numbered.find(|(_, value)| !(0.0..=1.0).contains(*value)) {
        None => Ok(()),
        Some((number, &value)) => Err(HpobError::Value {
            path: path.to_owned(),
            place: Box::new(place.clone()),
            number,
            value,
        }),
    }
}
