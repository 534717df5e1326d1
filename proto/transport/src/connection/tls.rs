//! TLS: the authorities we trust, and the certificate we show.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use super::secret_file::read_secret_file;
use crate::error::{Reason, TransportError};

/// Makes ring the one provider of cryptography in this process; to be called before any TLS is
/// set up. Calling it again does nothing.
pub fn install_cryptography() {
    // An error says that one is installed already.
    let _installed = rustls::crypto::ring::default_provider().install_default();
}

/// Whom we trust and who we are. By default: whom the system trusts, and nobody.
#[derive(Clone, Default)]
pub struct Tls {
    authorities: Option<Pem>,
    identity: Option<Identity>,
}

/// A certificate with its key.
#[derive(Clone)]
pub struct Identity {
    certificate: Pem,
    key: Pem,
}

/// The content of a PEM file.
#[derive(Clone)]
struct Pem {
    path: PathBuf,
    content: Arc<[u8]>,
}

impl Tls {
    /// Reads the files: `ca` with authorities to trust in place of the system's, and a
    /// certificate to show with its key.
    ///
    /// # Errors
    /// [`TransportError::UnreadableFile`]; [`TransportError::InvalidFile`] if one is not what it should be;
    /// [`TransportError::HalfIdentity`] if there is a certificate without a key or the other way round.
    pub fn read(
        ca: Option<&Path>,
        certificate: Option<&Path>,
        key: Option<&Path>,
    ) -> Result<Self, TransportError> {
        let identity = match (certificate, key) {
            (Some(certificate), Some(key)) => Some(Identity::read(certificate, key)?),
            (None, None) => None,
            _ => return Err(TransportError::HalfIdentity),
        };
        let tls = Self {
            authorities: ca.map(Pem::read).transpose()?,
            identity,
        };
        if let Some(authorities) = &tls.authorities {
            authorities.trust_anchors()?;
        }
        Ok(tls)
    }

    /// The PEM text of the authorities to trust, unless they are the system's.
    pub(crate) fn authorities(&self) -> Option<&[u8]> {
        self.authorities.as_ref().map(|pem| &*pem.content)
    }

    /// The certificate to show.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// What rustls needs to connect.
    ///
    /// # Errors
    /// [`TransportError::InvalidFile`] if a file is not what it should be.
    pub(crate) fn client_config(&self) -> Result<Arc<ClientConfig>, TransportError> {
        install_cryptography();
        let roots = match &self.authorities {
            Some(authorities) => authorities.trust_anchors()?,
            None => system_authorities(),
        };
        let config = ClientConfig::builder().with_root_certificates(roots);
        let config = match &self.identity {
            Some(identity) => identity.prove(config)?,
            None => config.with_no_client_auth(),
        };
        Ok(Arc::new(config))
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = |pem: &Pem| pem.path.clone();
        let certificate = self
            .identity
            .as_ref()
            .map(|identity| path(&identity.certificate));
        formatter
            .debug_struct("Tls")
            .field("authorities", &self.authorities.as_ref().map(path))
            .field("certificate", &certificate)
            .finish()
    }
}

/// A certificate that does not parse is passed over: others do.
pub(crate) fn system_authorities() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

impl Identity {
    /// Reads a certificate, with those that lead to its authority if any, and its key.
    ///
    /// # Errors
    /// [`TransportError::UnreadableFile`]; [`TransportError::InvalidFile`] if they are not a certificate and
    /// key, or the key is another certificate's.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, TransportError> {
        install_cryptography();
        let identity = Self {
            certificate: Pem::read(certificate)?,
            key: Pem {
                path: key.to_owned(),
                content: read_secret_file(key)?.into(),
            },
        };
        let nobody = ClientConfig::builder().with_root_certificates(RootCertStore::empty());
        identity.prove(nobody)?;
        Ok(identity)
    }

    /// The PEM text of the certificate.
    pub fn certificate(&self) -> &[u8] {
        &self.certificate.content
    }

    /// The PEM text of the key: not to be shown.
    pub fn expose_key(&self) -> &[u8] {
        &self.key.content
    }

    fn prove(
        &self,
        config: rustls::ConfigBuilder<ClientConfig, rustls::client::WantsClientCert>,
    ) -> Result<ClientConfig, TransportError> {
        let key = PrivateKeyDer::from_pem_slice(&self.key.content)
            .map_err(|_| self.key.invalid("it holds no private key in PEM form"))?;
        let certificates = self.certificate.certificates()?;
        config
            .with_client_auth_cert(certificates, key)
            .map_err(|problem| {
                let certificate = self.certificate.path.display();
                self.key.invalid(format!(
                    "it cannot be used as the key of the certificate {certificate}: {problem}"
                ))
            })
    }
}

impl Pem {
    fn read(path: &Path) -> Result<Self, TransportError> {
        let content = fs::read(path).map_err(|source| TransportError::UnreadableFile {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            path: path.to_owned(),
            content: content.into(),
        })
    }

    fn invalid(&self, reason: impl Into<Reason>) -> TransportError {
        TransportError::InvalidFile {
            path: self.path.clone(),
            reason: reason.into(),
        }
    }

    fn certificates(&self) -> Result<Vec<CertificateDer<'static>>, TransportError> {
        let certificates: Result<Vec<_>, _> =
            CertificateDer::pem_slice_iter(&self.content).collect();
        match certificates {
            Ok(certificates) if !certificates.is_empty() => Ok(certificates),
            _ => Err(self.invalid("it holds no certificate in PEM form")),
        }
    }

    fn trust_anchors(&self) -> Result<RootCertStore, TransportError> {
        let mut roots = RootCertStore::empty();
        for certificate in self.certificates()? {
            roots
                .add(certificate)
                .map_err(|problem| self.invalid(format!("a certificate is damaged: {problem}")))?;
        }
        Ok(roots)
    }
}

/// The PEM text of a file with authorities.
///
/// # Errors
/// [`TransportError::UnreadableFile`]; [`TransportError::InvalidFile`] if it holds no authority.
pub fn read_authorities(path: &Path) -> Result<Vec<u8>, TransportError> {
    let pem = Pem::read(path)?;
    pem.trust_anchors()?;
    Ok(pem.content.to_vec())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn files_that_are_something_else_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.pem");
        fs::write(
            &path,
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        )
        .unwrap();
        let empty = folder.path().join("empty.pem");
        fs::write(&empty, "top-secret").unwrap();
        fs::set_permissions(&empty, fs::Permissions::from_mode(0o600)).unwrap();
        let (path, empty) = (Some(path.as_path()), Some(empty.as_path()));
        let missing = Some(Path::new("/no/such.pem"));
        for (ca, certificate, key, told) in [
            (empty, None, None, "empty.pem: it holds no certificate"),
            (path, None, None, "some.pem: a certificate is damaged"),
            (missing, None, None, "cannot read /no/such.pem"),
            (None, path, empty, "empty.pem: it holds no private key"),
            (None, path, None, "--key"),
            (None, None, path, "--certificate"),
        ] {
            let error = Tls::read(ca, certificate, key).unwrap_err().to_string();
            assert!(
                error.contains(told) && !error.contains("top-secret"),
                "{error}"
            );
        }
    }
}
