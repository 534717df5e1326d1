//! The methods of a sweep file, looked up in the registry.

use loto_engine::fits;
use loto_engine::methods::stand_in::{OnStream, for_stream, is_without_sources};
use loto_engine::methods::{Method, check, find};
use loto_engine::table::Table;
use loto_engine::{EngineError, ImpossibleJob};
use loto_proto::external_program::PROTOCOL;
use loto_proto::job::MethodSpec;
use loto_proto::protocol::Protocol;
use loto_proto::sweep_file::{BlackboxEntry, SweepFile};

use super::error::BlackboxProblem;
use super::programs::PlannedProgram;

/// The methods of a black box in the order of the file, with the versions of this build.
///
/// A parameter that is set to its default is left out, so that spelling a
/// default out does not make another job.
///
/// # Errors
/// [`BlackboxProblem::Method`] for a method or parameter that is not known,
/// [`BlackboxProblem::UnsuitableMethod`], [`BlackboxProblem::NoFeatures`], [`BlackboxProblem::OtherObjectives`] and
/// [`BlackboxProblem::SmallSource`] for a method that cannot run on the black box's table,
/// [`BlackboxProblem::NotOnStreams`] for one that does not run on its stream of tasks,
/// [`BlackboxProblem::TakenName`] and [`BlackboxProblem::SameMethod`] for names that mislead.
pub(super) fn resolve(
    file: &SweepFile,
    entry: &BlackboxEntry,
    table: &Table,
    programs: &[PlannedProgram],
) -> Result<Vec<MethodSpec>, BlackboxProblem> {
    let mut specs: Vec<MethodSpec> = Vec::new();
    for name in file.methods_of(entry) {
        let spec = match external(file, name, programs) {
            Some(spec) => spec,
            None => {
                let (method, spec) = specify(file, name)?;
                let unsuitable = |problem| match problem {
                    EngineError::NoFeatures { .. } => BlackboxProblem::NoFeatures(problem),
                    EngineError::OtherObjectives { .. } => {
                        BlackboxProblem::OtherObjectives(problem)
                    }
                    problem => BlackboxProblem::UnsuitableMethod {
                        method: name.clone(),
                        problem,
                    },
                };
                method.check_table(table).map_err(unsuitable)?;
                check_sources(method, name, table)?;
                spec
            }
        };
        let spec = match entry.protocol {
            Protocol::LeaveOneOut => spec,
            Protocol::Stream => on_stream(spec, name)?,
        };
        let is_same =
            |other: &&MethodSpec| other.id == spec.id && other.parameters == spec.parameters;
        if let Some(same) = specs.iter().find(is_same) {
            return Err(BlackboxProblem::SameMethod {
                first: same.label().to_owned(),
                second: name.clone(),
                id: spec.id,
            });
        }
        specs.push(spec);
    }
    Ok(specs)
}

/// Checks that the method can learn from every task, if it learns from sources. Those of a stream are what was evaluated of
/// earlier tasks.
fn check_sources(method: &Method, name: &str, table: &Table) -> Result<(), BlackboxProblem> {
    if is_without_sources(method.id) || table.protocol == Protocol::Stream {
        return Ok(());
    }
    fits::check_sources(table).map_err(|problem| BlackboxProblem::SmallSource {
        method: name.to_owned(),
        problem,
    })
}

/// The method as its jobs on a stream have it.
fn on_stream(spec: MethodSpec, name: &str) -> Result<MethodSpec, BlackboxProblem> {
    let refused = |problem| BlackboxProblem::NotOnStreams {
        method: name.to_owned(),
        problem,
    };
    if spec.program.is_some() {
        let id = name.to_owned();
        return Err(refused(ImpossibleJob::ProgramOnStream { id }.into()));
    }
    let spec = for_stream(spec).map_err(refused)?;
    OnStream::of(&spec).map_err(BlackboxProblem::Method)?;
    Ok(spec)
}

/// The external method of that name, or a variant of it, with its parameters; `None` if there is none.
fn external(file: &SweepFile, name: &str, programs: &[PlannedProgram]) -> Option<MethodSpec> {
    let variant = file.method.get(name);
    let id = variant.map_or(name, |variant| &variant.id);
    let planned = programs.iter().find(|planned| planned.program.name == id)?;
    let own = file.external.get(id)?.parameters.iter();
    let set = own.chain(variant.into_iter().flat_map(|variant| &variant.parameters));
    Some(MethodSpec {
        name: Some(name.to_owned()),
        id: planned.program.method_id(),
        version: PROTOCOL,
        parameters: set
            .map(|(name, value)| (name.clone(), value.canonical()))
            .collect(),
        program: Some(planned.id),
    })
}

/// The method of that name or id with its parameters, checked.
fn specify(
    file: &SweepFile,
    name: &String,
) -> Result<(&'static Method, MethodSpec), BlackboxProblem> {
    let entry = file.method.get(name);
    let method = find(entry.map_or(name, |entry| &entry.id)).map_err(BlackboxProblem::Method)?;
    if method.id != name && find(name).is_ok() {
        return Err(BlackboxProblem::TakenName {
            name: name.clone(),
            id: method.id.to_owned(),
        });
    }
    let set = entry.into_iter().flat_map(|entry| &entry.parameters);
    let mut spec = MethodSpec {
        name: (method.id != name).then(|| name.clone()),
        id: method.id.to_owned(),
        version: method.version,
        parameters: set
            .map(|(name, value)| (name.clone(), value.canonical()))
            .collect(),
        program: None,
    };
    check(&spec).map_err(BlackboxProblem::Method)?;
    for parameter in method.parameters {
        let value = spec.parameters.get(parameter.name);
        if value.is_some_and(|value| value == parameter.default) {
            spec.parameters.remove(parameter.name);
        }
    }
    Ok((method, spec))
}
