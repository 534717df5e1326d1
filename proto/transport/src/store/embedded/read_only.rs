//! Reads a file that cannot be written: on a read-only medium, or of another user.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::failure::Failure;
use super::schema;

/// Connects to a store to read it.
///
/// SQLite reads a file in write-ahead mode only with two files beside it. Where they are not and cannot be made,
/// nobody writes to the store either, so that it may be read without them.
pub(super) fn connect(path: &Path) -> Result<Connection, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    match schema::check_read_only(&connection) {
        Err(Failure::Sqlite(error)) if needs_other_files(&error) => {}
        checked => return checked.map(|()| connection),
    }
    let log = with_ending(path, "-wal");
    if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        return Err(Failure::NotAStore(format!(
            "its last changes are in {}, which can only be read where it can be written: copy both files to \
             another folder",
            log.display()
        )));
    }
    let flags = flags | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(immutable(path), flags)?;
    schema::check_read_only(&connection)?;
    Ok(connection)
}

fn needs_other_files(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
    )
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    PathBuf::from(path)
}

/// The URI of a file that does not change.
fn immutable(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri + "?immutable=1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_of_a_path_ends_it() {
        let uri = immutable(Path::new("/a b/50%?x#y/\u{e9}.loto"));
        assert_eq!(uri, "file:/a%20b/50%25%3Fx%23y/%C3%A9.loto?immutable=1");
    }
}
