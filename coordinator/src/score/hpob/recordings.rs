//! The results of several methods, lined up: the same traces of each.

use std::path::{Path, PathBuf};

use loto_proto::limits::{MAX_NAME_BYTES, MAX_OPTIMIZERS, MAX_RECORDED_LINES};
use loto_proto::untrusted_text::check_name;
use loto_report::numbers::count;

use super::error::{HpobError, PlaceInFile};
use super::file::{self, Traces};

/// The results of several methods on the same traces.
#[derive(Debug)]
pub struct HpobRecordings {
    /// Names of the methods, which are those of their files, in the order in which they were given.
    pub methods: Vec<String>,
    /// The traces, ordered by search space, data set and seed.
    pub traces: Vec<PlaceInFile>,
    /// By method and trace, the best normalised values so far: before the first trial, and after each.
    pub values: Vec<Vec<Vec<f64>>>,
    /// Number of trials after which the methods are compared.
    pub trials: usize,
    /// What readers of the scores must know, one sentence each.
    pub notes: Vec<String>,
}

/// Reads files of results, one per method, and lines them up. Compared are the methods after `trials`, or
/// else after the trials of the first trace of the first file.
///
/// # Errors
/// [`HpobError`], which names the file, the trace and what is wrong with it.
pub fn read(paths: &[PathBuf], trials: Option<usize>) -> Result<HpobRecordings, HpobError> {
    if paths.len() > MAX_OPTIMIZERS {
        return Err(HpobError::TooManyMethods(paths.len()));
    }
    let mut recordings = HpobRecordings {
        methods: Vec::new(),
        traces: Vec::new(),
        values: Vec::new(),
        trials: trials.unwrap_or_default(),
        notes: Vec::new(),
    };
    let mut values = 0;
    for (position, path) in paths.iter().enumerate() {
        let name = method_name(path)?;
        if let Some(same) = recordings.methods.iter().position(|known| *known == name) {
            return Err(HpobError::SameMethod {
                first: paths[same].clone(),
                second: path.clone(),
            });
        }
        let traces = file::read(path)?;
        values += traces.values().map(Vec::len).sum::<usize>();
        if values > MAX_RECORDED_LINES {
            return Err(HpobError::TooManyValues(path.clone()));
        }
        if position == 0 {
            recordings.traces = traces.keys().cloned().collect();
            let recorded = traces.values().next().map_or(0, Vec::len);
            recordings.trials = trials.unwrap_or(recorded.saturating_sub(1));
        }
        recordings.add(path, &paths[0], name, traces)?;
    }
    Ok(recordings)
}

impl HpobRecordings {
    /// Adds the traces of a method; those of the first file are known.
    fn add(
        &mut self,
        path: &Path,
        first: &Path,
        method: String,
        mut traces: Traces,
    ) -> Result<(), HpobError> {
        let missing = |place: &PlaceInFile, path: &Path, other: &Path| HpobError::MissingTrace {
            path: path.to_owned(),
            place: Box::new(place.clone()),
            other: other.to_owned(),
        };
        let mut longer = 0;
        let mut falling = 0;
        let mut values = Vec::with_capacity(self.traces.len());
        for place in &self.traces {
            let mut of_trace = traces
                .remove(place)
                .ok_or_else(|| missing(place, path, first))?;
            if of_trace.len() <= self.trials {
                return Err(HpobError::ShortTrace {
                    path: path.to_owned(),
                    place: Box::new(place.clone()),
                    found: of_trace.len(),
                    trials: self.trials,
                });
            }
            longer += u64::from(of_trace.len() > self.trials + 1);
            of_trace.truncate(self.trials + 1);
            falling += u64::from(!of_trace.is_sorted());
            values.push(of_trace);
        }
        if let Some(place) = traces.keys().next() {
            return Err(missing(place, first, path));
        }
        if longer > 0 {
            self.notes.push(format!(
                "Longer traces were cut after {}: {} of {method}.",
                count(self.trials as u64, "trial"),
                count(longer, "trace")
            ));
        }
        if falling > 0 {
            self.notes.push(format!(
                "A value is below an earlier one, though values should be the best so far, in {} of \
                 {method}; they are scored as they were recorded.",
                count(falling, "trace")
            ));
        }
        self.methods.push(method);
        self.values.push(values);
        Ok(())
    }
}

/// The name of the method: that of its file without the extensions of what is read.
fn method_name(path: &Path) -> Result<String, HpobError> {
    let of_file = || HpobError::MethodName(path.to_owned());
    let name = path.file_name().and_then(|name| name.to_str());
    let whole = name.ok_or_else(of_file)?;
    let stem = ["gz", "zip", "json"].iter().fold(whole, |rest, extension| {
        let before = rest.strip_suffix(extension);
        before
            .and_then(|text| text.strip_suffix('.'))
            .unwrap_or(rest)
    });
    if stem.is_empty() || stem.len() > MAX_NAME_BYTES {
        return Err(of_file());
    }
    check_name(stem).map_err(|source| HpobError::Hazard {
        path: path.to_owned(),
        source,
    })?;
    Ok(stem.to_owned())
}
