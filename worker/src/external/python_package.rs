//! The Python package `loto`, which every method finds, whether the worker's Python has it or not.

use std::fs;
use std::io;
use std::path::Path;

/// Its files, as in `deploy/python/loto`.
const FILES: [(&str, &str); 8] = [
    (
        "__init__.py",
        include_str!("../../../deploy/python/loto/__init__.py"),
    ),
    (
        "adapters.py",
        include_str!("../../../deploy/python/loto/adapters.py"),
    ),
    (
        "failures.py",
        include_str!("../../../deploy/python/loto/failures.py"),
    ),
    (
        "problem.py",
        include_str!("../../../deploy/python/loto/problem.py"),
    ),
    (
        "proposals.py",
        include_str!("../../../deploy/python/loto/proposals.py"),
    ),
    (
        "results.py",
        include_str!("../../../deploy/python/loto/results.py"),
    ),
    (
        "serving.py",
        include_str!("../../../deploy/python/loto/serving.py"),
    ),
    (
        "trying_out.py",
        include_str!("../../../deploy/python/loto/trying_out.py"),
    ),
];

/// Writes the package below a folder.
pub(super) fn write(folder: &Path) -> io::Result<()> {
    let package = folder.join("loto");
    fs::create_dir_all(&package)?;
    for (name, content) in FILES {
        fs::write(package.join(name), content)?;
    }
    Ok(())
}
