//! How the program `next-release` differs from this release: one method has a newer version. A coordinator of one
//! release plans jobs of it that workers of the other cannot run.

use loto_engine::methods;
use loto_proto::job::MethodSpec;

/// The method that has a newer version in the next release; its traces are the same, so that they can be compared.
pub const METHOD: &str = "gp";

/// The version of the method in this release.
///
/// # Panics
/// If there is no such method.
pub fn version() -> u32 {
    let method = methods::find(METHOD).expect("a method of this release");
    method.version
}

/// A method as the next release plans it.
pub fn raise(method: &mut MethodSpec) {
    if method.id == METHOD {
        method.version = version() + 1;
    }
}
