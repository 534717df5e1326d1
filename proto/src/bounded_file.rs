//! Files of users, read up to a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a file: all of them, or `most + 1` if it is longer, which tells who asked.
///
/// The size that a file claims decides nothing: a device or a pipe claims none.
///
/// # Errors
/// The system's, if the file cannot be read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = File::open(path)?.take(most.saturating_add(1));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_is_too_long_there_is_one_byte_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap().len(), 5);
        assert_eq!(read(&path, 2).unwrap().len(), 3);
        assert_eq!(read(Path::new("/dev/zero"), 9).unwrap().len(), 10);
        assert!(read(&folder.path().join("other"), 5).is_err());
    }
}
