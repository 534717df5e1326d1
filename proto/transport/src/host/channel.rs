//! The connection to a host, and what its failures mean.

use std::error::Error;
use std::iter;
use std::time::Duration;

use loto_proto::excerpt::excerpt;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Request, Status};

use super::protocol::wire::WaitingRequest;
use super::protocol::wire::host_client::HostClient;
use super::protocol::{DEFAULT_PORT, MAX_HOST_MESSAGE_BYTES};
use crate::connection::Access;
use crate::connection::address::without_password;
use crate::connection::refusal;
use crate::connection::tls::{Tls, install_cryptography, system_authorities};
use crate::error::{Reason, TransportError};
use crate::server::Server;

/// Time to connect, TLS included.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// Time for an answer: a blob may have a long way.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Time between two looks whether a silent host is still there, and for its answer.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// A connection to a host, which is made anew when it is lost. Clones share it.
#[derive(Clone)]
pub(crate) struct HostChannel {
    client: HostClient<InterceptedService<Channel, Bearer>>,
    place: Place,
}

/// Where a host is, for messages.
#[derive(Clone)]
pub(crate) struct Place {
    server: Server,
    /// The URL without its password.
    name: String,
}

/// Puts the token into every request.
#[derive(Clone)]
pub(crate) struct Bearer(Option<MetadataValue<Ascii>>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            request
                .metadata_mut()
                .insert("authorization", token.clone());
        }
        Ok(request)
    }
}

impl HostChannel {
    /// Connects to `loto[s]://[:TOKEN@]HOST[:PORT]`, which is asked as this kind of server.
    ///
    /// # Errors
    /// [`TransportError::UnknownUrl`] if it is not such a URL; [`TransportError::Unavailable`] if the host does not
    /// answer; [`TransportError::Refused`] if it refuses us, if the token cannot be one, or if we do not trust the host.
    pub(crate) async fn connect(server: Server, access: &Access) -> Result<Self, TransportError> {
        let url = access.address.expose();
        let place = Place {
            server,
            name: without_password(url),
        };
        let unknown = || TransportError::UnknownUrl {
            server,
            url: place.name.clone(),
            expected: "loto[s]://[:TOKEN@]HOST[:PORT]",
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(unknown)?;
        let (credentials, authority) = rest.rsplit_once('@').unwrap_or(("", rest));
        let authority = authority.trim_end_matches('/');
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                (host, port.parse().map_err(|_| unknown())?)
            }
            _ => (authority, DEFAULT_PORT),
        };
        if host.is_empty() || host.contains(['/', '?', '#']) {
            return Err(unknown());
        }
        let of_url = credentials.split_once(':').map(|(_, token)| token);
        let of_url = of_url.filter(|token| !token.is_empty());
        let of_access = access.password.as_ref().map(|password| password.expose());
        let bearer = place.bearer(of_url.or(of_access))?;
        let has_tls = scheme == "lotos";
        let scheme = if has_tls { "https" } else { "http" };
        let endpoint = Endpoint::from_shared(format!("{scheme}://{host}:{port}"));
        let mut endpoint = endpoint
            .map_err(|_| unknown())?
            .connect_timeout(CONNECTION_TIMEOUT)
            .timeout(ANSWER_TIMEOUT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(KEEPALIVE)
            .keep_alive_timeout(KEEPALIVE)
            .keep_alive_while_idle(true);
        let failed = |error| place.not_reached(&error);
        if has_tls {
            endpoint = endpoint
                .tls_config(client_tls(&access.tls))
                .map_err(failed)?;
        }
        let channel = endpoint.connect().await.map_err(failed)?;
        let client = HostClient::with_interceptor(channel, bearer)
            .max_decoding_message_size(MAX_HOST_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_HOST_MESSAGE_BYTES);
        // Whether a host is there, and whether it lets us in, is told by an answer only.
        let asked = client.clone().waiting(WaitingRequest {}).await;
        asked.map_err(|status| match status.source() {
            Some(error) => place.not_reached(error),
            None => place.failed(status),
        })?;
        Ok(Self { client, place })
    }

    /// To be asked: a clone of the connection.
    pub(crate) fn client(&self) -> HostClient<InterceptedService<Channel, Bearer>> {
        self.client.clone()
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }
}

impl Place {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn bearer(&self, token: Option<&str>) -> Result<Bearer, TransportError> {
        let header = token.map(|token| format!("Bearer {token}").parse());
        let header = header.transpose().map_err(|_| {
            self.refused(
                "the token has characters that no token can have: letters, digits and -._~+/= can",
            )
        })?;
        Ok(Bearer(header))
    }

