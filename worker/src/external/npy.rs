//! Arrays as files that NumPy maps: the format `.npy`, version 1.0.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The header is filled up to a multiple of this.
const ALIGNMENT: usize = 64;

/// Writes an array of double-precision numbers, the last index running fastest.
pub(super) fn write(
    path: &Path,
    shape: &[usize],
    numbers: impl Iterator<Item = f64>,
) -> io::Result<()> {
    let file = File::create(path)?;
    let header = header(shape);
    let numbers_bytes = shape.iter().product::<usize>() * size_of::<f64>();
    // A file that grows with each write has file systems note its length each time, which may wait for their journal.
    file.set_len((header.len() + numbers_bytes) as u64)?;
    let mut file = BufWriter::with_capacity(1 << 20, file);
    file.write_all(&header)?;
    for number in numbers {
        file.write_all(&number.to_le_bytes())?;
    }
    file.flush()
}

fn header(shape: &[usize]) -> Vec<u8> {
    let shape: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let mut text =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}").into_bytes();
    // Magic number, version and length take ten bytes, the end of the line one.
    let length = (10 + text.len() + 1).next_multiple_of(ALIGNMENT) - 10;
    text.resize(length - 1, b' ');
    text.push(b'\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(text);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_that_of_the_format() {
        // As numpy.lib.format.write_array_header_1_0 writes it, apart from the commas and blanks in the shape.
        let header = header(&[3, 2]);
        assert_eq!(header.len(), 128);
        assert_eq!(&header[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let text = std::str::from_utf8(&header[10..]).unwrap();
        assert!(text.starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2, ), }"));
        assert!(text.ends_with(" \n"));
    }
}
