//! Pins OpenBLAS's kernels, so that every host computes the same bits.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

const CORE_TYPE: &str = "OPENBLAS_CORETYPE";
const THREADS: &str = "OPENBLAS_NUM_THREADS";

/// The kernels that every x86-64 host since about 2013 can run. A host that cannot
/// would die of an illegal instruction, so it is left to OpenBLAS's own choice,
/// which each trace records.
#[cfg(target_arch = "x86_64")]
fn portable_core() -> Option<&'static str> {
    (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some("Haswell")
}

#[cfg(not(target_arch = "x86_64"))]
fn portable_core() -> Option<&'static str> {
    None
}

/// Starts the program anew with the kernels pinned, unless they are already:
/// OpenBLAS reads its environment when it is loaded, before `main`.
///
/// A core type set by the user is kept. Call it first in `main`.
///
/// # Errors
/// The operating system's, if the program cannot be started anew.
pub fn pin_kernels() -> io::Result<()> {
    let core = portable_core().filter(|_| std::env::var_os(CORE_TYPE).is_none());
    let threads_set = std::env::var_os(THREADS).is_some_and(|threads| threads == "1");
    if core.is_none() && threads_set {
        return Ok(());
    }
    let mut arguments = std::env::args_os();
    let name = arguments.next();
    let mut command = Command::new(std::env::current_exe()?);
    if let Some(name) = name {
        command.arg0(name);
    }
    command.args(arguments).env(THREADS, "1");
    if let Some(core) = core {
        command.env(CORE_TYPE, core);
    }
    Err(command.exec())
}
