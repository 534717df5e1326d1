//! Asking a process over HTTP, as Prometheus, Kubernetes and browsers do.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// What a process answered.
#[derive(Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers, as they came.
    pub head: String,
    /// What follows them.
    pub body: String,
}

/// The status and body of `GET http://ADDRESS PATH`.
///
/// # Errors
/// Whatever the connection reports.
pub fn get(address: &str, path: &str) -> std::io::Result<(u16, String)> {
    let answer = ask(address, "GET", path, &[], "")?;
    Ok((answer.status, answer.body))
}

/// The answer to a request with these headers and this body.
///
/// # Errors
/// Whatever the connection reports.
pub fn ask(
    address: &str,
    verb: &str,
    path: &str,
    headers: &[&str],
    body: &str,
) -> std::io::Result<Answer> {
    let mut connection = send(address, verb, path, headers, body)?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    let garbled = || std::io::Error::other(format!("no HTTP answer: {answer:?}"));
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(garbled)?;
    let status = head.split_whitespace().nth(1).ok_or_else(garbled)?;
    Ok(Answer {
        status: status.parse().map_err(|_| garbled())?,
        head: head.to_owned(),
        body: body.to_owned(),
    })
}

fn send(
    address: &str,
    verb: &str,
    path: &str,
    headers: &[&str],
    body: &str,
) -> std::io::Result<TcpStream> {
    let mut connection = TcpStream::connect(address)?;
    connection.set_read_timeout(Some(Duration::from_secs(20)))?;
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let length = body.len();
    // Version 1.0: the answer comes in one piece and ends with the connection.
    write!(
        connection,
        "{verb} {path} HTTP/1.0\r\nHost: {address}\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )?;
    Ok(connection)
}

/// Server-sent events, as a browser reads them.
pub struct Events(BufReader<TcpStream>);

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What the browser sends as `Last-Event-ID` when it comes back.
    pub id: String,
    /// Its text.
    pub data: String,
}

impl Events {
    /// Begins to read the events of an address.
    ///
    /// # Errors
    /// Whatever the connection reports.
    pub fn of(address: &str, path: &str, headers: &[&str]) -> std::io::Result<Self> {
        let connection = send(address, "GET", path, headers, "")?;
        let mut events = Self(BufReader::new(connection));
        while !events.line()?.is_empty() {}
        Ok(events)
    }

    /// The next event, if it comes before the deadline. The comments that keep a connection alive come for ever.
    ///
    /// # Errors
    /// Whatever the connection reports, its end, and that the deadline is over.
    pub fn read(&mut self, deadline: Instant) -> std::io::Result<Event> {
        let (mut id, mut data) = (String::new(), Vec::new());
        loop {
            if Instant::now() > deadline {
                return Err(std::io::ErrorKind::TimedOut.into());
            }
            let line = self.line()?;
            match line.split_once(": ") {
                Some(("id", text)) => id = text.to_owned(),
                Some(("data", text)) => data.push(text.to_owned()),
                None if line.is_empty() && !data.is_empty() => {
                    let data = data.join("\n");
                    return Ok(Event { id, data });
                }
                _ => {}
            }
        }
    }

    fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        if self.0.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }
}

/// Asks until the answer is as wanted, and returns it.
///
/// # Panics
/// If that takes more than a minute.
pub fn get_until(address: &str, path: &str, wanted: impl Fn(u16, &str) -> bool) -> String {
    let begin = Instant::now();
    loop {
        let answer = get(address, path);
        if let Ok((status, body)) = &answer
            && wanted(*status, body)
        {
            return body.clone();
        }
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "{address}{path}: {answer:?}"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A port of this host that nobody uses now.
///
/// # Panics
/// If there is none.
pub fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("a bound port").port()
}
