//! Texts and numbers inside LaTeX.

use std::fmt::Write;

use loto_proto::untrusted_text;

/// The text as LaTeX sets it: no command, and in ASCII but for letters with accents, which every LaTeX knows.
/// What it may not know is there by its number, such as U+4E2D.
pub(super) fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in untrusted_text::escape(text).chars() {
        match character {
            '\\' => escaped.push_str(r"\textbackslash{}"),
            '{' | '}' | '%' | '$' | '&' | '#' | '_' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '~' => escaped.push_str(r"\textasciitilde{}"),
            '^' => escaped.push_str(r"\textasciicircum{}"),
            '<' => escaped.push_str(r"\textless{}"),
            '>' => escaped.push_str(r"\textgreater{}"),
            '|' => escaped.push_str(r"\textbar{}"),
            '"' => escaped.push_str("''{}"),
            // Two of these in a row would become another character.
            '-' | '\'' | '`' | ',' | '!' | '?' => {
                escaped.push(character);
                escaped.push_str("{}");
            }
            // After the end of a row, these would be its arguments.
            '[' | '*' => {
                escaped.push_str("{}");
                escaped.push(character);
            }
            ' '..='~' => escaped.push(character),
            // Letters that the fonts of old lack.
            '\u{d0}' | '\u{de}' | '\u{f0}' | '\u{fe}' => {
                let _infallible = write!(escaped, "U+{:04X}", u32::from(character));
            }
            '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{ff}' => {
                escaped.push(character);
            }
            other => {
                let _infallible = write!(escaped, "U+{:04X}", u32::from(other));
            }
        }
    }
    escaped
}

/// A number as [`crate::numbers`] writes it, in mathematics: `$-0.25$`, `$2.1\times10^{-5}$`.
pub(super) fn number(shown: &str) -> String {
    match shown.split_once('e') {
        Some((digits, exponent)) if exponent.parse::<i32>().is_ok() => {
            format!(r"${digits}\times10^{{{exponent}}}$")
        }
        _ => format!("${shown}$"),
    }
}

/// A comment, which ends with its line.
pub(super) fn comment(text: &str) -> String {
    let harmless = |character: char| match character {
        ' '..='~' => character,
        _ => '?',
    };
    let text: String = untrusted_text::escape(text).chars().map(harmless).collect();
    format!("% {text}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_a_command() {
        assert_eq!(text("[a]*!"), "{}[a]{}*!{}");
        assert_eq!(
            text("\\input{x}%$&#_~^<>|\"\n"),
            r"\textbackslash{}input\{x\}\%\$\&\#\_\textasciitilde{}\textasciicircum{}\textless{}\textgreater{}\textbar{}''{}\textbackslash{}n"
        );
        assert_eq!(text("a--b ``c''"), "a-{}-{}b `{}`{}c'{}'{}");
        assert_eq!(text("caf\u{e9} \u{4e2d}"), "caf\u{e9} U+4E2D");
        assert_eq!(comment("a\n\\end \u{e9}"), "% a\\n\\end ?\n");
    }

    #[test]
    fn numbers_are_mathematics() {
        assert_eq!(number("-0.25"), "$-0.25$");
        assert_eq!(number("2.1e-5"), r"$2.1\times10^{-5}$");
        assert_eq!(number("[-1.00, 0.50]"), "$[-1.00, 0.50]$");
    }
}
