//! The gRPC service: who has no token, no certificate, or trusts another authority.

use std::fs;
use std::path::Path;
use std::process::Command;

use loto_tests::programs::Process;
use loto_tests::python;
use loto_tests::security::installation::{Role, SecureInstallation, TOKENS};

use crate::sweep::{service_address, service_command};

pub(super) fn refuses(installation: &SecureInstallation, python: &Path) {
    let generated = installation.folder().join("generated");
    python::generate_client(python, &generated);
    let mut serve = service_command(installation, installation.command(Role::Aggregator, "loto"));
    serve.stderr(installation.log("serve.log"));
    let _service = Process::start(serve);
    let address = service_address(installation, "serve.log");
    let client = |token: Option<&str>| {
        let mut client = client(installation, python, &generated, &address);
        client.envs(token.map(|token| ("LOTO_TOKEN", token)));
        client
    };
    let (ann, bob) = (TOKENS[0].1, TOKENS[1].1);
    let lets_in = |name: &str, mut client: Command| {
        let output = installation.run(name, &mut client);
        assert!(output.status.success(), "{name}: {output:?}");
    };
    let refuses = |name: &str, mut client: Command, parts: &[&str]| {
        let output = installation.run(name, &mut client);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && output.stdout.is_empty(),
            "{name}"
        );
        for part in parts {
            assert!(message.contains(part), "{name}: no `{part}` in {message}");
        }
    };

    lets_in("ann", client(Some(ann)));
    lets_in("bob", client(Some(bob)));
    refuses(
        "no-token",
        client(None),
        &["UNAUTHENTICATED", "demands a token"],
    );
    let wrong = client(Some("0123456789abcdef"));
    refuses(
        "wrong-token",
        wrong,
        &["UNAUTHENTICATED", "not one that this service knows"],
    );

    let mut no_certificate = client(Some(ann));
    no_certificate
        .env_remove("LOTO_CERTIFICATE")
        .env_remove("LOTO_KEY");
    refuses(
        "client-without-certificate",
        no_certificate,
        &["UNAVAILABLE"],
    );
    let mut plain = client(Some(ann));
    for variable in ["LOTO_CA", "LOTO_CERTIFICATE", "LOTO_KEY"] {
        plain.env_remove(variable);
    }
    refuses("client-without-tls", plain, &["UNAVAILABLE"]);
    let mut distrust = client(Some(ann));
    distrust.env("LOTO_CA", certifi(installation));
    refuses(
        "client-with-other-ca",
        distrust,
        &["UNAVAILABLE", "CERTIFICATE_VERIFY_FAILED"],
    );

    // Bob's token is revoked, without a restart.
    let tokens = installation.secret("tokens");
    fs::write(&tokens, format!("ann {ann}\n")).unwrap();
    refuses(
        "revoked-token",
        client(Some(bob)),
        &["UNAUTHENTICATED", "revoked"],
    );
    lets_in("ann-again", client(Some(ann)));
    // A mistake in the file lets nobody in, and is told without the token.
    fs::write(&tokens, format!("{ann}\n")).unwrap();
    refuses(
        "damaged-tokens",
        client(Some(ann)),
        &["UNAVAILABLE", "its log says why"],
    );
    let log = fs::read_to_string(installation.log_path("serve.log")).unwrap();
    assert!(log.contains("tokens, line 1: expected NAME TOKEN"), "{log}");

    let mut start = service_command(installation, installation.command(Role::Aggregator, "loto"));
    installation.refused("serve-damaged-tokens", &mut start, &["tokens, line 1"]);
    let mut start = service_command(installation, installation.command(Role::Aggregator, "loto"));
    start
        .env_remove("LOTO_TLS_CERTIFICATE")
        .env_remove("LOTO_TLS_KEY");
    fs::write(&tokens, format!("ann {ann}\n")).unwrap();
    installation.refused(
        "serve-without-tls",
        &mut start,
        &["--client-ca", "--tls-certificate"],
    );
}

/// The client in Python, listing the sweeps, with all that the service demands but a token.
pub(super) fn client(
    installation: &SecureInstallation,
    python: &Path,
    generated: &Path,
    address: &str,
) -> Command {
    let mut client = python::with_client(python, generated);
    client.args(["-m", "loto.client"]);
    client.arg(address);
    for (variable, file) in [
        ("LOTO_CA", "ca.pem"),
        ("LOTO_CERTIFICATE", "client.pem"),
        ("LOTO_KEY", "client.key"),
    ] {
        client.env(variable, installation.secret(file));
    }
    client
}

/// Authorities that are others than ours.
fn certifi(installation: &SecureInstallation) -> std::path::PathBuf {
    let path = installation.secret("other-authority.pem");
    loto_tests::security::certificates::Authority::new("another authority").write(&path);
    path
}
