//! The methods of a sweep file, looked up in the registry.

use loto_engine::EngineError;
use loto_engine::methods::{Method, check, find};
use loto_engine::table::encoding::Space;
use loto_proto::job::MethodSpec;
use loto_proto::sweep_file::{BlackboxEntry, SweepFile};

use super::error::BlackboxProblem;

/// The methods of a black box in the order of the file, with the versions of this build.
///
/// A parameter that is set to its default is left out, so that spelling a
/// default out does not make another job.
///
/// # Errors
/// [`BlackboxProblem::Method`] for a method or parameter that is not known,
/// [`BlackboxProblem::UnsuitableMethod`] for a method that is not made for the black box's space.
pub(super) fn resolve(
    file: &SweepFile,
    entry: &BlackboxEntry,
    space: &Space,
) -> Result<Vec<MethodSpec>, BlackboxProblem> {
    let resolve_one = |id: &String| {
        let method = find(id).map_err(BlackboxProblem::Method)?;
        let spec = specify(file, method).map_err(BlackboxProblem::Method)?;
        method
            .check_space(space)
            .map_err(|problem| BlackboxProblem::UnsuitableMethod {
                method: id.clone(),
                problem,
            })?;
        Ok(spec)
    };
    file.methods_of(entry).iter().map(resolve_one).collect()
}

/// A method with its parameters, checked.
fn specify(file: &SweepFile, method: &Method) -> Result<MethodSpec, EngineError> {
    let set = file.method.get(method.id).into_iter().flatten();
    let mut spec = MethodSpec {
        id: method.id.to_owned(),
        version: method.version,
        parameters: set
            .map(|(name, value)| (name.clone(), value.canonical()))
            .collect(),
    };
    check(&spec)?;
    for parameter in method.parameters {
        let value = spec.parameters.get(parameter.name);
        if value.is_some_and(|value| value == parameter.default) {
            spec.parameters.remove(parameter.name);
        }
    }
    Ok(spec)
}
