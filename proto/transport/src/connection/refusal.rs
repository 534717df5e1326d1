//! What it means when a server refuses us, or we it: for whom it is, and what to do.

use std::error::Error;
use std::io;
use std::sync::Arc;

use rustls::{AlertDescription, CertificateError, InvalidMessage};
use webpki::Error::CaUsedAsEndEntity;

/// Why the TLS layer gave up, if that is behind an error and trying again cannot help.
pub(crate) fn of_tls(error: &(dyn Error + 'static)) -> Option<String> {
    explain(tls_error(error)?)
}

/// What to do where the answer is not that of a `server`, whose URLs have this scheme without TLS.
pub(crate) fn advice_on_port(url: &str, server: &str, scheme: &str) -> String {
    let advice = format!("check that {server} has this port");
    if url.starts_with(&format!("{scheme}://")) {
        format!("{advice}; the URL of one with TLS begins with {scheme}s://")
    } else {
        advice
    }
}

/// The error of rustls among an error and its causes.
fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<rustls::Error>() {
            return Some(found);
        }
        next = wrapped(error).or_else(|| error.source());
    }
    None
}

/// What an error holds and does not tell as its source.
fn wrapped<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return error.get_ref().map(|error| error as _);
    }
    let shared = error.downcast_ref::<Arc<dyn Error + Send + Sync>>();
    shared.map(|error| error.as_ref() as _)
}

fn explain(error: &rustls::Error) -> Option<String> {
    use rustls::Error as Tls;
    let text = match error {
        Tls::InvalidCertificate(problem) => certificate(problem),
        Tls::AlertReceived(alert) => return of_alert(*alert),
        Tls::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "what answers at this port does not speak TLS: check the port, or the scheme of the URL"
                .into()
        }
        Tls::NoCertificatesPresented => "it shows no certificate".into(),
        _ => return None,
    };
    Some(text)
}

/// Why we do not take a server's certificate.
fn certificate(problem: &CertificateError) -> String {
    use CertificateError::*;
    match problem {
        Expired | ExpiredContext { .. } => {
            "its certificate has expired: renew it there, or set the clock here".into()
        }
        NotValidYet | NotValidYetContext { .. } => {
            "its certificate is not valid yet: check the clocks there and here".into()
        }
        UnknownIssuer | BadSignature => {
            "its certificate is not of an authority that is trusted here: name the right one's file with --ca (LOTO_CA)".into()
        }
        NotValidForName | NotValidForNameContext { .. } => {
            "its certificate is for another host name: use one that it is for in the URL, or have it made for this one".into()
        }
        Other(other) if matches!(other.0.downcast_ref(), Some(CaUsedAsEndEntity)) => {
            "its certificate is an authority's own, as `openssl req -x509` makes them: have one made with basicConstraints=CA:FALSE".into()
        }
        other => format!("its certificate is not accepted: {other:?}"),
    }
}

/// Why a server does not take our certificate.
fn of_alert(alert: AlertDescription) -> Option<String> {
    use AlertDescription as Alert;
    let text = match alert {
        Alert::CertificateRequired | Alert::NoCertificate => {
            "it demands a certificate from its clients: give one with --certificate and --key (LOTO_CERTIFICATE, LOTO_KEY)"
        }
        Alert::HandshakeFailure => {
            "it does not agree to any way to talk: if it demands a certificate from its clients, give one with --certificate and --key"
        }
        Alert::CertificateExpired => {
            "it refuses our certificate, which has expired: have a new one made for --certificate"
        }
        Alert::UnknownCA | Alert::DecryptError => {
            "it refuses our certificate, which is not of an authority that it trusts: give another one with --certificate"
        }
        Alert::CertificateRevoked => {
            "it refuses our certificate, which is revoked: give another one with --certificate"
        }
        Alert::BadCertificate
        | Alert::UnsupportedCertificate
        | Alert::CertificateUnknown
        | Alert::AccessDenied => {
            "it refuses our certificate: give another one with --certificate (LOTO_CERTIFICATE)"
        }
        _ => return None,
    };
    Some(text.into())
}

#[cfg(test)]
mod tests {
    use rustls::OtherError;

    use super::*;

    fn failed(error: rustls::Error) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }

    #[test]
    fn a_refusal_is_found_below_other_errors_and_says_what_to_do() {
        let own_certificate_of_an_authority =
            CertificateError::Other(OtherError(Arc::new(CaUsedAsEndEntity)));
        let cases = [
            (CertificateError::Expired.into(), "expired"),
            (CertificateError::UnknownIssuer.into(), "--ca"),
            (CertificateError::NotValidForName.into(), "host name"),
            (own_certificate_of_an_authority.into(), "CA:FALSE"),
            (
                rustls::Error::AlertReceived(AlertDescription::CertificateRequired),
                "--certificate",
            ),
            (
                rustls::Error::AlertReceived(AlertDescription::UnknownCA),
                "authority",
            ),
        ];
        for (error, part) in cases {
            let text = of_tls(&failed(error)).unwrap();
            assert!(text.contains(part), "{text}");
        }
        let nested = io::Error::other(failed(CertificateError::Expired.into()));
        let shared: Arc<dyn Error + Send + Sync> = Arc::new(nested);
        assert!(of_tls(&shared).is_some());
    }

    #[test]
    fn whose_url_has_tls_is_told_of_the_port_alone() {
        let plain = advice_on_port("redis://host", "a Redis", "redis");
        assert!(plain.ends_with("rediss://"), "{plain}");
        let with_tls = advice_on_port("rediss://host", "a Redis", "redis");
        assert_eq!(with_tls, "check that a Redis has this port");
    }

    #[test]
    fn what_may_pass_is_no_refusal() {
        let broken = io::Error::new(io::ErrorKind::ConnectionReset, "reset");
        assert_eq!(of_tls(&broken), None);
        assert_eq!(of_tls(&failed(rustls::Error::DecryptError)), None);
    }
}
