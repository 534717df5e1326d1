//! A planned sweep: which jobs there are.

use prost::Message;

use crate::identity::{ContentHasher, Fingerprint, InvalidIdentifier, JobId, SweepId};
use crate::job::{Job, MethodSpec, Series, program_of_text, program_text};
use crate::limits::{
    MAX_BLACKBOXES, MAX_ITERATIONS, MAX_JOBS, MAX_METHODS, MAX_PARAMETERS, MAX_SEEDS, MAX_SERIES,
    MAX_SWEEP_BYTES, MAX_TASKS,
};
use crate::message_error::{MessageError, MessageKind, MessageProblem, check_count, check_name};
use crate::protocol::{ALL_TASKS, Protocol};
use crate::seal::{Key, SEAL_BYTES, check_message, seal_message};
use crate::wire;

/// A sweep as it is stored: all that is needed to list its jobs again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// Name from the sweep file; not part of the sweep's identity.
    pub name: String,
    /// The black boxes, in the order of the sweep file.
    pub blackboxes: Vec<Blackbox>,
    /// Seeds 0 to `seeds - 1` are run.
    pub seeds: u32,
}

/// One algorithm tuned on several tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blackbox {
    /// Name from the sweep file.
    pub name: String,
    /// The table that holds its tasks.
    pub table: Fingerprint,
    /// Name of the table's file, for people; not part of the sweep's identity. `None` in records of former releases.
    pub table_file: Option<String>,
    /// Target tasks, in the order of the table.
    pub targets: Vec<String>,
    /// Number of evaluations on a target.
    pub iterations: u32,
    /// Whether the targets are tuned each by itself or one after the other.
    pub protocol: Protocol,
    /// Column of the table with what one evaluation costs; not part of the sweep's identity, since no method sees it.
    pub cost: Option<String>,
    /// Methods, in the order of the sweep file.
    pub methods: Vec<MethodSpec>,
}

impl Blackbox {
    /// The series with the evaluations of one method on one target. A stream has one series for all targets.
    pub fn series(&self, method: &MethodSpec, target: &str) -> Series {
        let (task, iterations) = match self.protocol {
            Protocol::LeaveOneOut => (target, self.iterations),
            Protocol::Stream => {
                let targets = u32::try_from(self.targets.len()).unwrap_or(u32::MAX);
                (ALL_TASKS, self.iterations.saturating_mul(targets))
            }
        };
        Series {
            method: method.clone(),
            table: self.table,
            task: task.to_owned(),
            iterations,
        }
    }

    /// Every series of one method, once, in the order of the targets.
    pub fn series_of<'a>(&'a self, method: &'a MethodSpec) -> impl Iterator<Item = Series> + 'a {
        let targets = self.targets.iter().take(self.series_per_method());
        targets.map(move |target| self.series(method, target))
    }

    /// Number of series of one method.
    pub fn series_per_method(&self) -> usize {
        match self.protocol {
            Protocol::LeaveOneOut => self.targets.len(),
            Protocol::Stream => self.targets.len().min(1),
        }
    }

    fn check(&self) -> Result<(), MessageProblem> {
        check_count("methods", self.methods.len() as u64, MAX_METHODS as u64)?;
        check_count("targets", self.targets.len() as u64, MAX_TASKS as u64)?;
        check_count("iterations", self.iterations.into(), MAX_ITERATIONS.into())?;
        if self.protocol == Protocol::Stream {
            let evaluations = u64::from(self.iterations) * self.targets.len() as u64;
            check_count(
                "evaluations in a stream (iterations times tasks)",
                evaluations,
                MAX_ITERATIONS.into(),
            )?;
        }
        for target in &self.targets {
            check_name("the name of a target", target)?;
        }
        if let Some(name) = &self.table_file {
            check_name("the name of a table's file", name)?;
        }
        if let Some(column) = &self.cost {
            check_name("the name of the column of costs", column)?;
        }
        for method in &self.methods {
            check_name("the id of a method", &method.id)?;
            check_name("the name of a method", method.label())?;
            let parameters = method.parameters.len() as u64;
            check_count("parameters of a method", parameters, MAX_PARAMETERS as u64)?;
            for (name, value) in &method.parameters {
                check_name("the name of a parameter", name)?;
                check_name("the value of a parameter", value)?;
            }
        }
        Ok(())
    }
}

