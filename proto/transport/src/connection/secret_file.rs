//! Files that hold a secret: a password, tokens, a private key.

use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::error::TransportError;

/// What everybody but the owner and the group of a file may do with it.
const OTHERS_READ: u32 = 0o004;
const OTHERS_WRITE: u32 = 0o002;

/// Reads a file that holds a secret, if it is kept as one.
///
/// A file of our own that others may read or write is refused, as `ssh` refuses such a key. A file of another user
/// is not ours to change, and Kubernetes mounts secrets as files of root that everybody in the pod may
/// read: that is only logged. What others may write is refused in any case.
///
/// # Errors
/// [`TransportError::UnreadableFile`]; [`TransportError::ExposedSecret`].
pub fn read_secret_file(path: &Path) -> Result<Vec<u8>, TransportError> {
    let unreadable = |source| TransportError::UnreadableFile {
        path: path.to_owned(),
        source,
    };
    let mut file = File::open(path).map_err(unreadable)?;
    // Of the file that is open, whatever the path leads to by now.
    let metadata = file.metadata().map_err(unreadable)?;
    let user = rustix::process::geteuid().as_raw();
    match exposure(&metadata, user) {
        Exposure::None => {}
        Exposure::Told => tracing::warn!(
            "everybody on this host can read {} (mode {:04o}), which holds a secret",
            path.display(),
            permissions(&metadata)
        ),
        Exposure::Refused => {
            return Err(TransportError::ExposedSecret {
                path: path.to_owned(),
                mode: permissions(&metadata),
            });
        }
    }
    let mut content = Vec::new();
    file.read_to_end(&mut content).map_err(unreadable)?;
    Ok(content)
}

/// How far a secret lies open.
#[derive(Debug, PartialEq, Eq)]
enum Exposure {
    None,
    Told,
    Refused,
}

fn exposure(metadata: &Metadata, user: u32) -> Exposure {
    let mode = metadata.mode();
    let is_own = metadata.uid() == user;
    match (mode & OTHERS_READ != 0, mode & OTHERS_WRITE != 0) {
        (_, true) => Exposure::Refused,
        (true, _) if is_own => Exposure::Refused,
        (true, _) => Exposure::Told,
        _ => Exposure::None,
    }
}

fn permissions(metadata: &Metadata) -> u32 {
    metadata.mode() & 0o7777
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_others_can_get_at_is_refused_and_the_cure_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "top-secret").unwrap();
        let set = |mode| fs::set_permissions(file.path(), fs::Permissions::from_mode(mode));
        for kept in [0o600, 0o400, 0o640, 0o440] {
            set(kept).unwrap();
            assert_eq!(read_secret_file(file.path()).unwrap(), b"top-secret");
        }
        for open in [0o644, 0o604, 0o666, 0o602] {
            set(open).unwrap();
            let error = read_secret_file(file.path()).unwrap_err().to_string();
            let told = [format!("{open:04o}"), "chmod o=".to_owned()];
            assert!(told.iter().all(|part| error.contains(part)), "{error}");
            assert!(!error.contains("top-secret"), "{error}");
        }
    }

    #[test]
    fn a_file_of_another_user_is_taken_unless_others_can_write_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut exposures = Vec::new();
        for mode in [0o640, 0o644, 0o646] {
            fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
            let metadata = fs::metadata(file.path()).unwrap();
            exposures.push(exposure(&metadata, metadata.uid() + 1));
        }
        let expected = [Exposure::None, Exposure::Told, Exposure::Refused];
        assert_eq!(exposures, expected);
    }
}
