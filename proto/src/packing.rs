//! Short forms of the lists in a stored trace: two bytes an entry.
//!
//! The store's memory is what bounds the size of a sweep. Values are kept as they are:
//! they are compared bit by bit.

/// Bits of a packed time that count; the others say by how many places they are shifted.
const DIGITS: u32 = 11;

/// Rows as two bytes each, lowest first, or nothing if one of them needs more.
pub(crate) fn pack_rows(rows: &[u32]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(2 * rows.len());
    for &row in rows {
        bytes.extend(u16::try_from(row).ok()?.to_le_bytes());
    }
    Some(bytes)
}

/// The rows of [`pack_rows`], or nothing if `bytes` has an odd length.
pub(crate) fn unpack_rows(bytes: &[u8]) -> Option<Vec<u32>> {
    let pairs = bytes.chunks_exact(2);
    let whole = pairs.remainder().is_empty();
    whole.then(|| pairs.map(|pair| u32::from(number(pair))).collect())
}

/// Times as two bytes each: `digits · 2^shift` with 11 bits of digits and 5 of shift. What
/// does not fit is cut off, so that a time is at most 0.1 % too short.
pub(crate) fn pack_times(times: &[u32]) -> Vec<u8> {
    let pack = |&time: &u32| {
        let shift = (u32::BITS - time.leading_zeros()).saturating_sub(DIGITS);
        let code = shift << DIGITS | time >> shift;
        // 16 bits: the shift is at most 21, the digits have 11.
        (code as u16).to_le_bytes()
    };
    times.iter().flat_map(pack).collect()
}

/// The times of [`pack_times`], or nothing if `bytes` has an odd length or a time is too large.
pub(crate) fn unpack_times(bytes: &[u8]) -> Option<Vec<u32>> {
    let unpack = |pair: &[u8]| {
        let code = u64::from(number(pair));
        let digits = code & ((1 << DIGITS) - 1);
        u32::try_from(digits << (code >> DIGITS)).ok()
    };
    let pairs = bytes.chunks_exact(2);
    let whole = pairs.remainder().is_empty();
    whole.then(|| pairs.map(unpack).collect())?
}

fn number(pair: &[u8]) -> u16 {
    u16::from_le_bytes([pair[0], pair[1]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_below_65536_need_two_bytes_and_come_back() {
        let rows = [0, 1, 255, 256, 16_384, 65_535];
        let bytes = pack_rows(&rows).unwrap();
        assert_eq!(bytes.len(), 12);
        assert_eq!(unpack_rows(&bytes).unwrap(), rows);
        assert_eq!(pack_rows(&[65_536]), None);
        assert_eq!(unpack_rows(&bytes[1..]), None);
    }

    #[test]
    fn short_times_come_back_whole_and_long_ones_with_three_digits() {
        let exact = [0, 1, 2047, 2048, 2050, 1 << 31];
        assert_eq!(unpack_times(&pack_times(&exact)).unwrap(), exact);
        for time in (0..32).flat_map(|bit| [(1 << bit) - 1, (1 << bit) + 1, 3 << bit >> 1]) {
            let found = unpack_times(&pack_times(&[time])).unwrap()[0];
            assert!(
                found <= time && time - found <= time / 1000,
                "{time}: {found}"
            );
        }
        let found = unpack_times(&pack_times(&[u32::MAX])).unwrap()[0];
        assert!(found > u32::MAX - (1 << 21), "{found}");
    }

    #[test]
    fn times_that_are_none_are_refused() {
        assert_eq!(unpack_times(&[1]), None);
        assert_eq!(unpack_times(&u16::MAX.to_le_bytes()), None);
    }
}
