//! The methods of a sweep file, looked up in the registry.

use loto_proto::job::MethodSpec;
use loto_proto::sweep_file::SweepFile;
use loto_worker::WorkerError;
use loto_worker::methods::{check, find};

/// The methods in the order of the file, with the versions of this build.
///
/// A parameter that is set to its default is left out, so that spelling a
/// default out does not make another job.
///
/// # Errors
/// [`WorkerError::UnknownMethod`] and [`WorkerError::InvalidParameter`].
pub(super) fn resolve(file: &SweepFile) -> Result<Vec<MethodSpec>, WorkerError> {
    let resolve_one = |id: &String| {
        let method = find(id)?;
        let set = file.method.get(id).into_iter().flatten();
        let mut spec = MethodSpec {
            id: id.clone(),
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
    };
    file.methods.iter().map(resolve_one).collect()
}
