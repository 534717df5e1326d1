//! The methods of a sweep file, looked up in the registry.

use loto_engine::fits;
use loto_engine::methods::stand_in::{OnStream, for_stream, is_without_sources};
use loto_engine::methods::{Method, check, find};
use loto_engine::table::Table;
use loto_engine::{EngineError, ImpossibleJob};
use loto_proto::excerpt::excerpt;
use loto_proto::external_program::PROTOCOL;
use loto_proto::job::MethodSpec;
use loto_proto::protocol::Protocol;
use loto_proto::sweep_file::{BlackboxEntry, SweepFile};

use super::error::{BlackboxProblem, UnsuitableMethod};
use super::programs::PlannedProgram;

/// The methods of a black box in the order of the file, with the versions of this build.
///
/// A parameter that is set to its default is left out, so that spelling a
/// default out does not make another job.
///
/// # Errors
/// [`BlackboxProblem::UnknownMethod`] and [`BlackboxProblem::Method`] for a method or parameter that is not known,
/// [`BlackboxProblem::UnsuitableMethods`] if some cannot run on the black box,
/// [`BlackboxProblem::TakenName`] and [`BlackboxProblem::SameMethod`] for names that mislead.
pub(super) fn resolve(
    file: &SweepFile,
    entry: &BlackboxEntry,
    table: &Table,
    programs: &[PlannedProgram],
) -> Result<Vec<MethodSpec>, BlackboxProblem> {
    let mut specs: Vec<MethodSpec> = Vec::new();
    let mut first_problem = None;
    for name in file.methods_of(entry) {
        let (method, spec) = match external(file, name, programs) {
            Some(spec) => (None, spec),
            None => specify(file, name).map(|(method, spec)| (Some(method), spec))?,
        };
        let suited = method.map_or(Ok(()), |method| check_table(method, table));
        let spec = match suited.and_then(|()| under_protocol(spec, name, entry.protocol)) {
            Ok(spec) => spec,
            Err(problem) => {
                first_problem.get_or_insert(problem);
                continue;
            }
        };
        if entry.protocol == Protocol::Stream {
            OnStream::of(&spec).map_err(of_method(name))?;
        }
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
    match first_problem {
        None => Ok(specs),
        Some(problem) => Err(BlackboxProblem::UnsuitableMethods {
            suitable: specs.iter().map(|spec| spec.label().to_owned()).collect(),
            problem,
        }),
    }
}

/// Checks that the method can search the table's space and learn from every task, if it learns from sources. Those of a stream are
/// what was evaluated of earlier tasks.
fn check_table(method: &Method, table: &Table) -> Result<(), UnsuitableMethod> {
    method.check_table(table)?;
    if is_without_sources(method.id) || table.protocol == Protocol::Stream {
        return Ok(());
    }
    Ok(fits::check_sources(table)?)
}

/// The method as its jobs under a protocol have it.
fn under_protocol(
    spec: MethodSpec,
    name: &str,
    protocol: Protocol,
) -> Result<MethodSpec, UnsuitableMethod> {
    if protocol == Protocol::LeaveOneOut {
        return Ok(spec);
    }
    if spec.program.is_some() {
        let id = name.to_owned();
        return Err(ImpossibleJob::ProgramOnStream { id }.into());
    }
    Ok(for_stream(spec)?)
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
    let found = find(entry.map_or(name, |entry| &entry.id));
    let method = found.map_err(|problem| BlackboxProblem::UnknownMethod {
        name: excerpt(name),
        problem,
    })?;
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
    check(&spec).map_err(of_method(name))?;
    for parameter in method.parameters {
        let value = spec.parameters.get(parameter.name);
        if value.is_some_and(|value| value == parameter.default) {
            spec.parameters.remove(parameter.name);
        }
    }
    Ok((method, spec))
}

/// Says which of the listed methods a problem is about.
fn of_method(name: &str) -> impl FnOnce(EngineError) -> BlackboxProblem {
    |problem| BlackboxProblem::Method {
        name: name.to_owned(),
        problem,
    }
}
