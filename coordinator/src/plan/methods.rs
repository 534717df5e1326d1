//! The methods of a sweep file, looked up in the registry.

use loto_proto::job::MethodSpec;
use loto_proto::sweep_file::SweepFile;
use loto_worker::WorkerError;
use loto_worker::methods::{check, registry};

/// The methods in the order of the file, with the versions of this build.
///
/// A parameter that is set to its default is left out, so that spelling a
/// default out does not make another job.
///
/// # Errors
/// [`WorkerError::UnknownMethod`] and [`WorkerError::InvalidParameter`].
pub(super) fn resolve(file: &SweepFile) -> Result<Vec<MethodSpec>, WorkerError> {
    let registry = registry();
    let resolve_one = |id: &String| {
        let description = registry.iter().find(|method| method.id == id);
        let description = description.ok_or_else(|| WorkerError::UnknownMethod {
            id: id.clone(),
            known: known_methods(),
        })?;
        let set = file.method.get(id).into_iter().flatten();
        let mut method = MethodSpec {
            id: id.clone(),
            version: description.version,
            parameters: set
                .map(|(name, value)| (name.clone(), value.canonical()))
                .collect(),
        };
        check(&method)?;
        for parameter in description.parameters {
            if method
                .parameters
                .get(parameter.name)
                .is_some_and(|set| set == parameter.default)
            {
                method.parameters.remove(parameter.name);
            }
        }
        Ok(method)
    };
    file.methods.iter().map(resolve_one).collect()
}

/// The ids of all methods, for messages.
pub(crate) fn known_methods() -> String {
    let ids: Vec<_> = registry().iter().map(|method| method.id).collect();
    ids.join(", ")
}
