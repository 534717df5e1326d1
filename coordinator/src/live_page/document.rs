//! What is around the content of every page.

use axum::response::Html;
use loto_proto::untrusted_text::{escape, escape_lines};
use maud::{DOCTYPE, Markup, html};

/// Where a page is among the others.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// Names and addresses of the pages above it.
    pub(super) above: Vec<(String, String)>,
    /// Where its changes come from; `None` for a page that stays as it is.
    pub(super) events: Option<String>,
}

/// A whole page.
pub(super) fn document(title: &str, place: &Place, content: &Markup) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (escape(title)) " – loto" }
                link rel="stylesheet" href="/style.css";
                @if place.events.is_some() { script src="/live.js" defer {} }
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                nav aria-label="Pages" {
                    a href="/" { "Sweeps" }
                    @for (name, address) in &place.above { " / " a href=(address) { (escape(name)) } }
                    @if place.events.is_some() {
                        noscript { "Without JavaScript this page shows the state as it was loaded. Load it again for what was still being read." }
                        span #connection role="status" {}
                    }
                }
                main #content data-events=[&place.events] { (content) }
            }
        }
    };
    // The texts of others are escaped where they stand; this catches one that is forgotten.
    Html(escape_lines(&page.into_string()).into_owned())
}
