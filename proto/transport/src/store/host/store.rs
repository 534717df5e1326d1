//! The connection to `loto host`, and what its answers may be.

use loto_proto::attempt::Attempt;
use loto_proto::identity::SeriesId;
use loto_proto::trace::Trace;
use parking_lot::Mutex;

use crate::connection::Access;
use crate::error::{Reason, TransportError};
use crate::host::channel::HostChannel;
use crate::host::problem::{from_wire, garbled};
use crate::host::protocol::wire::passed_over_entry::Hides;
use crate::host::protocol::wire::store_answer::Answer;
use crate::host::protocol::wire::store_call::Call;
use crate::host::protocol::wire::{self, StoreCall};
use crate::server::Server;
use crate::store::attempts::decode_attempt;
use crate::store::damage::{Hidden, PassedOver};
use crate::store::health::Health;

/// A store in a process that runs `loto host`.
pub struct HostStore {
    channel: HostChannel,
    /// What the host told with its last answer.
    pub(super) passed_over: Mutex<Vec<PassedOver>>,
}

impl HostStore {
    /// Connects to `loto[s]://[:TOKEN@]HOST[:PORT]`.
    ///
    /// # Errors
    /// [`TransportError::UnknownUrl`] if it is not such a URL; [`TransportError::Unavailable`] if the host does
    /// not answer; [`TransportError::Refused`] if it refuses us, or we do not trust it.
    pub async fn connect(access: impl Into<Access>) -> Result<Self, TransportError> {
        let channel = HostChannel::connect(Server::Store, &access.into()).await?;
        Ok(Self {
            channel,
            passed_over: Mutex::default(),
        })
    }

    pub(super) async fn ask(&self, call: Call) -> Result<Answer, TransportError> {
        let place = self.channel.place();
        let call = StoreCall { call: Some(call) };
        let answer = self.channel.client().keep(call).await;
        let answer = answer.map_err(|status| place.failed(status))?.into_inner();
        *self.passed_over.lock() = answer.passed_over.into_iter().map(passed_over).collect();
        match answer.answer {
            Some(Answer::Problem(problem)) => Err(from_wire(problem, place)),
            Some(answer) => Ok(answer),
            None => Err(self.garbled()),
        }
    }

    pub(super) async fn tell(&self, call: Call) -> Result<(), TransportError> {
        match self.ask(call).await? {
            Answer::Done(_) => Ok(()),
            _ => Err(self.garbled()),
        }
    }

    pub(super) async fn find(&self, call: Call) -> Result<Option<Vec<u8>>, TransportError> {
        match self.ask(call).await? {
            Answer::Found(found) => Ok(found.value),
            _ => Err(self.garbled()),
        }
    }

    pub(super) async fn ask_whether(&self, call: Call) -> Result<bool, TransportError> {
        match self.ask(call).await? {
            Answer::Whether(whether) => Ok(whether),
            _ => Err(self.garbled()),
        }
    }

    pub(super) fn garbled(&self) -> TransportError {
        garbled(self.channel.place())
    }

    pub(super) fn corrupt(
        &self,
        key: impl Into<String>,
        reason: impl Into<Reason>,
    ) -> TransportError {
        TransportError::CorruptValue {
            store: self.channel.place().name().to_owned(),
            key: key.into(),
            reason: reason.into(),
        }
    }

    pub(super) fn identifier(&self, bytes: &[u8]) -> Result<[u8; 16], TransportError> {
        bytes.try_into().map_err(|_| self.garbled())
    }

    pub(super) fn place_of(
        &self,
        place: &wire::JobPlace,
    ) -> Result<(SeriesId, u32), TransportError> {
        Ok((SeriesId(self.identifier(&place.series)?), place.seed))
    }

    pub(super) fn decode_trace(
        &self,
        series: SeriesId,
        seed: u32,
        bytes: &[u8],
    ) -> Result<Trace, TransportError> {
        Trace::decode_for(series, seed, bytes)
            .map_err(|error| self.corrupt(format!("trace of series {series}, seed {seed}"), error))
    }

    pub(super) fn decode_attempt(
        &self,
        series: SeriesId,
        seed: u32,
        text: &[u8],
    ) -> Result<Attempt, TransportError> {
        decode_attempt(series, seed, text).map_err(|error| {
            self.corrupt(format!("attempts at series {series}, seed {seed}"), error)
        })
    }
}

impl Health for HostStore {}

/// What a host of a later release passed over hides nothing that is known here.
fn passed_over(entry: wire::PassedOverEntry) -> PassedOver {
    let hides = match entry.hides {
        Some(Hides::Sweep(_)) => Hidden::Sweep,
        Some(Hides::Conflict(_)) => Hidden::Conflict,
        Some(Hides::AttemptsOf(series)) => match series.try_into() {
            Ok(series) => Hidden::Attempt(SeriesId(series)),
            Err(_) => Hidden::Nothing,
        },
        Some(Hides::Nothing(_)) | None => Hidden::Nothing,
    };
    PassedOver {
        hides,
        problem: entry.problem,
    }
}
