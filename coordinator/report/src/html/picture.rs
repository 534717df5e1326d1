//! Pictures of the page.

use loto_proto::untrusted_text::escape;
use maud::{Markup, PreEscaped, html};

use crate::charts::Picture;

/// A picture with what it shows for those who cannot see it. On a narrow screen it keeps its size, so that its texts can be read, and
/// scrolls, also from the keyboard.
pub fn framed(picture: &Picture, title: &str) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label=(escape(title)) { (PreEscaped(picture.svg(title))) }
    }
}
