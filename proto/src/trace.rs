//! The outcome of a job.

use std::iter;
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
    /// With several objectives, the values of the first one.
    pub values: Vec<f64>,
    /// Values of the other objectives, evaluation by evaluation: for each as many as there are further objectives, in
    /// the order of their declaration. Empty if there is one objective.
    pub further_values: Vec<f64>,
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
    /// Number of objectives: values per evaluation.
    pub fn objectives(&self) -> usize {
        1 + self.further_values.len() / self.values.len().max(1)
    }

    /// The values of the evaluation at `index` (from 0) of all objectives, in the order of their declaration.
    ///
    /// # Panics
    /// If there is no such evaluation.
    pub fn objectives_of(&self, index: usize) -> impl Iterator<Item = f64> + '_ {
        iter::once(self.values[index]).chain(self.further_of(index).iter().copied())
    }

    /// The values of the evaluation at `index` (from 0) of all objectives but the first; none past the end.
    fn further_of(&self, index: usize) -> &[f64] {
        let further = self.objectives() - 1;
        let place = index * further..(index + 1) * further;
        self.further_values.get(place).unwrap_or_default()
    }

    /// First iteration (from 1) whose row or value of an objective differs from `other`, if any.
    pub fn first_difference(&self, other: &Self) -> Option<usize> {
        let length = self.rows.len().max(other.rows.len());
        (0..length).find_map(|index| {
            let outcome = |trace: &Self| {
                let row = trace.rows.get(index).copied();
                let value = trace.values.get(index).map(|value| value.to_bits());
                let further = trace.further_of(index).iter().map(|value| value.to_bits());
                (row, value, further.collect::<Vec<u64>>())
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
            further_values: self.further_values.clone(),
        }
        .encode_to_vec()
    }

    /// Reads stored bytes.
    ///
    /// # Errors
    /// [`MessageError`] if the bytes are not a whole trace: lists of
    /// unequal length, no iteration at all, a value that is not finite, further
    /// values that are not the same number for each iteration.
    pub fn decode(bytes: &[u8]) -> Result<Self, MessageError> {
        check_size(bytes)
            .and_then(|()| Self::read(bytes))
            .map_err(|problem| MessageKind::Trace.refuses(problem))
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
        check_size(bytes)
            .and_then(|()| check_message(Key::Trace(series, seed), bytes))
            .and_then(|()| Self::read(bytes))
            .map_err(|problem| MessageKind::Trace.refuses(problem))
    }

    fn read(bytes: &[u8]) -> Result<Self, MessageProblem> {
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
        let further = trace.further_values.len();
        if !further.is_multiple_of(rows) {
            return Err(MessageProblem::FurtherValues { rows, further });
        }
        let all = (rows + further) as u64;
        check_count("iterations times objectives", all, MAX_ITERATIONS.into())?;
        let per_row = further / rows;
        let iterations = (1..=rows).flat_map(|iteration| iter::repeat_n(iteration, per_row));
        let further = trace.further_values.iter().zip(iterations);
        let mut values = trace.values.iter().zip(1..).chain(further);
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
            further_values: trace.further_values,
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

/// Refuses what is too large to be a trace before any of it is read.
fn check_size(bytes: &[u8]) -> Result<(), MessageProblem> {
    check_count("bytes", bytes.len() as u64, MAX_TRACE_BYTES as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace() -> Trace {
        Trace {
            rows: vec![4, 1, 9],
            values: vec![0.5, 0.75, 0.25],
            further_values: Vec::new(),
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

    fn trace_of_three_objectives() -> Trace {
        Trace {
            further_values: vec![7.0, 70.0, 8.0, 80.0, 9.0, 90.0],
            ..trace()
        }
    }

    #[test]
    fn the_objectives_of_an_evaluation_are_those_that_were_declared() {
        let several = trace_of_three_objectives();
        assert_eq!(several.objectives(), 3);
        let second: Vec<f64> = several.objectives_of(1).collect();
        assert_eq!(second, [0.75, 8.0, 80.0]);
        assert_eq!(Trace::decode(&several.encode()).unwrap(), several);
        assert_eq!(trace().objectives(), 1);
        assert!(trace().objectives_of(2).eq([0.25]));
        let mut other = trace_of_three_objectives();
        other.further_values[3] = 81.0;
        assert_eq!(several.first_difference(&other), Some(2));
        assert_eq!(several.first_difference(&trace()), Some(1));
    }

    #[test]
    fn a_trace_with_one_objective_has_the_bytes_that_it_always_had() {
        // Written down by a release that knew one objective.
        let recorded = "1218000000000000e03f000000000000e83f000000000000d03f20042a084f70656e424c4153\
                        3206040001000900\
                        3a06010002000300";
        let bytes: String = (trace().encode().iter())
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(bytes, recorded);
        let further = trace_of_three_objectives().encode();
        assert_eq!(further[..recorded.len() / 2], trace().encode());
        assert_eq!(further.len() - recorded.len() / 2, 2 + 6 * 8);
    }

    #[test]
    fn further_values_that_do_not_fit_the_rows_are_refused() {
        let refused = |change: fn(&mut Trace)| {
            let mut trace = trace_of_three_objectives();
            change(&mut trace);
            Trace::decode(&trace.encode()).unwrap_err().to_string()
        };
        let uneven = refused(|trace| trace.further_values.truncate(5));
        assert!(uneven.contains("3 rows and 5 values"), "{uneven}");
        let infinite = refused(|trace| trace.further_values[3] = f64::INFINITY);
        assert!(infinite.contains("iteration 2 has the value"), "{infinite}");
        let many =
            refused(|trace| trace.further_values = vec![0.0; MAX_ITERATIONS as usize / 3 * 3]);
        assert!(
            many.contains("100002 iterations times objectives"),
            "{many}"
        );
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
            further_values: Vec::new(),
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
        let large = vec![b'x'; MAX_TRACE_BYTES + 1];
        for read in [
            Trace::decode(&large),
            Trace::decode_for(SeriesId([1; 16]), 3, &large),
        ] {
            let error = read.unwrap_err().to_string();
            assert!(
                error.contains("2097153 bytes, allowed are 2097152"),
                "{error}"
            );
        }
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
