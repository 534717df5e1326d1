//! The parts of a page, each with the version at which it last changed.

use std::str::FromStr;
use std::sync::Arc;

use maud::{Markup, PreEscaped, html};

/// Which changes a viewer has seen: those up to a version, of the page as one process made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// Drawn at random when the page was first made: another process counts anew.
    epoch: u64,
    version: u64,
}

impl std::fmt::Display for Mark {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:016x}-{}", self.epoch, self.version)
    }
}

/// A text is not a [`Mark`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoMark;

impl FromStr for Mark {
    type Err = NoMark;

    fn from_str(text: &str) -> Result<Self, NoMark> {
        let (epoch, version) = text.split_once('-').ok_or(NoMark)?;
        Ok(Self {
            epoch: u64::from_str_radix(epoch, 16).map_err(|_| NoMark)?,
            version: version.parse().map_err(|_| NoMark)?,
        })
    }
}

/// A part of a page.
#[derive(Debug, Clone)]
pub(super) struct Fragment {
    pub(super) id: String,
    /// The whole element, with its id.
    pub(super) html: Arc<str>,
    version: u64,
}

/// All parts of a page, in its order.
#[derive(Debug, Clone)]
pub(super) struct Fragments {
    newest: Mark,
    parts: Vec<Fragment>,
}

impl Fragments {
    /// A page of parts with these ids, which say as yet that they are waited for.
    pub(super) fn new(ids: impl IntoIterator<Item = String>) -> Self {
        let parts = ids.into_iter().map(|id| Fragment {
            html: element(&id, &html! { p.muted { "Being read …" } }),
            id,
            version: 0,
        });
        Self {
            newest: Mark {
                epoch: rand::random(),
                version: 0,
            },
            parts: parts.collect(),
        }
    }

    /// Puts new content into a part. Returns whether that changes it.
    pub(super) fn set(&mut self, id: &str, content: &Markup) -> bool {
        let Some(part) = self.parts.iter_mut().find(|part| part.id == id) else {
            return false;
        };
        let html = element(id, content);
        if part.html == html {
            return false;
        }
        self.newest.version += 1;
        part.html = html;
        part.version = self.newest.version;
        true
    }

    /// The version of the newest change.
    pub(super) fn mark(&self) -> Mark {
        self.newest
    }

    /// The parts that changed since `seen`, the one that changed last at the end, each with what a viewer
    /// has seen who has it. All of them for a viewer who has seen nothing of this process.
    pub(super) fn since(&self, seen: Option<Mark>) -> Vec<(Mark, Arc<str>)> {
        let seen = seen.filter(|seen| seen.epoch == self.newest.epoch);
        let parts = self.parts.iter();
        let mut changed: Vec<&Fragment> = parts
            .filter(|part| seen.is_none_or(|seen| part.version > seen.version))
            .collect();
        changed.sort_by_key(|part| part.version);
        let changed = changed.into_iter().map(|part| {
            let mark = Mark {
                version: part.version,
                ..self.newest
            };
            (mark, Arc::clone(&part.html))
        });
        changed.collect()
    }

    /// The page as it stands.
    pub(super) fn markup(&self) -> Markup {
        html! { @for part in &self.parts { (PreEscaped(&part.html)) } }
    }
}

fn element(id: &str, content: &Markup) -> Arc<str> {
    html! { section id=(id) { (content) } }.into_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Fragments {
        Fragments::new(["a", "b"].map(String::from))
    }

    fn text(text: &str) -> Markup {
        html! { (text) }
    }

    #[test]
    fn a_viewer_gets_what_changed_since_and_nothing_twice() {
        let mut page = page();
        let begin = page.mark();
        assert!(page.since(Some(begin)).is_empty());
        assert!(
            page.set("b", &text("1")) && page.set("a", &text("2")) && page.set("b", &text("3"))
        );
        let changed = page.since(Some(begin));
        let texts: Vec<&str> = changed.iter().map(|(_, html)| html.as_ref()).collect();
        assert_eq!(
            texts,
            [
                "<section id=\"a\">2</section>",
                "<section id=\"b\">3</section>"
            ]
        );
        // A viewer whose connection broke after the first.
        let rest = page.since(Some(changed[0].0));
        assert_eq!(rest, changed[1..]);
        assert!(page.since(Some(changed[1].0)).is_empty());
        // The same content again is no change.
        assert!(!page.set("b", &text("3")) && !page.set("c", &text("4")));
        assert_eq!(page.mark(), changed[1].0);
    }

    #[test]
    fn a_viewer_of_another_process_gets_all() {
        let [mut page, other] = [page(), page()];
        page.set("a", &text("1"));
        assert_eq!(page.since(Some(other.mark())).len(), 2);
        assert_eq!(page.since(None).len(), 2);
    }

    #[test]
    fn marks_survive_and_others_are_refused() {
        let mark = page().mark();
        assert_eq!(mark.to_string().parse(), Ok(mark));
        for text in ["", "-", "1", "x-1", "1-", "1--1", "fffffffffffffffff-1"] {
            assert_eq!(text.parse::<Mark>(), Err(NoMark), "{text}");
        }
    }
}
