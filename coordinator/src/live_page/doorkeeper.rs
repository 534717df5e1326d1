//! Asks for a token if there are tokens: in a header, as gRPC clients send it, or in a cookie, which the form for
//! signing in sets.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::Form;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use loto_process::connections::connection::Client;
use maud::html;
use serde::Deserialize;
use tonic::{Code, Status};

use super::document::{Place, document};
use crate::aggregator::Guard;

/// The cookie with the token. Scripts cannot read it, and pages of others cannot send it.
const COOKIE: &str = "loto_token";

/// Half a day: a cookie that is forgotten in a browser is of no use tomorrow.
const COOKIE_SECONDS: u32 = 43_200;

/// What the form for signing in sends.
#[derive(Deserialize)]
pub(super) struct SignIn {
    token: String,
}

/// Lets requests with a token pass, and shows the form to others.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    mut request: Request,
    next: Next,
) -> Response {
    let client = request.extensions().get::<Arc<Client>>().cloned();
    if !request.headers().contains_key(header::AUTHORIZATION)
        && let Some(authorization) = from_cookie(request.headers())
    {
        request
            .headers_mut()
            .insert(header::AUTHORIZATION, authorization);
    }
    if let Err(refusal) = guard.check(request.headers(), address(client.as_deref())) {
        return refused(&refusal);
    }
    // Only now: who is not let in keeps no connection.
    if let Some(client) = client {
        client.note_request();
    }
    next.run(request).await
}

/// Takes a token from the form, checks it and keeps it in a cookie.
pub(super) async fn sign_in(
    State(guard): State<Arc<Guard>>,
    client: Option<axum::Extension<Arc<Client>>>,
    Form(SignIn { token }): Form<SignIn>,
) -> Response {
    let mut headers = HeaderMap::new();
    let authorization = HeaderValue::try_from(format!("Bearer {}", token.trim()));
    if let Ok(authorization) = authorization {
        headers.insert(header::AUTHORIZATION, authorization);
    }
    let client = client.map(|axum::Extension(client)| client);
    if let Err(refusal) = guard.check(&headers, address(client.as_deref())) {
        return refused(&refusal);
    }
    let secure = if guard.tls().is_some() {
        "; Secure"
    } else {
        ""
    };
    let cookie = format!(
        "{COOKIE}={}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict{secure}",
        token.trim()
    );
    match HeaderValue::try_from(cookie) {
        Ok(cookie) => ([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response(),
        Err(_) => form(
            StatusCode::UNAUTHORIZED,
            "a token may hold only visible ASCII characters",
        ),
    }
}

fn address(client: Option<&Client>) -> IpAddr {
    client.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client| {
        client.address.ip()
    })
}

/// The header that the cookie stands for.
fn from_cookie(headers: &HeaderMap) -> Option<HeaderValue> {
    let cookies = headers.get(header::COOKIE)?.to_str().ok()?;
    let mut cookies = cookies.split(';').map(str::trim);
    let token = cookies.find_map(|cookie| cookie.strip_prefix(COOKIE)?.strip_prefix('='))?;
    HeaderValue::try_from(format!("Bearer {token}")).ok()
}

fn refused(refusal: &Status) -> Response {
    let code = match refusal.code() {
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::UNAUTHORIZED,
    };
    form(code, refusal.message())
}

fn form(code: StatusCode, problem: &str) -> Response {
    let content = html! {
        h1 { "Sign in" }
        p { (problem) }
        form method="post" action="/sign-in" {
            label for="token" { "Token" }
            input #token name="token" type="password" autocomplete="current-password" required;
            button { "Sign in" }
        }
    };
    let page = document("Sign in", &Place::default(), &content);
    (code, page).into_response()
}
