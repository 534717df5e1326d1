//! The environment of a method: what an interpreter needs, and nothing that holds a secret.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use super::method_folder;

/// Variables that a method gets from the worker: where programs, libraries and packages are. All others, which may
/// hold passwords or addresses, it does not get.
const KEPT: [&str; 25] = [
    "CONDA_DEFAULT_ENV",
    "CONDA_PREFIX",
    "HOME",
    "JULIA_DEPOT_PATH",
    "JULIA_PROJECT",
    "LANG",
    "LD_LIBRARY_PATH",
    "LOGNAME",
    "NVM_DIR",
    "PATH",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "PYTHONHOME",
    "PYTHONPATH",
    "R_HOME",
    "R_LIBS",
    "R_LIBS_USER",
    "USER",
    "UV_CACHE_DIR",
    "UV_PYTHON",
    "UV_PYTHON_INSTALL_DIR",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// Variables that make a method answer alike on every host, and use one core.
const FIXED: [(&str, &str); 10] = [
    ("LC_ALL", "C.UTF-8"),
    ("MKL_NUM_THREADS", "1"),
    ("NUMEXPR_NUM_THREADS", "1"),
    ("OMP_NUM_THREADS", "1"),
    ("OPENBLAS_CORETYPE", "Haswell"),
    ("OPENBLAS_NUM_THREADS", "1"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONHASHSEED", "0"),
    ("TZ", "UTC"),
    ("UV_OFFLINE", "1"),
];

/// Gives a command the environment of a method whose folder this is.
pub(super) fn set(command: &mut Command, folder: &Path) {
    command.env_clear();
    for variable in KEPT {
        if let Some(value) = std::env::var_os(variable) {
            command.env(variable, value);
        }
    }
    command.envs(FIXED);
    let mut path = OsString::from(folder.join(method_folder::PYTHON));
    if let Some(others) = std::env::var_os("PYTHONPATH").filter(|others| !others.is_empty()) {
        path.push(":");
        path.push(others);
    }
    command.env("PYTHONPATH", path);
    command.env("TMPDIR", folder.join(method_folder::TEMPORARY));
}
