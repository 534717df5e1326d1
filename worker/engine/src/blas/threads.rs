//! Restricts OpenBLAS to one thread and describes it.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

// Links the system's OpenBLAS, for `cblas-sys` and `lapack-sys` as well.
#[link(name = "openblas")]
unsafe extern "C" {
    fn openblas_get_config() -> *const c_char;
    fn openblas_get_corename() -> *const c_char;
    fn openblas_set_num_threads(threads: c_int);
    fn openblas_get_num_threads() -> c_int;
}

/// Restricts OpenBLAS to one thread (parallelism comes from running jobs side by
/// side) and describes the library: version, core type, threads.
pub fn single_threaded() -> &'static str {
    static DESCRIPTION: OnceLock<String> = OnceLock::new();
    DESCRIPTION.get_or_init(|| {
        // SAFETY: these functions take no pointers, nothing else in this process changes the
        // number of threads, and the two texts are static and end with a NUL.
        let (config, core, threads) = unsafe {
            openblas_set_num_threads(1);
            (
                CStr::from_ptr(openblas_get_config()).to_string_lossy(),
                CStr::from_ptr(openblas_get_corename()).to_string_lossy(),
                openblas_get_num_threads(),
            )
        };
        let version: Vec<_> = config.split_whitespace().take(2).collect();
        format!("{}, core {core}, {threads} thread", version.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_describes_itself() {
        let description = single_threaded();
        assert!(description.contains("OpenBLAS"), "{description}");
        assert!(description.ends_with("1 thread"), "{description}");
    }
}