impl Sweep {
    /// Every series, method by method. [`Self::id`] depends on this order.
    pub fn series(&self) -> impl Iterator<Item = Series> + '_ {
        let most = self
            .blackboxes
            .iter()
            .map(|blackbox| blackbox.methods.len());
        (0..most.max().unwrap_or(0)).flat_map(move |position| {
            self.blackboxes.iter().flat_map(move |blackbox| {
                let method = blackbox.methods.get(position);
                let methods = method.into_iter();
                methods.flat_map(move |method| blackbox.series_of(method))
            })
        })
    }

    /// Every job, seed by seed.
    pub fn jobs(&self) -> impl Iterator<Item = Job> + '_ {
        (0..self.seeds).flat_map(move |seed| self.series().map(move |series| Job { series, seed }))
    }

    /// Number of series.
    pub fn series_count(&self) -> u64 {
        self.blackboxes
            .iter()
            .map(|blackbox| blackbox.methods.len() as u64 * blackbox.series_per_method() as u64)
            .sum()
    }

    /// Number of jobs.
    pub fn job_count(&self) -> u64 {
        self.series_count() * u64::from(self.seeds)
    }

    /// Checks the plan against the limits; a sweep that has not passed may be endless.
    ///
    /// # Errors
    /// [`MessageProblem`] that names the limit and what was found.
    pub fn check(&self) -> Result<(), MessageProblem> {
        let blackboxes = self.blackboxes.len() as u64;
        check_count("black boxes", blackboxes, MAX_BLACKBOXES as u64)?;
        check_count("seeds", self.seeds.into(), MAX_SEEDS.into())?;
        check_name("the name of the sweep", &self.name)?;
        for blackbox in &self.blackboxes {
            check_name("the name of a black box", &blackbox.name)?;
            blackbox
                .check()
                .map_err(|problem| MessageProblem::Blackbox {
                    name: blackbox.name.clone(),
                    problem: Box::new(problem),
                })?;
        }
        check_count(
            "series (method and target)",
            self.series_count(),
            MAX_SERIES,
        )?;
        check_count("jobs (series times seeds)", self.job_count(), MAX_JOBS)?;
        let bytes = (self.to_wire().encoded_len() + SEAL_BYTES) as u64;
        check_count("bytes", bytes, MAX_SWEEP_BYTES as u64)
    }

    /// The sweep's name: a hash of its jobs.
    pub fn id(&self) -> SweepId {
        let mut hasher = ContentHasher::new("loto sweep 1");
        for series in self.series() {
            let series = series.id();
            for seed in 0..self.seeds {
                hasher.field(&JobId::new(series, seed).0);
            }
        }
        SweepId(hasher.finish_identifier())
    }

    /// The sweep as stored bytes.
    pub fn encode(&self) -> Vec<u8> {
        self.to_wire().encode_to_vec()
    }

    /// The sweep as a store keeps it: the bytes of [`Self::encode`] with a checksum, also of the names,
    /// which are not part of its identity.
    pub fn encode_for_store(&self) -> Vec<u8> {
        seal_message(Key::Sweep(self.id()), &self.encode())
    }

    /// The sweep as a message of the gRPC service.
    pub fn to_wire(&self) -> wire::Sweep {
        let method = |method: &MethodSpec| wire::Method {
            id: method.id.clone(),
            version: method.version,
            parameters: method.parameters.clone(),
            name: method.name.clone().unwrap_or_default(),
            program: program_text(method.program),
        };
        let blackbox = |blackbox: &Blackbox| wire::Blackbox {
            name: blackbox.name.clone(),
            table: blackbox.table.to_string(),
            table_file: blackbox.table_file.clone().unwrap_or_default(),
            targets: blackbox.targets.clone(),
            iterations: blackbox.iterations,
            stream: blackbox.protocol == Protocol::Stream,
            cost: blackbox.cost.clone().unwrap_or_default(),
            methods: blackbox.methods.iter().map(method).collect(),
        };
        wire::Sweep {
            name: self.name.clone(),
            blackboxes: self.blackboxes.iter().map(blackbox).collect(),
            seeds: self.seeds,
        }
    }

    /// Reads stored bytes and checks that they are the sweep `expected`.
    ///
    /// # Errors
    /// [`MessageError`] if they are not.
    pub fn decode(bytes: &[u8], expected: SweepId) -> Result<Self, MessageError> {
        Self::read(bytes, expected).map_err(|problem| MessageKind::Sweep(expected).refuses(problem))
    }

    fn read(bytes: &[u8], expected: SweepId) -> Result<Self, MessageProblem> {
        check_count("bytes", bytes.len() as u64, MAX_SWEEP_BYTES as u64)?;
        check_message(Key::Sweep(expected), bytes)?;
        let stored = wire::Sweep::decode(bytes)?;
        let method = |method: wire::Method| {
            Ok(MethodSpec {
                name: Some(method.name).filter(|name| !name.is_empty()),
                id: method.id,
                version: method.version,
                parameters: method.parameters,
                program: program_of_text(&method.program)?,
            })
        };
        let blackboxes = stored.blackboxes.into_iter().map(|blackbox| {
            Ok(Blackbox {
                name: blackbox.name,
                table: blackbox.table.parse()?,
                table_file: Some(blackbox.table_file).filter(|name| !name.is_empty()),
                targets: blackbox.targets,
                iterations: blackbox.iterations,
                protocol: Protocol::of_wire(blackbox.stream),
                cost: Some(blackbox.cost).filter(|column| !column.is_empty()),
                methods: (blackbox.methods.into_iter().map(method))
                    .collect::<Result<_, InvalidIdentifier>>()?,
            })
        });
        let sweep = Self {
            name: stored.name,
            blackboxes: blackboxes.collect::<Result<_, InvalidIdentifier>>()?,
            seeds: stored.seeds,
        };
        // Before its jobs are hashed: there could be more than any time is enough for.
        sweep.check()?;
        let found = sweep.id();
        if found != expected {
            let found = found.to_string();
            return Err(MessageProblem::OtherHash {
                what: "jobs",
                found,
            });
        }
        Ok(sweep)
    }
}

#[cfg(test)]
mod tests;
