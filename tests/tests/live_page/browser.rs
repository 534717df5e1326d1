//! `loto serve --http` and what a browser has of its pages.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use loto_tests::http::{self, Event, Events};
use loto_tests::programs::{self, Process};

/// Far longer than anything here takes.
const SOON: Duration = Duration::from_secs(60);

/// `loto serve --http`, with the address of the pages.
pub(crate) fn serve(store: &str, http: &str, arguments: &[&str]) -> (Process, String) {
    let mut serve = programs::command("loto");
    serve.args(["serve", "--store", store, "--listen", "127.0.0.1:0"]);
    serve.args(["--http", http]).args(arguments);
    programs::start_and_read(serve, "showing sweeps on http://")
}

/// What a browser has on its page: the fragments by id.
pub(crate) struct Page {
    address: String,
    path: String,
    pub(crate) fragments: BTreeMap<String, String>,
    last: Option<String>,
    events: Option<Events>,
}

impl Page {
    /// Loads the page, as far as it is known then, and listens to its changes.
    pub(crate) fn open(address: &str, path: &str) -> Self {
        let (status, html) = http::get(address, path).unwrap();
        assert_eq!(status, 200, "{html}");
        let (_, events) = html.split_once("data-events=\"").expect("a live page");
        let (events, _) = events.split_once('"').unwrap();
        let mut page = Self {
            address: address.to_owned(),
            path: events.to_owned(),
            fragments: BTreeMap::new(),
            last: None,
            events: None,
        };
        for part in html.split("<section ").skip(1) {
            page.put(part);
        }
        page
    }

    /// Takes in a part of the page.
    fn put(&mut self, html: &str) {
        let (_, part) = html.split_once("id=\"").expect("an element with an id");
        let (part, _) = part.split_once('"').unwrap();
        self.fragments.insert(part.to_owned(), html.to_owned());
    }

    /// Takes in events until the page is as wanted.
    pub(crate) fn until(&mut self, wanted: impl Fn(&BTreeMap<String, String>) -> bool) {
        let deadline = Instant::now() + SOON;
        while !wanted(&self.fragments) {
            assert!(Instant::now() < deadline, "{:#?}", self.fragments);
            if let Ok(Event { id, data }) = self.next(deadline) {
                self.put(&data);
                self.last = Some(id);
            } else {
                // As a browser does.
                self.events = None;
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }

    fn next(&mut self, deadline: Instant) -> std::io::Result<Event> {
        if self.events.is_none() {
            let last = self
                .last
                .as_ref()
                .map(|last| format!("Last-Event-ID: {last}"));
            let headers: Vec<&str> = last.as_deref().into_iter().collect();
            self.events = Some(Events::of(&self.address, &self.path, &headers)?);
        }
        let events = self.events.as_mut().expect("it was just opened");
        events.read(deadline)
    }
}

/// The texts of the cells of all tables.
pub(crate) fn cells(html: &str) -> Vec<String> {
    let cells = html.split("<td").skip(1).filter_map(|cell| {
        let (_, rest) = cell.split_once('>')?;
        Some(rest.split_once("</td>")?.0.to_owned())
    });
    cells.collect()
}
