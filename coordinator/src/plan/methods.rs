//! The methods of a sweep file, looked up in the registry.

use loto_engine::EngineError;
use loto_engine::methods::{check, find};
use loto_engine::table::encoding::Space;
use loto_proto::job::MethodSpec;
use loto_proto::sweep_file::{BlackboxEntry, SweepFile};

/// The methods of a black box in the order of the file, with the versions of this build.
///
/// A parameter that is set to its default is left out, so that spelling a
/// default out does not make another job.
///
/// # Errors
/// A text that says what is wrong: a method or parameter that is not known, a
/// method that is not made for the black box's space.
pub(super) fn resolve(
    file: &SweepFile,
    entry: &BlackboxEntry,
    space: &Space,
) -> Result<Vec<MethodSpec>, String> {
    let in_blackbox = |problem: String| format!("black box `{}`: {problem}", entry.name);
    let resolve_one = |id: &String| {
        let spec = specify(file, id).map_err(|error| in_blackbox(error.to_string()))?;
        let method = find(id).map_err(|error| in_blackbox(error.to_string()))?;
        method.check_space(space).map_err(|error| {
            in_blackbox(format!(
                "{error}; give this black box its own `methods`, without `{id}`, or list the \
                 hyperparameter under `categorical` if it is one"
            ))
        })?;
        Ok(spec)
    };
    file.methods_of(entry).iter().map(resolve_one).collect()
}

/// A method with its parameters, checked.
fn specify(file: &SweepFile, id: &str) -> Result<MethodSpec, EngineError> {
    let method = find(id)?;
    let set = file.method.get(id).into_iter().flatten();
    let mut spec = MethodSpec {
        id: id.to_owned(),
        version: method.version,
        parameters: set
            .map(|(name, value)| (name.clone(), value.canonical()))
            .collect(),
    };
    check(&spec)?;
    for parameter in method.parameters {
        let set = spec.parameters.get(parameter.name);
        if set.is_some_and(|set| set == parameter.default) {
            spec.parameters.remove(parameter.name);
        }
    }
    Ok(spec)
}
