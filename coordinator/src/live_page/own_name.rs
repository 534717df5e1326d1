//! Keeps pages of others from reading ours through a name of theirs.
//!
//! Without tokens, what keeps others away is that only this host reaches the address. A page of `evil.example` in a browser of this
//! host reaches it, too, once that name is made to lead to 127.0.0.1 (DNS rebinding): to the browser both are then of one origin. Its requests
//! carry that name. Who means this server says `localhost` or an address in numbers, to which no name server can answer anything.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header;
use axum::http::uri::Authority;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::error::PageError;

/// Refuses requests for a name that somebody else may have given this host.
pub(super) async fn check(request: Request, next: Next) -> Response {
    if asked_for(&request).is_some_and(|name| !is_own(&name)) {
        return PageError::ForeignName.into_response();
    }
    next.run(request).await
}

/// The name or address that the request is for, without a port; every browser says it.
fn asked_for(request: &Request) -> Option<String> {
    // HTTP/2 has it in the address.
    if let Some(name) = request.uri().host() {
        return Some(name.to_owned());
    }
    let host = request.headers().get(header::HOST)?;
    let authority = Authority::try_from(host.as_bytes());
    // What is no name at all is not ours.
    Some(authority.map_or_else(|_| String::new(), |authority| authority.host().to_owned()))
}

fn is_own(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || name.ends_with(".localhost") || address.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn request(host: Option<&str>) -> Request {
        let request = Request::builder().uri("/sweeps/x");
        let request = match host {
            Some(host) => request.header("Host", host),
            None => request,
        };
        request.body(Body::empty()).unwrap()
    }

    #[test]
    fn only_names_that_nobody_else_can_give_are_ours() {
        let is_let_in = |host| asked_for(&request(host)).is_none_or(|name| is_own(&name));
        for own in [
            "localhost",
            "LOCALHOST:8080",
            "loto.localhost:1",
            "127.0.0.1",
            "127.0.0.1:8080",
            "[::1]:8080",
        ] {
            assert!(is_let_in(Some(own)), "{own}");
        }
        for foreign in [
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evillocalhost",
            "a b",
            "",
        ] {
            assert!(!is_let_in(Some(foreign)), "{foreign}");
        }
        assert!(is_let_in(None));
        let second_version = Request::builder().uri("http://evil.example:80/");
        let second_version = second_version.body(Body::empty()).unwrap();
        assert!(!is_own(&asked_for(&second_version).unwrap()));
    }
}
