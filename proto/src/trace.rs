//! The outcome of a job.

use std::time::Duration;

use prost::Message;

use crate::identity::SeriesId;
use crate::limits::{MAX_ITERATIONS, MAX_PROGRAM_VERSIONS_BYTES, MAX_TRACE_BYTES};
use crate::message_error::{MessageError, MessageKind, MessageProblem, check_count};
use crate::packing::{pack_rows, pack_times, unpack_rows, unpack_times};
use crate::seal::{Key, check_message, seal_message};
use crate::wire;

/// The rows a method chose, in order, with their objective values.
///
/// `rows` and `values` are a pure function of the job. The other fields tell
/// how and where they were computed and may differ from run to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Rows evaluated, in order: positions among the target task's rows in the table, from 0.
    pub rows: Vec<u32>,
    /// Objective values of those rows: the means where measurements are repeated, whichever the method was shown.
    pub values: Vec<f64>,
    /// CPU time spent on choosing each row, in microseconds.
    pub microseconds: Vec<u32>,
    /// CPU time spent before the first choice (a prior's fit, say), in microseconds.
    pub preparation_microseconds: u64,
    /// Linear algebra that computed the trace: library, version, core type, threads.
    pub linear_algebra: String,
    /// What is known of the program of an external method; of another method, nothing.
    pub program: ProgramRecord,
}

/// What a trace tells of the program that proposed its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramRecord {
    /// How many of its proposals were moved: to the nearest row, because the table lacks the configuration or the row
    /// was evaluated already.
    pub moved: u32,
    /// What it said that it runs on, for example "numpy 1.26.4, python 3.11.7"; empty if it did not say.
    pub versions: String,
}

impl Trace {
    /// First iteration (from 1) whose row or value differs from `other`, if any.
    pub fn first_difference(&self, other: &Self) -> Option<usize> {
        let length = self.rows.len().max(other.rows.len());
        (0..length).find_map(|index| {
            let outcome = |trace: &Self| {
                let row = trace.rows.get(index).copied();
                (row, trace.values.get(index).map(|value| value.to_bits()))
            };
            (outcome(self) != outcome(other)).then_some(index + 1)
        })
    }

    /// CPU time of the whole trace: the preparation and every choice.
    pub fn cpu_time(&self) -> Duration {
        let choices: u64 = self.microseconds.iter().copied().map(u64::from).sum();
        Duration::from_micros(self.preparation_microseconds.saturating_add(choices))
    }

    /// The least value up to each iteration.
    pub fn best_so_far(&self) -> Vec<f64> {
        self.values
            .iter()
            .scan(f64::INFINITY, |best, &value| {
                *best = best.min(value);
                Some(*best)
            })
            .collect()
    }

    /// The trace as stored bytes. Times above 2 ms keep their first three digits.
    pub fn encode(&self) -> Vec<u8> {
        let (rows, packed_rows) = match pack_rows(&self.rows) {
            Some(packed) => (Vec::new(), packed),
            None => (self.rows.clone(), Vec::new()),
        };
        wire::StoredTrace {
            rows,
            values: self.values.clone(),
            microseconds: Vec::new(),
            preparation_microseconds: self.preparation_microseconds,
            linear_algebra: self.linear_algebra.clone(),
            packed_rows,
            packed_microseconds: pack_times(&self.microseconds),
            moved_proposals: self.program.moved,
            program_versions: self.program.versions.clone(),
        }
        .encode_to_vec()
    }

    /// Reads stored bytes.
    ///
    /// # Errors
    /// [`MessageError`] if the bytes are not a whole trace: lists of
    /// unequal length, no iteration at all, a value that is not finite.
    pub fn decode(bytes: &[u8]) -> Result<Self, MessageError> {
        Self::read(bytes).map_err(|problem| MessageKind::Trace.refuses(problem))
    }

    /// The trace as a store keeps it: the bytes of [`Self::encode`] with a checksum.
    pub fn encode_for(&self, series: SeriesId, seed: u32) -> Vec<u8> {
        seal_message(Key::Trace(series, seed), &self.encode())
    }

    /// Reads the trace of that job from a store.
    ///
    /// # Errors
    /// As [`Self::decode`]; also if the bytes have a checksum that is not theirs, or is of another job.
    pub fn decode_for(series: SeriesId, seed: u32, bytes: &[u8]) -> Result<Self, MessageError> {
        check_message(Key::Trace(series, seed), bytes)
            .and_then(|()| Self::read(bytes))
            .map_err(|problem| MessageKind::Trace.refuses(problem))
    }

