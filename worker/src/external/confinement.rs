//! What a method is kept from, as far as the kernel has Landlock.
//!
//! Landlock only knows what is allowed. A method may need an interpreter and its packages from anywhere, so everything
//! is allowed but what is withheld: beside each withheld path, every other entry of its folder, and of the folders
//! above it. What is made in such a folder later is withheld, too.

use std::fs;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

use super::method_folder;

/// The rights over files that are withheld: all there were when the limits of this module were written.
const FILES: ABI = ABI::V5;

/// The first kernels that can refuse connections have this.
const NETWORK: ABI = ABI::V4;

/// The first kernels that can refuse signals and abstract sockets have this.
const PROCESSES: ABI = ABI::V6;

/// What the kernel of this host cannot keep from methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// The table, the store's file and the files with passwords.
    Files,
    /// Connections over TCP, to the broker or the store for example.
    Connections,
    /// Signals to other processes of the user, and sockets without a file.
    Processes,
}

impl Gap {
    /// All that is not enforced on this host.
    pub fn of_this_host() -> Vec<Self> {
        let required = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let files = required().handle_access(AccessFs::from_all(ABI::V1));
        let network = required().handle_access(AccessNet::from_all(NETWORK));
        let processes = required().scope(Scope::from_all(PROCESSES));
        let attempts = [
            (Self::Files, files),
            (Self::Connections, network),
            (Self::Processes, processes),
        ];
        let missing = attempts.into_iter().filter_map(|(gap, attempt)| {
            let created = attempt.and_then(Ruleset::create);
            created.is_err().then_some(gap)
        });
        missing.collect()
    }

    /// What is not enforced, as the end of a sentence.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Files => "which files they read",
            Self::Connections => "what they connect to over TCP",
            Self::Processes => "which processes they signal",
        }
    }
}

/// A method cannot be kept from what is withheld.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfinementError {
    /// Landlock refuses.
    #[error("Landlock: {0}")]
    Landlock(#[from] RulesetError),
    /// Capabilities cannot be given up.
    #[error("cannot give up capabilities: {0}")]
    Capabilities(#[from] rustix::io::Errno),
}

/// Keeps the calling thread, and the program that it becomes, from these paths, from the folders of other methods,
/// and from TCP. `folder` is the method's own.
///
/// # Errors
/// The kernel's, if it has Landlock and refuses. Where it lacks it, nothing is enforced.
pub(super) fn confine(folder: &Path, withheld: &[PathBuf]) -> Result<(), ConfinementError> {
    forgo_introspection()?;
    let rights = AccessFs::from_all(FILES);
    Ruleset::default()
        .handle_access(rights)?
        .handle_access(AccessNet::from_all(NETWORK))?
        .scope(Scope::from_all(PROCESSES))?
        .create()?
        // Names are no secret, and interpreters list the folders in which they look for modules.
        .add_rules(path_beneath_rules(["/"], AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(allowed(folder, withheld), rights))?
        .restrict_self()?;
    Ok(())
}

/// Gives up the capabilities with which root reads the environment of other processes past Landlock.
fn forgo_introspection() -> rustix::io::Result<()> {
    let introspection =
        CapabilitySet::PERFMON | CapabilitySet::SYS_ADMIN | CapabilitySet::SYS_PTRACE;
    let mut sets = capabilities(None)?;
    if !sets.permitted.intersects(introspection) {
        return Ok(());
    }
    sets.effective.remove(introspection);
    sets.permitted.remove(introspection);
    sets.inheritable.remove(introspection);
    set_capabilities(None, sets)
}

/// Everything but what is withheld.
fn allowed(folder: &Path, withheld: &[PathBuf]) -> Vec<PathBuf> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut withheld = withheld.to_vec();
    withheld.push(folder.join(method_folder::KEPT));
    if let Some(siblings) = folder.parent().and_then(|parent| fs::read_dir(parent).ok()) {
        let siblings = siblings.filter_map(|entry| Some(entry.ok()?.path()));
        let is_of_other = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().starts_with(method_folder::PREFIX) && *path != folder
        };
        withheld.extend(siblings.filter(is_of_other));
    }
    let mut allowed = Vec::new();
    allow(Path::new("/"), &withheld, &mut allowed);
    allowed
}

fn allow(path: &Path, withheld: &[PathBuf], allowed: &mut Vec<PathBuf>) {
    if withheld.iter().any(|withheld| withheld == path) {
        return;
    }
    if !withheld.iter().any(|withheld| withheld.starts_with(path)) {
        return allowed.push(path.to_owned());
    }
    let Ok(entries) = fs::read_dir(path) else {
        return;
    };
    for entry in entries.filter_map(Result::ok) {
        // A link leads to a path that is allowed elsewhere, or is withheld.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            allow(&entry.path(), withheld, allowed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_allowed_but_what_is_withheld() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let own = root.join("loto-method-own");
        for folder in ["loto-method-other", "tables/deep", "packages"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for folder in ["tasks", "table"] {
            fs::create_dir_all(own.join(folder)).unwrap();
        }
        fs::write(root.join("tables/secret"), "").unwrap();
        fs::write(root.join("tables/plain"), "").unwrap();
        std::os::unix::fs::symlink("tables/secret", root.join("link")).unwrap();
        let withheld = [root.join("tables/secret"), root.join("not-there")];
        let mut found = allowed(&own, &withheld);
        found.retain(|path| path.starts_with(&root));
        found.sort();
        let expected = [
            "loto-method-own/table",
            "packages",
            "tables/deep",
            "tables/plain",
        ];
        assert_eq!(found, expected.map(|path| root.join(path)));
        // Beside the way to them, whole folders.
        assert!(allowed(&own, &withheld).contains(&PathBuf::from("/usr")));
    }
}
