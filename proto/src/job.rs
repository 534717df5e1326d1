//! One unit of work: a method, on a target task, with a seed.

use std::collections::BTreeMap;

use prost::Message;

use crate::identity::{
    ContentHasher, Fingerprint, InvalidIdentifier, JobId, ProgramId, SeriesId, StoreId,
};
use crate::limits::{MAX_ITERATIONS, MAX_MESSAGE_BYTES, MAX_PARAMETERS};
use crate::message_error::{MessageError, MessageKind, MessageProblem, check_count, check_name};
use crate::wire;

/// A method as a sweep runs it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodSpec {
    /// Name in the sweep file, if it is not the id; no part of any identity and not told to workers.
    pub name: Option<String>,
    /// Method id, for example `gcp-prior`.
    pub id: String,
    /// Version of the method's code: raised whenever its traces change.
    pub version: u32,
    /// Parameters that differ from the method's defaults, as canonical text.
    pub parameters: BTreeMap<String, String>,
    /// The program of an external method; no part of any identity, since the id covers what its traces depend on.
    pub program: Option<ProgramId>,
}

impl MethodSpec {
    /// What users call the method: its name, or else its id.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }
}

/// Every trace of one method on one task: a job without its seed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Series {
    /// The method and its parameters.
    pub method: MethodSpec,
    /// The table that holds the target and source tasks.
    pub table: Fingerprint,
    /// Target task, as named in the table.
    pub task: String,
    /// Number of evaluations in a trace.
    pub iterations: u32,
}

impl Series {
    /// The name under which the store keeps the traces of this series.
    pub fn id(&self) -> SeriesId {
        let mut hasher = ContentHasher::new("loto series 1");
        hasher
            .field(self.method.id.as_bytes())
            .number(self.method.version.into())
            .number(self.method.parameters.len() as u64);
        for (name, value) in &self.method.parameters {
            hasher.field(name.as_bytes()).field(value.as_bytes());
        }
        hasher
            .field(&self.table.0)
            .field(self.task.as_bytes())
            .number(self.iterations.into());
        SeriesId(hasher.finish_identifier())
    }
}

/// A job: compute one trace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Job {
    /// What to run.
    pub series: Series,
    /// Seed of the trace's random streams, counted from 0.
    pub seed: u32,
}

impl Job {
    /// The job's name: a hash of its series and seed.
    pub fn id(&self) -> JobId {
        JobId::new(self.series.id(), self.seed)
    }

    /// The job as a queue message that names no store.
    pub fn encode(&self) -> Vec<u8> {
        self.encode_for(None)
    }

    /// The job as a queue message for the workers of a store.
    pub fn encode_for(&self, store: Option<StoreId>) -> Vec<u8> {
        wire::Job {
            series: Some(wire::Series {
                method: self.series.method.id.clone(),
                method_version: self.series.method.version,
                parameters: self.series.method.parameters.clone(),
                table: self.series.table.to_string(),
                task: self.series.task.clone(),
                iterations: self.series.iterations,
                program: program_text(self.series.method.program),
            }),
            seed: self.seed,
            store: store.map(|id| id.to_string()).unwrap_or_default(),
        }
        .encode_to_vec()
    }

    /// Reads a queue message.
    ///
    /// # Errors
    /// [`MessageError`] if the bytes are not a job, naming the field.
    pub fn decode(bytes: &[u8]) -> Result<Self, MessageError> {
        Ok(Self::decode_addressed(bytes)?.0)
    }

    /// Reads a queue message, with the store whose workers it is for, if it names one.
    ///
    /// # Errors
    /// As [`Self::decode`].
    pub fn decode_addressed(bytes: &[u8]) -> Result<(Self, Option<StoreId>), MessageError> {
        Self::read(bytes).map_err(|problem| MessageKind::Job.refuses(problem))
    }

    fn read(bytes: &[u8]) -> Result<(Self, Option<StoreId>), MessageProblem> {
        check_count("bytes", bytes.len() as u64, MAX_MESSAGE_BYTES as u64)?;
        let job = wire::Job::decode(bytes)?;
        let series = job.series.ok_or(MessageProblem::Missing("series"))?;
        let parameters = series.parameters.len() as u64;
        check_count("parameters", parameters, MAX_PARAMETERS as u64)?;
        check_name("method", &series.method)?;
        check_name("task", &series.task)?;
        for (name, value) in &series.parameters {
            check_name("parameter", name)?;
            check_name("value", value)?;
        }
        let iterations = series.iterations;
        if iterations == 0 {
            return Err(MessageProblem::Missing("iterations"));
        }
        check_count("iterations", iterations.into(), MAX_ITERATIONS.into())?;
        let store = match job.store.as_str() {
            "" => None,
            id => Some(id.parse()?),
        };
        let job = Self {
            series: Series {
                method: MethodSpec {
                    name: None,
                    id: series.method,
                    version: series.method_version,
                    parameters: series.parameters,
                    program: program_of_text(&series.program)?,
                },
                table: series.table.parse()?,
                task: series.task,
                iterations,
            },
            seed: job.seed,
        };
        Ok((job, store))
    }
}