    fn read(bytes: &[u8]) -> Result<Self, MessageProblem> {
        check_count("bytes", bytes.len() as u64, MAX_TRACE_BYTES as u64)?;
        let mut trace = wire::StoredTrace::decode(bytes)?;
        if !trace.packed_rows.is_empty() {
            let rows = unpack_rows(&trace.packed_rows).filter(|_| trace.rows.is_empty());
            trace.rows = rows.ok_or(MessageProblem::DamagedList("rows"))?;
        }
        if !trace.packed_microseconds.is_empty() {
            let times = unpack_times(&trace.packed_microseconds);
            let times = times.filter(|_| trace.microseconds.is_empty());
            trace.microseconds = times.ok_or(MessageProblem::DamagedList("times"))?;
        }
        let (rows, values) = (trace.rows.len(), trace.values.len());
        let times = trace.microseconds.len();
        if rows != values || rows != times {
            return Err(MessageProblem::UnequalLists {
                rows,
                values,
                times,
            });
        }
        if rows == 0 {
            return Err(MessageProblem::Missing("iterations"));
        }
        check_count("iterations", rows as u64, MAX_ITERATIONS.into())?;
        let mut values = trace.values.iter().zip(1..);
        if let Some((&value, iteration)) = values.find(|(value, _)| !value.is_finite()) {
            return Err(MessageProblem::NotFinite { iteration, value });
        }
        let moved = trace.moved_proposals;
        check_count("moved proposals", moved.into(), rows as u64)?;
        let length = trace.program_versions.len() as u64;
        let what = "bytes in the versions of a program";
        check_count(what, length, MAX_PROGRAM_VERSIONS_BYTES as u64)?;
        Ok(Self {
            rows: trace.rows,
            values: trace.values,
            microseconds: trace.microseconds,
            preparation_microseconds: trace.preparation_microseconds,
            linear_algebra: trace.linear_algebra,
            program: ProgramRecord {
                moved,
                versions: trace.program_versions,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace() -> Trace {
        Trace {
            rows: vec![4, 1, 9],
            values: vec![0.5, 0.75, 0.25],
            microseconds: vec![1, 2, 3],
            preparation_microseconds: 4,
            linear_algebra: "OpenBLAS".into(),
            program: ProgramRecord::default(),
        }
    }

    #[test]
    fn what_is_known_of_a_program_survives_and_costs_other_traces_nothing() {
        let mut known = trace();
        known.program = ProgramRecord {
            moved: 2,
            versions: "numpy 1.26.4, python 3.11.7".into(),
        };
        assert_eq!(Trace::decode(&known.encode()).unwrap(), known);
        assert_eq!(known.first_difference(&trace()), None);
        // Two keys, a number, a length and the text: without a program none of them is there.
        let added = known.encode().len() - trace().encode().len();
        assert_eq!(added, 2 + 2 + known.program.versions.len());
        known.program.moved = 4;
        let error = Trace::decode(&known.encode()).unwrap_err().to_string();
        assert!(error.contains("4 moved proposals"), "{error}");
        known.program.versions = "x".repeat(MAX_PROGRAM_VERSIONS_BYTES + 1);
        known.program.moved = 0;
        assert!(Trace::decode(&known.encode()).is_err());
    }

    #[test]
    fn a_trace_survives_the_store() {
        assert_eq!(Trace::decode(&trace().encode()).unwrap(), trace());
    }

    #[test]
    fn large_rows_and_traces_of_earlier_versions_survive_too() {
        let mut large = trace();
        large.rows[1] = 65_536;
        assert_eq!(Trace::decode(&large.encode()).unwrap(), large);

        let earlier = wire::StoredTrace {
            rows: vec![4, 1, 9],
            values: vec![0.5, 0.75, 0.25],
            microseconds: vec![1, 2, 3],
            preparation_microseconds: 4,
            linear_algebra: "OpenBLAS".into(),
            ..Default::default()
        };
        assert_eq!(Trace::decode(&earlier.encode_to_vec()).unwrap(), trace());

        for damage in [vec![1], vec![1, 0]] {
            let rows = wire::StoredTrace {
                packed_rows: damage.clone(),
                ..earlier.clone()
            };
            let error = Trace::decode(&rows.encode_to_vec()).unwrap_err();
            assert!(error.to_string().contains("packed rows"), "{error}");
            let times = wire::StoredTrace {
                packed_microseconds: damage,
                ..earlier.clone()
            };
            let error = Trace::decode(&times.encode_to_vec()).unwrap_err();
            assert!(error.to_string().contains("packed times"), "{error}");
        }
    }

    #[test]
    fn a_hundred_iterations_fit_into_the_allocation_of_1280_bytes() {
        let trace = Trace {
            rows: (0..100).map(|row| 62_000 + row).collect(),
            values: (0..100).map(|row| 1.0 / f64::from(row + 3)).collect(),
            microseconds: vec![123_456; 100],
            preparation_microseconds: u64::from(u32::MAX),
            linear_algebra: "OpenBLAS 0.3.21, core Haswell, 1 thread".into(),
            program: ProgramRecord::default(),
        };
        // Redis's header of a string needs some bytes too.
        let bytes = trace.encode_for(SeriesId([1; 16]), 1).len();
        assert!(bytes <= 1270, "{bytes}");
    }

    #[test]
    fn a_trace_is_bound_to_its_job() {
        let series = SeriesId([1; 16]);
        let bytes = trace().encode_for(series, 3);
        assert_eq!(Trace::decode_for(series, 3, &bytes).unwrap(), trace());
        // Those who do not know the checksum read the trace, too.
        assert_eq!(Trace::decode(&bytes).unwrap(), trace());
        let earlier = trace().encode();
        assert_eq!(Trace::decode_for(series, 3, &earlier).unwrap(), trace());
        for (series, seed) in [(series, 4), (SeriesId([2; 16]), 3)] {
            let error = Trace::decode_for(series, seed, &bytes).unwrap_err();
            assert!(error.to_string().contains("in the place of"), "{error}");
        }
    }

    #[test]
    fn no_bit_of_a_trace_can_change_unnoticed() {
        let series = SeriesId([1; 16]);
        let bytes = trace().encode_for(series, 3);
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let read = Trace::decode_for(series, 3, &flipped);
            assert!(read.is_err() || read.unwrap() == trace(), "bit {bit}");
        }
    }

    #[test]
    fn no_part_of_a_trace_passes_for_one_without_a_checksum() {
        let series = SeriesId([1; 16]);
        let bytes = trace().encode_for(series, 3);
        for length in 0..bytes.len() {
            let read = Trace::decode_for(series, 3, &bytes[..length]);
            assert!(read.is_err(), "{length} bytes");
        }
    }

    #[test]
    fn differences_are_found_in_rows_values_and_length_but_not_in_times() {
        let mut slower = trace();
        slower.microseconds[1] = 99;
        assert_eq!(trace().first_difference(&slower), None);
        let mut other_value = trace();
        other_value.values[2] = 0.26;
        assert_eq!(trace().first_difference(&other_value), Some(3));
        let mut shorter = trace();
        shorter.rows.pop();
        assert_eq!(trace().first_difference(&shorter), Some(3));
    }

    #[test]
    fn damaged_traces_are_refused() {
        let mut short = trace();
        short.values.pop();
        assert!(Trace::decode(&short.encode()).is_err());
        let mut infinite = trace();
        infinite.values[0] = f64::NAN;
        let error = Trace::decode(&infinite.encode()).unwrap_err().to_string();
        assert!(error.contains("iteration 1"), "{error}");
        assert!(Trace::decode(&[]).is_err());
        let error = Trace::decode(&[0; MAX_TRACE_BYTES + 1]).unwrap_err();
        assert!(error.to_string().contains("2097153 bytes"), "{error}");
        let length = MAX_ITERATIONS as usize + 1;
        let endless = Trace {
            rows: vec![0; length],
            values: vec![0.0; length],
            microseconds: vec![0; length],
            ..trace()
        };
        let error = Trace::decode(&endless.encode()).unwrap_err();
        assert!(error.to_string().contains("100001 iterations"), "{error}");
        let mut bytes = trace().encode();
        bytes.truncate(bytes.len() / 2);
        assert!(Trace::decode(&bytes).is_err());
    }

    #[test]
    fn the_time_is_that_of_preparation_and_choices() {
        assert_eq!(trace().cpu_time(), Duration::from_micros(4 + 1 + 2 + 3));
    }

    #[test]
    fn best_so_far_is_the_running_minimum() {
        assert_eq!(trace().best_so_far(), [0.5, 0.5, 0.25]);
    }
}
