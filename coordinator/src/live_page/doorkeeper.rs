//! Asks for a token if there are tokens: in a header, as gRPC clients send it, or in a cookie, which the form for
//! signing in sets.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Form};
use loto_process::connections::connection::Client;
use maud::html;
use serde::Deserialize;
use tonic::{Code, Status};

use super::document::{Place, document};
use crate::aggregator::{Guard, Rights};

/// The cookie with the token. Scripts cannot read it, and pages of others cannot send it.
const COOKIE: &str = "loto_token";

/// Half a day: a cookie that is forgotten in a browser is of no use tomorrow.
const COOKIE_SECONDS: u32 = 43_200;

/// Who asks, as far as that matters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visitor {
    pub(super) rights: Rights,
    /// Whether the browser sent the token by itself, whoever's page it shows.
    pub(super) by_cookie: bool,
}

/// What the form for signing in sends.
#[derive(Deserialize)]
pub(super) struct SignIn {
    token: String,
}

/// Lets requests with a token pass, with what is known of the [`Visitor`], and shows the form to others.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    mut request: Request,
    next: Next,
) -> Response {
    let client = request.extensions().get::<Arc<Client>>().cloned();
    let header = request.headers().get(header::AUTHORIZATION);
    let header = header.map(|header| header.as_bytes().to_vec());
    let by_cookie = header.is_none();
    let authorization = header.or_else(|| from_cookie(request.headers()));
    match guard.admit(authorization.as_deref(), client.as_deref()) {
        Err(refusal) => refused(&refusal),
        Ok(rights) => {
            let visitor = Visitor { rights, by_cookie };
            request.extensions_mut().insert(visitor);
            next.run(request).await
        }
    }
}

/// Takes a token from the form, checks it and keeps it in a cookie.
pub(super) async fn sign_in(
    State(guard): State<Arc<Guard>>,
    client: Option<Extension<Arc<Client>>>,
    Form(SignIn { token }): Form<SignIn>,
) -> Response {
    let client = client.map(|Extension(client)| client);
    if let Err(refusal) = guard.admit(Some(&bearer(&token)), client.as_deref()) {
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

/// The header that stands for a token.
fn bearer(token: &str) -> Vec<u8> {
    format!("Bearer {}", token.trim()).into_bytes()
}

/// The header that the cookie stands for.
fn from_cookie(headers: &HeaderMap) -> Option<Vec<u8>> {
    let cookies = headers.get(header::COOKIE)?.to_str().ok()?;
    let mut cookies = cookies.split(';').map(str::trim);
    let token = cookies.find_map(|cookie| cookie.strip_prefix(COOKIE)?.strip_prefix('='))?;
    Some(bearer(token))
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
