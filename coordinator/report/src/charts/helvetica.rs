//! The standard font of PDF: its characters and their widths.

use std::fmt::Write;

use loto_proto::untrusted_text::escape;

/// Widths of the characters from the blank to the tilde, in thousandths of the size (Adobe's metrics of
/// Helvetica).
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// About the width of a letter with an accent.
const OTHER_WIDTH: u16 = 556;

/// Characters outside of Latin-1 that the encoding has, each with its code.
const MOVED: [(char, u8); 8] = [
    ('\u{2026}', 0x85),
    ('\u{2018}', 0x91),
    ('\u{2019}', 0x92),
    ('\u{201c}', 0x93),
    ('\u{201d}', 0x94),
    ('\u{2013}', 0x96),
    ('\u{2014}', 0x97),
    // The minus sign, which the encoding lacks: a dash of almost the same width.
    ('\u{2212}', 0x96),
];

/// The text in WinAnsiEncoding. What it does not have is there as an escape such as `\u{3b1}`.
pub(crate) fn encode(text: &str) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(text.len());
    for character in escape(text).chars() {
        let moved = MOVED.iter().find(|(known, _)| *known == character);
        match (character, moved) {
            (_, Some((_, code))) => encoded.push(*code),
            (' '..='~' | '\u{a1}'..='\u{ff}', _) => encoded.push(character as u32 as u8),
            ('\u{a0}' | '\u{2009}', _) => encoded.push(b' '),
            _ => {
                let mut escaped = String::new();
                let _infallible = write!(escaped, "\\u{{{:x}}}", u32::from(character));
                encoded.extend_from_slice(escaped.as_bytes());
            }
        }
    }
    encoded
}

/// Width of an encoded text of size 1.
pub(crate) fn width(encoded: &[u8]) -> f64 {
    let width = |code: &u8| {
        let place = code.checked_sub(b' ').map(usize::from);
        let known = place.and_then(|place| WIDTHS.get(place));
        f64::from(*known.unwrap_or(&OTHER_WIDTH))
    };
    encoded.iter().map(width).sum::<f64>() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_encoded_and_what_is_not_there_is_told() {
        assert_eq!(encode("A\u{2212}\u{e9}\u{2026}"), [0x41, 0x96, 0xe9, 0x85]);
        assert_eq!(encode("\u{4e2d}\n"), b"\\u{4e2d}\\n");
    }

    #[test]
    fn widths_are_those_of_the_metrics() {
        // Adobe's Helvetica.afm: WX of H, e, l, l, o are 722 556 222 222 556; of ~ 584.
        assert!((width(b"Hello") - 2.278).abs() < 1e-12);
        assert!((width(b"~") - 0.584).abs() < 1e-12);
    }
}
