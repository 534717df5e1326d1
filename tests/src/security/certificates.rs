//! Authorities and certificates, good and bad.

use std::fs;
use std::path::Path;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};

use super::secret_file::write_secret;

/// An authority that signs certificates.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// How long a certificate is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// Now, and for long.
    Now,
    /// Until some years ago.
    Expired,
}

impl Authority {
    /// A new authority.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn new(name: &str) -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = params.self_signed(&key).expect("a certificate");
        Self {
            pem: certificate.pem(),
            issuer: Issuer::new(params, key),
        }
    }

    /// Writes the authority's own certificate.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, path: &Path) {
        fs::write(path, &self.pem).expect("the folder can be written to");
    }

    /// Writes NAME.pem and NAME.key into a folder, for a server that has these host names, or a
    /// client.
    ///
    /// # Panics
    /// If they cannot be made or written.
    pub fn sign(&self, folder: &Path, name: &str, hosts: &[&str], validity: Validity) {
        let key = KeyPair::generate().expect("a key");
        let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        let mut params = CertificateParams::new(hosts).expect("host names");
        params.distinguished_name.push(DnType::CommonName, name);
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = match validity {
            Validity::Now => date_time_ymd(2100, 1, 1),
            Validity::Expired => date_time_ymd(2021, 1, 1),
        };
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let path = |end: &str| folder.join(format!("{name}.{end}"));
        fs::write(path("pem"), certificate.pem()).expect("the folder can be written to");
        write_secret(&path("key"), &key.serialize_pem());
    }
}
