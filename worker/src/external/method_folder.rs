//! The folder that a method has to itself, and what is in it.

/// What the names of such folders begin with.
pub(super) const PREFIX: &str = "loto-method-";

/// The folder of the program's files, in which the program runs.
pub(super) const PROGRAM: &str = "program";

/// The folder with the Python package.
pub(super) const PYTHON: &str = "python";

/// The folder for the method's temporary files.
pub(super) const TEMPORARY: &str = "tmp";

/// The folder that tells of a table, of which the method is told.
pub(super) const SHOWN: &str = "table";

/// The folder with the files that other jobs need, of which it is not told and which it cannot open.
pub(super) const KEPT: &str = "tasks";
