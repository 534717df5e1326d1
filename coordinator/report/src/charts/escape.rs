//! Makes any text safe inside SVG, which is XML: stricter than the HTML that maud escapes for.

use loto_proto::untrusted_text;

/// The text with markup characters as entities and hazardous characters, some of which XML has no way to
/// write, as escapes.
///
/// Safe as element content and inside quoted attributes of XML.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in untrusted_text::escape(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn nothing_escapes() {
        assert_eq!(
            escape("a<b>&\"'\n\u{0}\u{ffff}\u{e9}"),
            "a&lt;b&gt;&amp;&quot;&#39;\\n\\x00\\u{ffff}\u{e9}"
        );
    }
}
