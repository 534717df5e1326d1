//! Files that are missing or something else, and options that contradict each other.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use loto_tests::security::installation::{Role, SecureInstallation};
use loto_tests::security::secret_file::write_secret;

pub(super) fn are_checked(installation: &SecureInstallation) {
    let status = || {
        let mut command = installation.command(Role::Aggregator, "loto");
        command.arg("status");
        command
    };
    let path = |name: &str| installation.secret(name).display().to_string();
    let (nothing, other) = (path("nothing.pem"), path("other.key"));
    write_secret(&installation.secret("empty"), "\n");
    installation.authority.sign(
        &installation.secret(""),
        "other",
        &[],
        loto_tests::security::certificates::Validity::Now,
    );

    let mut missing = status();
    installation.refused(
        "missing-ca",
        missing.env("LOTO_CA", &nothing),
        &["nothing.pem", "No such file"],
    );
    let mut no_authority = status();
    no_authority.env("LOTO_CA", path("client.key"));
    installation.refused(
        "no-authority",
        &mut no_authority,
        &["client.key", "no certificate"],
    );
    let mut foreign_key = status();
    foreign_key.env("LOTO_KEY", &other);
    installation.refused(
        "foreign-key",
        &mut foreign_key,
        &["other.key", "client.pem"],
    );
    let mut half = status();
    installation.refused("half", half.env_remove("LOTO_KEY"), &["--key"]);
    let mut empty = status();
    empty.env("LOTO_STORE_PASSWORD_FILE", path("empty"));
    installation.refused("empty", &mut empty, &["empty", "password"]);
    for (variable, name, copy_of) in [
        (
            "LOTO_STORE_PASSWORD_FILE",
            "open-password",
            "passwords/store-loto-aggregator",
        ),
        ("LOTO_KEY", "open-key", "client.key"),
    ] {
        let open = installation.secret(name);
        let secret = fs::read_to_string(installation.secret(copy_of)).unwrap();
        fs::write(&open, secret).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o644)).unwrap();
        let mut exposed = status();
        exposed.env(variable, &open);
        installation.refused(name, &mut exposed, &[name, "mode 0644", "chmod o="]);
        fs::remove_file(open).unwrap();
    }
    let mut two = status();
    two.env(
        "LOTO_STORE_PASSWORD",
        installation.password("store-loto-aggregator"),
    );
    let both = [
        "--store-password-file",
        "LOTO_STORE_PASSWORD",
        "give only one",
    ];
    installation.refused("two-passwords", &mut two, &both);

    // The environment will do, too, and so will the URL.
    let password = installation.password("store-loto-aggregator");
    let mut from_environment = status();
    from_environment.env_remove("LOTO_STORE_PASSWORD_FILE");
    from_environment.env("LOTO_STORE_PASSWORD", &password);
    let output = installation.run("from-environment", &mut from_environment);
    assert!(output.status.success(), "{output:?}");
    let mut from_url = status();
    from_url.env_remove("LOTO_STORE_PASSWORD_FILE");
    let url = installation.store(Role::Aggregator);
    from_url.env("LOTO_STORE", url.replace('@', &format!(":{password}@")));
    let output = installation.run("from-url", &mut from_url);
    assert!(output.status.success(), "{output:?}");
}
