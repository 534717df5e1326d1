//! The pages for browsers, over a real Redis: from an empty sweep to a finished one, through a restart of the server,
//! with hostile texts and with tokens.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use loto_proto::attempt::{Attempt, AttemptState};
use loto_proto::job::Job;
use loto_tests::http::{self, Event, Events};
use loto_tests::programs::{self, Process};
use loto_tests::servers;
use loto_tests::synthetic_sweep::{Shape, SyntheticSweep};
use loto_transport::store;

/// Far longer than anything here takes.
const SOON: Duration = Duration::from_secs(60);

/// `loto serve --http`, with the address of the pages.
fn serve(store: &str, http: &str, arguments: &[&str]) -> (Process, String) {
    let mut serve = programs::command("loto");
    serve.args(["serve", "--store", store, "--listen", "127.0.0.1:0"]);
    serve.args(["--http", http]).args(arguments);
    serve.stderr(Stdio::piped());
    let mut process = Process::start(serve);
    let log = process.child().stderr.take().unwrap();
    let mut lines = BufReader::new(log).lines().map_while(Result::ok);
    let told = |line: String| {
        let (_, address) = line.split_once("showing sweeps on http://")?;
        Some(address.to_owned())
    };
    let address = lines.find_map(told).expect("it tells its address");
    std::thread::spawn(move || lines.for_each(|line| eprintln!("{line}")));
    (process, address)
}

/// What a browser has on its page: the fragments by id.
struct Page {
    address: String,
    path: String,
    fragments: BTreeMap<String, String>,
    last: Option<String>,
    events: Option<Events>,
}

impl Page {
    /// Loads the page and listens to its changes.
    fn open(address: &str, path: &str) -> Self {
        let (status, html) = http::get(address, path).unwrap();
        assert_eq!(status, 200, "{html}");
        let (_, events) = html.split_once("data-events=\"").expect("a live page");
        let (events, _) = events.split_once('"').unwrap();
        Self {
            address: address.to_owned(),
            path: events.to_owned(),
            fragments: BTreeMap::new(),
            last: None,
            events: None,
        }
    }

