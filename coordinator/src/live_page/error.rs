//! Why a page cannot be shown.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use loto_proto::identity::SweepId;
use loto_proto::untrusted_text::escape_lines;
use loto_transport::TransportError;
use maud::html;
use tonic::{Code, Status};

use super::document::{Place, document};
use super::sections::problems;
use crate::CoordinatorError;
use crate::aggregator::to_status;
use crate::dispatch::DispatchError;
use crate::reporting::ReportingError;

/// Why a page cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum PageError {
    /// The address names nothing that there is.
    #[error("there is no such page: {0}")]
    NoPage(&'static str),

    /// Somebody without the right to change anything wants to.
    #[error(
        "This needs a token that may control sweeps: one whose line ends with the word `control` in the file of --tokens."
    )]
    OnlyLooking,

    /// Somebody has the right, but may not know what their browser asks for.
    #[error(
        "A page of this server has to ask for this: load the page of the sweep and use its buttons."
    )]
    ForeignPage,

    /// The name that the request is for may be that of a page of somebody else.
    #[error(
        "This server has no tokens and answers only to localhost or to its address in numbers: open it under one of these, or start it with --tokens."
    )]
    ForeignName,

    /// One thing is done at a time.
    #[error("Something else of this kind is under way: ask again when it is over.")]
    Busy,

    /// Jobs have to be published, and nobody said where.
    #[error(
        "This server does not know the broker: start it with --broker, or use the command line (`loto resume`, `loto retry`)."
    )]
    NoBroker,

    /// What was asked for was not done.
    #[error(transparent)]
    Control(#[from] DispatchError),

    /// A report of it would take too much memory of this server.
    #[error(
        "The sweep is too large to make its report here: give `loto report {0}` on a host with the memory for it."
    )]
    LargeReport(SweepId),

    /// The jobs of the sweep cannot be counted.
    #[error("the jobs cannot be counted: {0}")]
    Uncounted(Box<Status>),

    /// There is no report.
    #[error(transparent)]
    Reporting(ReportingError),

    /// The store does not have it, or cannot be read.
    #[error(transparent)]
    Coordinator(#[from] CoordinatorError),
}

impl From<TransportError> for PageError {
    fn from(error: TransportError) -> Self {
        Self::Coordinator(error.into())
    }
}

impl From<ReportingError> for PageError {
    fn from(error: ReportingError) -> Self {
        match error {
            ReportingError::Reading(error) => Self::Coordinator(error),
            other => Self::Reporting(other),
        }
    }
}

impl PageError {
    fn code(&self) -> StatusCode {
        match self {
            Self::NoPage(_) | Self::Coordinator(CoordinatorError::UnknownSweep(_)) => {
                StatusCode::NOT_FOUND
            }
            Self::OnlyLooking | Self::ForeignPage => StatusCode::FORBIDDEN,
            Self::ForeignName => StatusCode::MISDIRECTED_REQUEST,
            Self::Busy | Self::Control(DispatchError::Cancelled(_)) => StatusCode::CONFLICT,
            Self::NoBroker | Self::LargeReport(_) => StatusCode::NOT_IMPLEMENTED,
            Self::Coordinator(CoordinatorError::Transport(TransportError::Unavailable {
                ..
            }))
            | Self::Control(DispatchError::Transport(TransportError::Unavailable { .. })) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Uncounted(status) if status.code() == Code::Unavailable => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Coordinator(_) | Self::Control(_) | Self::Reporting(_) | Self::Uncounted(_) => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let code = self.code();
        let problem = match self {
            Self::NoPage(_) => html! { p { (self.to_string()) "." } },
            Self::OnlyLooking
            | Self::ForeignPage
            | Self::ForeignName
            | Self::Busy
            | Self::NoBroker
            | Self::LargeReport(_) => html! { p { (self.to_string()) } },
            Self::Uncounted(status) => problems::failure(&status),
            Self::Reporting(error) => html! { p { (escape_lines(&error.to_string())) } },
            Self::Control(error) => html! {
                div.alert role="group" aria-label="Problem" {
                    strong { "It was not done, or not wholly" }
                    pre tabindex="0" { (escape_lines(&error.to_string())) }
                }
            },
            Self::Coordinator(CoordinatorError::UnknownSweep(id)) => html! {
                p { "There is no sweep " code { (id) } " in the store. It may have been deleted." }
            },
            Self::Coordinator(error) => problems::failure(&to_status(error)),
        };
        let content = html! { h1 { (code.canonical_reason().unwrap_or("Error")) } (problem) };
        (code, document("Error", &Place::default(), &content)).into_response()
    }
}