    pub(crate) fn unavailable(&self, reason: impl Into<Reason>) -> TransportError {
        TransportError::Unavailable {
            server: self.server,
            address: self.name.clone(),
            reason: reason.into(),
        }
    }

    pub(crate) fn refused(&self, reason: impl Into<Reason>) -> TransportError {
        TransportError::Refused {
            server: self.server,
            address: self.name.clone(),
            reason: reason.into(),
        }
    }

    /// What it means that no host was reached.
    fn not_reached(&self, error: &(dyn Error + 'static)) -> TransportError {
        if let Some(reason) = refusal::of_tls(error) {
            return self.refused(reason);
        }
        let text = in_full(error);
        if !causes(error).any(|cause| cause.is::<hyper::Error>()) {
            return self.unavailable(text);
        }
        // Something took the connection, which need not be a host.
        let advice = refusal::advice_on_port(&self.name, "a `loto host`", "loto");
        self.unavailable(format!("{text}; {advice}"))
    }

    /// What it means that a call failed.
    pub(crate) fn failed(&self, status: Status) -> TransportError {
        let source = status.source();
        if let Some(reason) = source.and_then(refusal::of_tls) {
            return self.refused(reason);
        }
        let told = excerpt(status.message());
        match status.code() {
            Code::Unauthenticated | Code::PermissionDenied => self.refused(format!(
                "it does not let us in: {told}; put the token into a file for --host-token-file, or into LOTO_HOST_TOKEN"
            )),
            Code::Unimplemented => self.refused(
                "what answers there is no `loto host`, or one of a release that does not know this question",
            ),
            Code::InvalidArgument | Code::OutOfRange => self.refused(told),
            _ => match source {
                Some(source) => self.unavailable(in_full(source)),
                None => self.unavailable(told),
            },
        }
    }
}

/// An error and its causes.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| error.source())
}

/// An error with its causes, which transport errors do not tell by themselves.
fn in_full(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    for cause in causes(error).skip(1) {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
    }
    text
}

fn client_tls(tls: &Tls) -> ClientTlsConfig {
    install_cryptography();
    let config = ClientTlsConfig::new();
    let config = match tls.authorities() {
        Some(authorities) => config.ca_certificate(Certificate::from_pem(authorities)),
        None => config.trust_anchors(system_authorities().roots),
    };
    match tls.identity() {
        Some(identity) => config.identity(Identity::from_pem(
            identity.certificate(),
            identity.expose_key(),
        )),
        None => config,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[tokio::test]
    async fn what_is_no_address_of_a_host_is_refused_without_its_token() {
        for url in [
            "loto://",
            "loto://:top-secret@",
            "loto://:top-secret@host:port",
            "loto://host/path",
        ] {
            let access = Access::from(url);
            let error = HostChannel::connect(Server::Store, &access).await;
            let error = error.err().unwrap().to_string();
            assert!(error.contains("expected loto[s]://"), "{error}");
            assert!(!error.contains("top-secret"), "{error}");
        }
        let access = Access::from("loto://:top\u{7f}secret@127.0.0.1:1");
        let error = HostChannel::connect(Server::Store, &access).await;
        assert!(matches!(error, Err(TransportError::Refused { .. })));
    }

    #[tokio::test]
    async fn who_is_not_there_may_come_back() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let access = Access::from(&format!("loto://{address}"));
        let error = HostChannel::connect(Server::Broker, &access).await;
        let error = error.err().unwrap();
        assert!(error.is_transient(), "{error}");
        assert!(error.to_string().contains("Connection refused"), "{error}");
    }

    #[tokio::test]
    async fn who_does_not_speak_as_a_host_may_be_one_with_tls() {
        let no_host: [&[u8]; 3] = [
            b"HTTP/1.0 400 Bad Request\r\n\r\n",
            b"-ERR unknown command 'PRI'\r\n",
            b"",
        ];
        for answer in no_host {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            let answering = std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                stream.read_exact(&mut [0; 24]).unwrap();
                stream.write_all(answer).unwrap();
            });
            let access = Access::from(&format!("loto://{address}"));
            let error = HostChannel::connect(Server::Store, &access)
                .await
                .err()
                .unwrap();
            answering.join().unwrap();
            let told = error.to_string();
            assert!(told.contains("lotos://"), "{told}");
        }
    }
}