    /// Takes in events until the page is as wanted.
    fn until(&mut self, wanted: impl Fn(&BTreeMap<String, String>) -> bool) {
        let begin = Instant::now();
        while !wanted(&self.fragments) {
            assert!(begin.elapsed() < SOON, "{:#?}", self.fragments);
            if let Ok(Event { id, data }) = self.next() {
                let (_, part) = data.split_once("id=\"").expect("an element with an id");
                let (part, _) = part.split_once('"').unwrap();
                self.fragments.insert(part.to_owned(), data.clone());
                self.last = Some(id);
            } else {
                // As a browser does.
                self.events = None;
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }

    fn next(&mut self) -> std::io::Result<Event> {
        if self.events.is_none() {
            let last = self
                .last
                .as_ref()
                .map(|last| format!("Last-Event-ID: {last}"));
            let headers: Vec<&str> = last.as_deref().into_iter().collect();
            self.events = Some(Events::of(&self.address, &self.path, &headers)?);
        }
        self.events.as_mut().expect("it was just opened").read()
    }
}

/// The texts of the cells of all tables.
fn cells(html: &str) -> Vec<String> {
    let cells = html.split("<td").skip(1).filter_map(|cell| {
        let (_, rest) = cell.split_once('>')?;
        Some(rest.split_once("</td>")?.0.to_owned())
    });
    cells.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_follows_a_sweep_from_empty_to_done_through_a_restart() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let sweep = SyntheticSweep::new(Shape::parse("3x4x5x6").unwrap(), 0);
    sweep.submit(store.as_ref()).await.unwrap();
    let jobs: Vec<Job> = sweep.jobs(0..5).collect();
    let (mut service, address) = serve(&url, "127.0.0.1:0", &[]);
    let id = sweep.sweep.id().to_string();
    let mut list = Page::open(&address, "/");
    tokio::task::block_in_place(|| {
        list.until(|page| {
            page.get("sweeps")
                .is_some_and(|list| list.contains("0 of 60"))
        });
    });
    let mut page = Page::open(&address, &format!("/sweeps/{id}"));
    let standing = |text: &'static str| {
        move |page: &BTreeMap<String, String>| {
            page.get("standing").is_some_and(|part| part.contains(text))
        }
    };
    tokio::task::block_in_place(|| page.until(standing("0 of 60")));
    for job in &jobs[..30] {
        store.put_trace(job, &sweep.trace(job)).await.unwrap();
    }
    tokio::task::block_in_place(|| {
        page.until(standing("30 of 60"));
        page.until(|page| {
            page.get("results-0")
                .is_some_and(|part| part.contains("<svg"))
        });
        page.until(|page| page["events"].contains("traces stored"));
        list.until(|page| page["sweeps"].contains("30 of 60"));
    });

    // The page goes on with another process, without being loaded again.
    tokio::task::block_in_place(|| service.kill());
    for job in &jobs[30..] {
        store.put_trace(job, &sweep.trace(job)).await.unwrap();
    }
    let (_service, _) = tokio::task::block_in_place(|| serve(&url, &address, &[]));
    tokio::task::block_in_place(|| {
        page.until(standing("60 of 60"));
        let from_all = "From 60 of 60 traces";
        page.until(|page| {
            page.get("results-0")
                .is_some_and(|part| part.contains(from_all))
        });
    });
    let report = programs::run("loto", ["report", &id, "--store", &url, "--format", "html"]);
    let report = String::from_utf8(report.stdout).unwrap();
    let shown = cells(&page.fragments["results-0"]);
    assert!(shown.len() > 50, "{shown:?}");
    for cell in shown {
        assert!(report.contains(&cell), "{cell} is not in the report");
    }
    // Every seed of every series is done, and its page shows its trace.
    let grid = &page.fragments["grid-0"];
    assert_eq!(grid.matches("5/5").count(), 12, "{grid}");
    let (_, series) = grid.split_once("/series/").unwrap();
    let (status, jobs_page) = tokio::task::block_in_place(|| {
        http::get(&address, &format!("/sweeps/{id}/series/{}", &series[..32])).unwrap()
    });
    assert_eq!(status, 200);
    assert_eq!(
        jobs_page.matches("6 evaluations,").count(),
        5,
        "{jobs_page}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_texts_stay_texts_and_what_is_not_there_is_said() {
    const HOSTILE: &str = "<script>alert(1)</script>\"'&";
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let mut sweep = SyntheticSweep::new(Shape::parse("2x2x2x3").unwrap(), 0);
    sweep.sweep.name = HOSTILE.into();
    for blackbox in &mut sweep.sweep.blackboxes {
        blackbox.name = HOSTILE.into();
        blackbox.targets[0] = HOSTILE.into();
        blackbox.methods[0].id = HOSTILE.into();
    }
    sweep.submit(store.as_ref()).await.unwrap();
    let job = sweep.sweep.jobs().next().unwrap();
    let series = job.series.id();
    let record = store.job_record(series, job.seed).await.unwrap();
    let poisoned = Attempt {
        count: 3,
        failures: 3,
        state: AttemptState::Poisoned,
        worker: HOSTILE.into(),
        token: String::new(),
        error: format!("{HOSTILE} failed"),
        backtrace: HOSTILE.into(),
    };
    store
        .put_attempt(&job, &record.version, &poisoned)
        .await
        .unwrap();
    store.put_conflict(&job, HOSTILE).await.unwrap();
    let (_service, address) = serve(&url, "127.0.0.1:0", &[]);
    let id = sweep.sweep.id();
    tokio::task::block_in_place(|| {
        let mut page = Page::open(&address, &format!("/sweeps/{id}"));
        page.until(|page| {
            page.get("problems")
                .is_some_and(|part| part.contains("Poisoned"))
        });
        page.until(|page| {
            page.get("grid-0")
                .is_some_and(|part| part.contains("conflict"))
        });
        let mut list = Page::open(&address, "/");
        list.until(|page| {
            page.get("sweeps")
                .is_some_and(|part| part.contains("alert(1)"))
        });
        let loaded = [
            "/".to_owned(),
            format!("/sweeps/{id}"),
            format!("/sweeps/{id}/series/{series}"),
        ];
        let loaded = loaded.map(|path| http::get(&address, &path).unwrap());
        let fragments = page.fragments.values().chain(list.fragments.values());
        let texts = fragments.chain(loaded.iter().map(|(_, body)| body));
        for text in texts {
            assert!(!text.contains("<script>alert"), "{text}");
        }
        assert!(
            loaded[2]
                .1
                .contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;")
        );

        let unknown = "0123456789abcdef0123456789abcdef";
        for (path, told) in [
            (format!("/sweeps/{unknown}"), "may have been deleted"),
            (format!("/sweeps/{unknown}/events"), "may have been deleted"),
            ("/sweeps/%3Cscript%3E".to_owned(), "no id of a sweep"),
            (format!("/sweeps/{id}/series/{unknown}"), "no such series"),
            ("/../etc/passwd".to_owned(), "not one of loto"),
        ] {
            let (status, body) = http::get(&address, &path).unwrap();
            assert_eq!(status, 404, "{path}");
            assert!(
                body.contains(told) && !body.contains("<script>"),
                "{path}: {body}"
            );
        }
        let answer = http::ask(&address, "GET", "/", &[], "").unwrap();
        let head = answer.head.to_lowercase();
        for header in [
            "default-src 'none'",
            "frame-ancestors 'none'",
            "nosniff",
            "no-referrer",
        ] {
            assert!(head.contains(header), "{head}");
        }
        assert_eq!(
            http::ask(&address, "POST", "/", &[], "").unwrap().status,
            405
        );
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_no_token_sees_a_form_and_nothing_else() {
    let url = servers::empty_store().await;
    let store = store::open(&url).await.unwrap();
    let sweep = SyntheticSweep::new(Shape::parse("2x2x2x3").unwrap(), 0);
    sweep.submit(store.as_ref()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, "ann first-token\n").unwrap();
    std::fs::set_permissions(&tokens, std::fs::Permissions::from_mode(0o600)).unwrap();
    let tokens = tokens.to_str().unwrap().to_owned();
    let (_service, address) = serve(&url, "127.0.0.1:0", &["--tokens", &tokens]);
    let id = sweep.sweep.id();
    tokio::task::block_in_place(|| {
        let ask =
            |path: &str, headers: &[&str]| http::ask(&address, "GET", path, headers, "").unwrap();
        for path in [
            "/",
            "/events",
            &format!("/sweeps/{id}"),
            &format!("/sweeps/{id}/events"),
        ] {
            for headers in [
                &[][..],
                &["Authorization: Bearer wrong"],
                &["Cookie: loto_token=wrong"],
            ] {
                let answer = ask(path, headers);
                assert_eq!(answer.status, 401, "{path} {headers:?}");
                assert!(
                    answer.body.contains("type=\"password\"")
                        && !answer.body.contains(&id.to_string())
                );
            }
        }
        let form = ["Content-Type: application/x-www-form-urlencoded"];
        let sign_in =
            || http::ask(&address, "POST", "/sign-in", &form, "token=third-token").unwrap();
        let answers: Vec<http::Answer> = (0..10).map(|_| sign_in()).collect();
        assert_eq!(answers[0].status, 401);
        assert_eq!(answers[9].status, 429, "after so many wrong ones");
        let tells = answers
            .iter()
            .any(|answer| answer.body.contains("third-token"));
        assert!(!tells, "a page repeats the token");
    });
    let (_service, address) = serve(&url, "127.0.0.1:0", &["--tokens", &tokens]);
    tokio::task::block_in_place(|| {
        let form = ["Content-Type: application/x-www-form-urlencoded"];
        let answer = http::ask(&address, "POST", "/sign-in", &form, "token=first-token").unwrap();
        assert_eq!(answer.status, 303, "{answer:?}");
        assert!(
            answer.head.contains("HttpOnly; SameSite=Strict"),
            "{}",
            answer.head
        );
        for header in [
            "Cookie: other=1; loto_token=first-token",
            "Authorization: Bearer first-token",
        ] {
            let answer = http::ask(&address, "GET", "/", &[header], "").unwrap();
            assert_eq!(answer.status, 200, "{header}");
        }
    });
}
