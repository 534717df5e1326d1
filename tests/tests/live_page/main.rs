//! The pages for browsers, over a real Redis: from an empty sweep to a finished one, through a restart of the server,
//! with hostile texts and with tokens.

mod alarms;
mod browser;
mod control;
mod results;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use loto_proto::attempt::{Attempt, AttemptState};
use loto_proto::job::Job;
use loto_tests::synthetic_sweep::{Shape, SyntheticSweep};
use loto_tests::{http, programs, servers};
use loto_transport::store;

use self::browser::{Page, cells, serve};

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
    let mut shown = cells(&page.fragments["results-0"]);
    for part in ["scores", "evaluations", "tasks", "pairs"] {
        let path = format!("/sweeps/{id}/results/0/{part}");
        let link = format!("href=\"{path}\"");
        let is_here = page.fragments["results-0"].contains(&link);
        assert_eq!(
            is_here,
            part != "scores",
            "the curves fit on the page of the sweep"
        );
        let mut page = Page::open(&address, &path);
        let sign = if part == "evaluations" { "<svg" } else { "<td" };
        tokio::task::block_in_place(|| page.until(|page| page["results-0"].contains(sign)));
        shown.extend(cells(&page.fragments["results-0"]));
    }
    assert!(shown.len() > 80, "{shown:?}");
    for cell in shown {
        assert!(report.contains(&cell), "{cell} is not in the report");
    }
    // Every seed of every series is done, and its page shows its trace.
    let grid = &page.fragments["grid-0"];
    assert_eq!(grid.matches("5/5").count(), 12, "{grid}");
    assert!(grid.contains("href=\"?series=11\"") && !grid.contains("?series=12"));
    let series = tokio::task::block_in_place(|| {
        let path = format!("/sweeps/{id}?series=11");
        let answer = http::ask(&address, "GET", &path, &[], "").unwrap();
        let (_, series) = answer.head.split_once("location: ").unwrap();
        series.lines().next().unwrap().to_owned()
    });
    assert!(
        series.contains(&jobs[11].series.id().to_string()),
        "{series}"
    );
    let (status, jobs_page) = tokio::task::block_in_place(|| http::get(&address, &series).unwrap());
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
    const HOSTILE_IN_ADDRESS: &str = "%3Cscript%3Ealert(1)%3C/script%3E%22'%26";
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
            format!("/sweeps/{id}/series/{series}/seeds/{}", job.seed),
            format!("/sweeps/{id}/jobs/0/0"),
            format!("/sweeps/{id}/results/0/pairs"),
            format!(
                "/sweeps/{id}/compare?blackbox={HOSTILE_IN_ADDRESS}&task={HOSTILE_IN_ADDRESS}&one=m1&other={HOSTILE_IN_ADDRESS}"
            ),
        ];
        let loaded = loaded.map(|path| http::get(&address, &path).unwrap());
        let fragments = page.fragments.values().chain(list.fragments.values());
        let texts = fragments.chain(loaded.iter().map(|(_, body)| body));
        for text in texts {
            assert!(!text.contains("<script>alert"), "{text}");
        }
        // The table has other tasks: that is said where distances are needed.
        assert!(loaded[6].1.contains("does not have"), "{}", loaded[6].1);
        for (status, text) in &loaded[2..5] {
            assert_eq!(*status, 200, "{text}");
            assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;"));
        }

        let unknown = "0123456789abcdef0123456789abcdef";
        for (path, told) in [
            (format!("/sweeps/{unknown}"), "may have been deleted"),
            (format!("/sweeps/{unknown}/events"), "may have been deleted"),
            ("/sweeps/%3Cscript%3E".to_owned(), "no id of a sweep"),
            (format!("/sweeps/{id}/series/{unknown}"), "no such series"),
            (format!("/sweeps/{id}?series=4"), "no such series"),
            (format!("/sweeps/{id}?series=x"), "no such series"),
            (format!("/sweeps/{id}/results/0/x"), "no such results"),
            (format!("/sweeps/{id}/results/1/scores"), "no such results"),
            (
                format!("/sweeps/{id}/results/all/pairs/events"),
                "no such results",
            ),
            (format!("/sweeps/{id}/jobs/0/2"), "no such method"),
            (format!("/sweeps/{id}/jobs/x/0"), "no method"),
            (
                format!("/sweeps/{id}/series/{series}/seeds/9"),
                "no such seed",
            ),
            (format!("/sweeps/{id}/series/{series}/seeds/x"), "no seed"),
            (format!("/sweeps/{id}/compare"), "two methods"),
            (
                format!("/sweeps/{id}/compare?blackbox=x&task=y&one=m1&other=m1"),
                "no black box",
            ),
            (
                format!("/sweeps/{unknown}/report.html"),
                "may have been deleted",
            ),
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
            "same-origin",
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_tokens_a_page_is_shown_only_under_a_name_of_this_host() {
    let url = servers::empty_store().await;
    let (_service, address) = serve(&url, "127.0.0.1:0", &[]);
    let asked_as = |name: &str| {
        let mut connection = TcpStream::connect(&address).unwrap();
        write!(connection, "GET / HTTP/1.0\r\nHost: {name}\r\n\r\n").unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        answer
    };
    tokio::task::block_in_place(|| {
        assert!(asked_as("localhost:1234").contains(" 200 "));
        // A name that its owner made to lead to this host.
        let refused = asked_as("rebound.example:1234");
        assert!(refused.contains(" 421 "), "{refused}");
        assert!(
            refused.contains("--tokens") && !refused.contains("id=\"sweeps\""),
            "{refused}"
        );
    });
}