/// A program as a field of a message: empty for a method that is no program.
pub(crate) fn program_text(program: Option<ProgramId>) -> String {
    program.map(|id| id.to_string()).unwrap_or_default()
}

pub(crate) fn program_of_text(text: &str) -> Result<Option<ProgramId>, InvalidIdentifier> {
    match text {
        "" => Ok(None),
        id => id.parse().map(Some),
    }
}

impl JobId {
    /// The id of the job with this series and seed.
    pub fn new(series: SeriesId, seed: u32) -> Self {
        let mut hasher = ContentHasher::new("loto job 1");
        hasher.field(&series.0).number(seed.into());
        Self(hasher.finish_identifier())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        Job {
            series: Series {
                method: MethodSpec {
                    name: None,
                    id: "gp".into(),
                    version: 1,
                    parameters: BTreeMap::from([("hyperprior".into(), "none".into())]),
                    program: None,
                },
                table: Fingerprint([7; 16]),
                task: "a6a".into(),
                iterations: 100,
            },
            seed: 3,
        }
    }

    #[test]
    fn a_job_survives_the_queue() {
        assert_eq!(Job::decode(&job().encode()).unwrap(), job());
        let store = Some(StoreId([0xa5; 16]));
        let addressed = job().encode_for(store);
        assert_eq!(Job::decode_addressed(&addressed).unwrap(), (job(), store));
        assert_eq!(
            Job::decode_addressed(&job().encode()).unwrap(),
            (job(), None)
        );
        // A worker of a former release reads the job all the same.
        assert_eq!(Job::decode(&addressed).unwrap(), job());
    }

    #[test]
    fn a_message_without_a_store_is_the_one_of_former_releases() {
        let addressed = job().encode_for(Some(StoreId([0; 16])));
        assert!(addressed.starts_with(&job().encode()));
        assert_eq!(addressed.len(), job().encode().len() + 2 + 32);
        let mut garbled = job().encode();
        garbled.extend([26, 1, b'x']);
        let error = Job::decode(&garbled).unwrap_err().to_string();
        assert!(error.contains("store id"), "{error}");
    }

    #[test]
    fn every_field_changes_the_id() {
        let changes: [fn(&mut Job); 7] = [
            |job| job.seed += 1,
            |job| job.series.iterations += 1,
            |job| job.series.task.push('x'),
            |job| job.series.table.0[0] = 0,
            |job| job.series.method.id.push('x'),
            |job| job.series.method.version += 1,
            |job| job.series.method.parameters.clear(),
        ];
        for change in changes {
            let mut changed = job();
            change(&mut changed);
            assert_ne!(changed.id(), job().id());
        }
    }

    #[test]
    fn a_name_of_the_sweep_file_changes_no_id() {
        let mut named = job();
        named.series.method.name = Some("gp-ml".into());
        assert_eq!(named.id(), job().id());
        assert_eq!(named.series.method.label(), "gp-ml");
        assert_eq!(Job::decode(&named.encode()).unwrap(), job());
    }

    #[test]
    fn the_program_of_an_external_method_travels_and_changes_no_id() {
        let mut external = job();
        external.series.method.program = Some(ProgramId([9; 16]));
        assert_eq!(external.id(), job().id());
        assert_eq!(Job::decode(&external.encode()).unwrap(), external);
        assert_eq!(external.encode().len(), job().encode().len() + 2 + 32);
    }

    #[test]
    fn garbage_is_refused_with_its_field() {
        assert!(Job::decode(b"not a job").is_err());
        let mut endless = job();
        endless.series.iterations = u32::MAX;
        let error = Job::decode(&endless.encode()).unwrap_err().to_string();
        assert!(error.contains("iterations"), "{error}");
        let mut fiddly = job();
        let parameters = 0..=MAX_PARAMETERS;
        fiddly.series.method.parameters = parameters
            .map(|number| (number.to_string(), "x".into()))
            .collect();
        let error = Job::decode(&fiddly.encode()).unwrap_err().to_string();
        assert!(error.contains("101 parameters"), "{error}");
        let error = Job::decode(&[0; MAX_MESSAGE_BYTES + 1]).unwrap_err();
        assert!(error.to_string().contains("65537 bytes"), "{error}");
        let mut nameless = job();
        nameless.series.task.clear();
        let error = Job::decode(&nameless.encode()).unwrap_err().to_string();
        assert!(error.contains("task"), "{error}");
    }
}
