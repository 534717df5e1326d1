//! An installation with TLS, client certificates, an account per role and tokens: a sweep
//! completes, whatever is wrong is refused with a clear message, and no secret is told.

mod accounts;
mod certificates;
mod files;
mod service;
mod sweep;

use loto_tests::python;
use loto_tests::security::installation::SecureInstallation;

#[test]
fn a_sweep_completes_with_everything_on() {
    let Some(python) = python::interpreter_or_skip("a_sweep_completes_with_everything_on") else {
        return;
    };
    let installation = SecureInstallation::start();
    sweep::completes(&installation, &python);
    installation.assert_no_secret_was_told();
}

#[test]
fn what_is_wrong_is_refused_and_nothing_done() {
    let Some(python) = python::interpreter_or_skip("what_is_wrong_is_refused_and_nothing_done")
    else {
        return;
    };
    let installation = SecureInstallation::start();
    files::are_checked(&installation);
    accounts::are_refused(&installation);
    accounts::revoked_while_a_worker_runs(&installation);
    service::refuses(&installation, &python);
    certificates::are_refused(&installation);
    certificates::missing_tls_is_told(&installation);
    certificates::of_the_servers_are_refused(&installation);
    installation.assert_no_secret_was_told();
}
