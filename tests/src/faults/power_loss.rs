//! What a loss of power takes from Redis: the end of its append-only file.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The part of Redis's append-only file that is written to, with its length.
///
/// # Panics
/// If Redis keeps none in this folder.
pub(super) fn tail(data: &Path) -> (PathBuf, u64) {
    let parts = data.join("appendonlydir").read_dir();
    let parts = parts.expect("Redis keeps an append-only file").flatten();
    let mut written: Vec<PathBuf> = parts.map(|part| part.path()).collect();
    written.retain(|path| path.to_string_lossy().ends_with(".incr.aof"));
    // Their numbers grow, with more digits at some time.
    written.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    let newest = written.pop().expect("one part is written to");
    let length = newest.metadata().expect("it is there").len();
    (newest, length)
}

/// Cuts the file of a Redis that was killed somewhere after the length it had a second
/// before; returns how many bytes are lost.
///
/// # Panics
/// If the file cannot be cut.
pub(super) fn cut(data: &Path, (before, safe): (PathBuf, u64), random: &mut ChaCha8Rng) -> u64 {
    let (newest, length) = tail(data);
    let safe = if newest == before { safe } else { 0 };
    let kept = random.random_range(safe..=length);
    let file = OpenOptions::new().write(true).open(newest);
    file.and_then(|file| file.set_len(kept))
        .expect("the file can be cut");
    length - kept
}
