//! A job as the pages of its series and of itself show it.

use loto_proto::attempt::{Attempt, AttemptState};
use loto_proto::table_spec::Direction;
use loto_proto::trace::Trace;
use loto_proto::untrusted_text::{escape, escape_lines};
use loto_report::numbers;
use maud::{Markup, html};

use super::sections::state::State;

/// One job of a series.
pub(super) struct Job<'a> {
    pub(super) attempt: Option<&'a Attempt>,
    pub(super) conflict: Option<&'a str>,
    pub(super) trace: Option<&'a Trace>,
    /// What is wrong with its trace.
    pub(super) damage: Option<String>,
    pub(super) direction: Direction,
}

impl Job<'_> {
    pub(super) fn state(&self) -> State {
        let attempted = self.attempt.map(|attempt| attempt.state);
        match (&self.trace, attempted) {
            _ if self.conflict.is_some() => State::Conflict,
            (Some(_), _) => State::Done,
            (_, Some(AttemptState::Running)) => State::Running,
            (_, Some(AttemptState::Failed)) => State::Failed,
            (_, Some(AttemptState::Poisoned)) => State::Poisoned,
            (_, Some(AttemptState::Queued) | None) => State::Queued,
        }
    }

    /// Its state, with a sign that does not depend on colour.
    pub(super) fn state_in_words(&self) -> Markup {
        let state = self.state();
        html! { span class=(state.word()) { (state.sign()) " " (state.word()) } }
    }

    /// What became of it.
    pub(super) fn story(&self) -> Markup {
        html! {
            @if let Some(problem) = self.conflict { p { (escape(problem)) } }
            @if let Some(problem) = &self.damage { p { "The trace is damaged: " (escape(problem)) } }
            @if let Some(attempt) = self.attempt { (attempted(attempt)) }
            @if let Some(trace) = self.trace { (evaluated(trace, self.direction)) }
        }
    }
}

fn attempted(attempt: &Attempt) -> Markup {
    html! {
        p.muted { "Attempt " (attempt.count) ", by " (escape(&attempt.worker)) "." }
        @if !attempt.error.is_empty() {
            p { (escape(&attempt.error)) }
            @if !attempt.backtrace.is_empty() {
                details { summary { "Backtrace" } pre tabindex="0" { (escape_lines(&attempt.backtrace)) } }
            }
        }
    }
}

/// What the method got.
fn evaluated(trace: &Trace, direction: Direction) -> Markup {
    let best = trace.values.iter().copied().reduce(f64::min);
    html! {
        p {
            (numbers::count(trace.rows.len() as u64, "evaluation"))
            @if let Some(best) = best { ", best value " (numbers::value(direction.turn(best))) }
            ", " (numbers::seconds(trace.cpu_time().as_secs_f64())) " s of processor time."
        }
    }
}
