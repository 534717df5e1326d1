//! Who may ask a service that listens.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::error::CommandError;
use crate::aggregator::{Guard, GuardFiles};

/// Who may ask.
#[derive(Debug, Args)]
pub(super) struct GuardOptions {
    /// PEM file with the certificate of the service, which then takes TLS connections only.
    #[arg(
        long,
        env = "LOTO_TLS_CERTIFICATE",
        value_name = "FILE",
        requires = "tls_key"
    )]
    tls_certificate: Option<PathBuf>,

    /// PEM file with the private key of that certificate.
    #[arg(
        long,
        env = "LOTO_TLS_KEY",
        value_name = "FILE",
        requires = "tls_certificate"
    )]
    tls_key: Option<PathBuf>,

    /// PEM file with certificate authorities. Every client then has to show a certificate that
    /// one of them signed.
    #[arg(long, env = "LOTO_CLIENT_CA", value_name = "FILE")]
    client_ca: Option<PathBuf>,

    /// File with one line `NAME TOKEN` per client. Every request then has to carry one of the
    /// tokens. The file is read again when it changes.
    #[arg(long, env = "LOTO_TOKENS", value_name = "FILE")]
    tokens: Option<PathBuf>,

    /// Answer whoever asks, also on an address that other hosts reach, without tokens or certificates
    /// of clients.
    #[arg(long, env = "LOTO_ALLOW_ANYONE")]
    allow_anyone: bool,
}

impl GuardOptions {
    /// Who is let in to these addresses, each with the option that gave it.
    ///
    /// # Errors
    /// As [`Guard::read`] and, unless anyone is allowed, [`Guard::refuse_anyone`].
    pub(super) fn guard(
        self,
        addresses: impl IntoIterator<Item = (&'static str, SocketAddr)>,
    ) -> Result<Guard, CommandError> {
        let guard = Guard::read(&GuardFiles {
            identity: self.tls_certificate.zip(self.tls_key),
            client_ca: self.client_ca,
            tokens: self.tokens,
        })?;
        if !self.allow_anyone {
            for (option, address) in addresses {
                guard.refuse_anyone(option, address)?;
            }
        }
        Ok(guard)
    }
}
