//! Certificates that are expired, of another authority, for another host, or not there.

use std::process::Command;

use loto_tests::security::certificates::{Authority, Validity};
use loto_tests::security::installation::{Role, SecureInstallation};

/// Both servers refuse `change`d commands with a message that has this part.
fn both_refuse(
    installation: &SecureInstallation,
    name: &str,
    change: impl Fn(&mut Command),
    part: &str,
) {
    let mut status = installation.command(Role::Aggregator, "loto");
    status.arg("status");
    change(&mut status);
    installation.refused(
        &format!("{name}-store"),
        &mut status,
        &["store rediss://", part],
    );
    // With a file as its store, it is the broker that it comes to.
    let mut worker = installation.command(Role::Worker, "loto-worker");
    let file = installation.folder().join("worker.sqlite");
    worker.arg("--store").arg(file);
    change(&mut worker);
    installation.refused(
        &format!("{name}-broker"),
        &mut worker,
        &["broker amqps://", part],
    );
}

/// What a client may have wrong.
pub(super) fn are_refused(installation: &SecureInstallation) {
    let secrets = installation.secret("");
    let foreign = Authority::new("another authority");
    foreign.write(&secrets.join("foreign-ca.pem"));
    foreign.sign(&secrets, "foreign", &[], Validity::Now);
    installation
        .authority
        .sign(&secrets, "expired", &[], Validity::Expired);
    let with = |name: &'static str| {
        let (certificate, key) = (format!("{name}.pem"), format!("{name}.key"));
        let (certificate, key) = (secrets.join(certificate), secrets.join(key));
        move |command: &mut Command| {
            command.env("LOTO_CERTIFICATE", &certificate);
            command.env("LOTO_KEY", &key);
        }
    };
    let without = |command: &mut Command| {
        command
            .env_remove("LOTO_CERTIFICATE")
            .env_remove("LOTO_KEY");
    };
    let foreign_ca = |command: &mut Command| {
        command.env("LOTO_CA", secrets.join("foreign-ca.pem"));
    };
    let system = |command: &mut Command| {
        command.env_remove("LOTO_CA");
    };
    both_refuse(installation, "foreign-ca", foreign_ca, "--ca");
    both_refuse(installation, "system-ca", system, "--ca");
    both_refuse(
        installation,
        "no-certificate",
        without,
        "it demands a certificate",
    );
    both_refuse(
        installation,
        "expired-client",
        with("expired"),
        "our certificate, which has expired",
    );
    both_refuse(
        installation,
        "foreign-client",
        with("foreign"),
        "our certificate",
    );
}

/// A client that asks without TLS is told that the servers have it.
pub(super) fn missing_tls_is_told(installation: &SecureInstallation) {
    let mut status = installation.command(Role::Aggregator, "loto");
    let store = installation.store(Role::Aggregator);
    let store = store.replace("rediss://", "redis://");
    status.args(["status", "--store", &store]);
    installation.refused(
        "plain-store",
        &mut status,
        &["store redis://", "begins with rediss://"],
    );
    let mut worker = installation.command(Role::Worker, "loto-worker");
    let file = installation.folder().join("plain-worker.sqlite");
    let broker = installation.broker(Role::Worker);
    let broker = broker.replace("amqps://", "amqp://");
    worker.arg("--store").arg(file).args(["--broker", &broker]);
    installation.refused(
        "plain-broker",
        &mut worker,
        &["broker amqp://", "begins with amqps://"],
    );
}

/// What a server may have wrong.
pub(super) fn of_the_servers_are_refused(installation: &SecureInstallation) {
    let secrets = installation.secret("");
    let sign = |hosts: &[&str], validity| {
        installation
            .authority
            .sign(&secrets, "server", hosts, validity);
        installation.restart_servers();
    };
    let unchanged = |_: &mut Command| {};
    sign(&["127.0.0.1"], Validity::Expired);
    both_refuse(installation, "expired-server", unchanged, "has expired");
    sign(&["loto.example"], Validity::Now);
    both_refuse(installation, "other-host", unchanged, "another host name");
}
