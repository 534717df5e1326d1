//! Why a page cannot be shown.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use loto_transport::TransportError;
use maud::html;

use super::document::{Place, document};
use super::sections::problems;
use crate::CoordinatorError;
use crate::aggregator::to_status;

/// Why a page cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum PageError {
    /// The address names nothing that there is.
    #[error("there is no such page: {0}")]
    NoPage(&'static str),

    /// The store does not have it, or cannot be read.
    #[error(transparent)]
    Coordinator(#[from] CoordinatorError),
}

impl From<TransportError> for PageError {
    fn from(error: TransportError) -> Self {
        Self::Coordinator(error.into())
    }
}

impl PageError {
    fn code(&self) -> StatusCode {
        match self {
            Self::NoPage(_) | Self::Coordinator(CoordinatorError::UnknownSweep(_)) => {
                StatusCode::NOT_FOUND
            }
            Self::Coordinator(CoordinatorError::Transport(TransportError::Unavailable {
                ..
            })) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Coordinator(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let code = self.code();
        let problem = match self {
            Self::NoPage(_) => html! { p { (self.to_string()) "." } },
            Self::Coordinator(CoordinatorError::UnknownSweep(id)) => html! {
                p { "There is no sweep " code { (id) } " in the store. It may have been deleted." }
            },
            Self::Coordinator(error) => problems::failure(&to_status(error)),
        };
        let content = html! { h1 { (code.canonical_reason().unwrap_or("Error")) } (problem) };
        (code, document("Error", &Place::default(), &content)).into_response()
    }
}
