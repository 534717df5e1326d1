//! Asking a process over HTTP, as Prometheus and Kubernetes do.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The status and body of `GET http://ADDRESS PATH`.
///
/// # Errors
/// Whatever the connection reports.
pub fn get(address: &str, path: &str) -> std::io::Result<(u16, String)> {
    let mut connection = TcpStream::connect(address)?;
    connection.set_read_timeout(Some(Duration::from_secs(20)))?;
    // Version 1.0: the answer comes in one piece and ends with the connection.
    write!(connection, "GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n")?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    let garbled = || std::io::Error::other(format!("no HTTP answer: {answer:?}"));
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(garbled)?;
    let status = head.split_whitespace().nth(1).ok_or_else(garbled)?;
    Ok((status.parse().map_err(|_| garbled())?, body.to_owned()))
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
