//! The methods, one file each, and their registry.

use loto_proto::job::MethodSpec;

use crate::WorkerError;

/// What a user may know of a method.
#[derive(Debug)]
pub struct MethodDescription {
    /// Id in sweep files.
    pub id: &'static str,
    /// Raised whenever the traces change.
    pub version: u32,
    /// One line: what it does.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Parameters a sweep file may set.
    pub parameters: &'static [ParameterDescription],
}

/// What a user may know of a method's parameter.
#[derive(Debug)]
pub struct ParameterDescription {
    /// Name in sweep files.
    pub name: &'static str,
    /// The default, as canonical text.
    pub default: &'static str,
    /// The values it takes.
    pub range: &'static str,
    /// One line: what it does.
    pub summary: &'static str,
}

/// Every method, in the order in which they are listed.
pub fn registry() -> Vec<&'static MethodDescription> {
    unimplemented!()
}

/// Checks a method's id, version and parameters.
///
/// # Errors
/// [`WorkerError::UnknownMethod`] or [`WorkerError::InvalidParameter`].
pub fn check(method: &MethodSpec) -> Result<&'static MethodDescription, WorkerError> {
    let _ = method;
    unimplemented!()
}
