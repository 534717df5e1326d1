//! One unit of work: a method, on a target task, with a seed.

use std::collections::BTreeMap;

use prost::Message;

use crate::identity::{ContentHasher, Fingerprint, JobId, SeriesId};
use crate::limits::{MAX_ITERATIONS, MAX_MESSAGE_BYTES, MAX_PARAMETERS};
use crate::message_error::{MessageError, MessageKind, MessageProblem, check_count, check_name};
use crate::wire;

/// A method as a sweep runs it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodSpec {
    /// Method id, for example `gcp-prior`.
    pub id: String,
    /// Version of the method's code: raised whenever its traces change.
    pub version: u32,
    /// Parameters that differ from the method's defaults, as canonical text.
    pub parameters: BTreeMap<String, String>,
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

    /// The job as a queue message.
    pub fn encode(&self) -> Vec<u8> {
        wire::Job {
            series: Some(wire::Series {
                method: self.series.method.id.clone(),
                method_version: self.series.method.version,
                parameters: self.series.method.parameters.clone(),
                table: self.series.table.to_string(),
                task: self.series.task.clone(),
                iterations: self.series.iterations,
            }),
            seed: self.seed,
        }
        .encode_to_vec()
    }

    /// Reads a queue message.
    ///
    /// # Errors
    /// [`MessageError`] if the bytes are not a job, naming the field.
    pub fn decode(bytes: &[u8]) -> Result<Self, MessageError> {
        Self::read(bytes).map_err(|problem| MessageKind::Job.refuses(problem))
    }

    fn read(bytes: &[u8]) -> Result<Self, MessageProblem> {
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
        Ok(Self {
            series: Series {
                method: MethodSpec {
                    id: series.method,
                    version: series.method_version,
                    parameters: series.parameters,
                },
                table: series.table.parse()?,
                task: series.task,
                iterations,
            },
            seed: job.seed,
        })
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
                    id: "gp".into(),
                    version: 1,
                    parameters: BTreeMap::from([("hyperprior".into(), "none".into())]),
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
