//! The servers of a secure installation, and the environment of each role.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use super::certificates::{Authority, Validity};
use super::pod;
use super::secret_file::write_secret;
use crate::programs;
use crate::servers::{PrivateServers, Server};

/// An account of deploy/accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Submits sweeps.
    Coordinator,
    /// Computes jobs.
    Worker,
    /// Reads the store.
    Aggregator,
}

impl Role {
    fn account(self) -> &'static str {
        match self {
            Self::Coordinator => "loto-coordinator",
            Self::Worker => "loto-worker",
            Self::Aggregator => "loto-aggregator",
        }
    }
}

/// The host names in the server's certificate.
const HOSTS: [&str; 2] = ["127.0.0.1", "localhost"];

/// Tokens of the gRPC service, by client.
pub const TOKENS: [(&str, &str); 2] = [
    ("ann", "4f1dc9a2e77b40c3a6f0"),
    ("bob", "b83e5d0f6a1942c79d2e"),
];

/// Servers with TLS and accounts. They end when this value is dropped.
pub struct SecureInstallation {
    folder: TempDir,
    servers: PrivateServers,
    /// The authority that everybody here trusts.
    pub authority: Authority,
}

impl SecureInstallation {
    /// Makes certificates, passwords and tokens, and starts the servers.
    ///
    /// # Panics
    /// If any of it fails.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        allow_all(folder.path());
        let secrets = folder.path().join("secrets");
        for new in ["secrets", "logs", "bin"] {
            fs::create_dir(folder.path().join(new)).expect("a folder");
        }
        let authority = Authority::new("loto authority");
        authority.write(&secrets.join("ca.pem"));
        authority.sign(&secrets, "server", &HOSTS, Validity::Now);
        authority.sign(&secrets, "client", &[], Validity::Now);
        let tokens = TOKENS.map(|(name, token)| format!("{name} {token}\n"));
        write_secret(&secrets.join("tokens"), &tokens.concat());
        let accounts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/accounts");
        let made = Command::new(accounts.join("make-accounts"))
            .arg(&secrets)
            .output();
        let made = made.expect("make-accounts runs");
        assert!(made.status.success(), "{made:?}");
        let servers = PrivateServers::start_secure(&secrets);
        Self {
            folder,
            servers,
            authority,
        }
    }

    /// Starts the servers again, with the certificates that there are now.
    ///
    /// # Panics
    /// If they do not start.
    pub fn restart_servers(&self) {
        for server in [Server::Broker, Server::Store] {
            self.servers.stop(server);
            self.servers.restart(server);
        }
    }

    /// The folder with everything: `secrets`, `logs`, and room for reports.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A file among the secrets.
    pub fn secret(&self, name: &str) -> PathBuf {
        self.folder.path().join("secrets").join(name)
    }

    /// The broker's URL for a role, without a password.
    pub fn broker(&self, role: Role) -> String {
        let port = self.servers.port(Server::Broker);
        format!("amqps://{}@127.0.0.1:{port}/loto", role.account())
    }

    /// The store's URL for a role, without a password.
    pub fn store(&self, role: Role) -> String {
        let port = self.servers.port(Server::Store);
        format!("rediss://{}@127.0.0.1:{port}", role.account())
    }

    /// The environment of a role, as the secrets of a pod make it.
    pub fn environment(&self, role: Role) -> Vec<(&'static str, String)> {
        let file = |name: String| self.secret(&name).display().to_string();
        let password = |server| file(format!("passwords/{server}-{}", role.account()));
        let mut environment = vec![
            ("LOTO_STORE", self.store(role)),
            ("LOTO_STORE_PASSWORD_FILE", password("store")),
            ("LOTO_CA", file("ca.pem".into())),
            ("LOTO_CERTIFICATE", file("client.pem".into())),
            ("LOTO_KEY", file("client.key".into())),
        ];
        if role != Role::Aggregator {
            environment.push(("LOTO_BROKER", self.broker(role)));
            environment.push(("LOTO_BROKER_PASSWORD_FILE", password("broker")));
        }
        environment
    }

    /// A command of a role: a binary of this workspace.
    pub fn command(&self, role: Role, program: &str) -> Command {
        let mut command = programs::command(program);
        command.envs(self.environment(role));
        command
    }

    /// As [`Self::command`], in a place as a pod has it.
    ///
    /// # Panics
    /// If the binary cannot be copied to where that user finds it.
    pub fn command_in_pod(&self, role: Role, program: &str) -> Command {
        let copy = self.folder().join("bin").join(program);
        if !copy.exists() {
            fs::copy(programs::binary(program), &copy).expect("a binary can be copied");
        }
        let mut command = pod::command(&copy);
        command.envs(self.environment(role));
        command
    }

    /// Lets a pod's user read the secrets, as `fsGroup` and `defaultMode` of the manifests do.
    ///
    /// # Panics
    /// If the system does not allow it.
    pub fn let_pods_read(&self) {
        for folder in ["secrets", "secrets/passwords"] {
            let folder = self.folder().join(folder);
            allow_all(&folder);
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("a file").path();
                if path.is_file() {
                    chown(&path, None, Some(pod::USER)).expect("root may do so");
                    let group_reads = fs::Permissions::from_mode(0o640);
                    fs::set_permissions(&path, group_reads).expect("our own file");
                }
            }
        }
    }

    /// A file for the log of a process.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn log(&self, name: &str) -> File {
        File::create(self.log_path(name)).expect("a log file")
    }

    /// Where that is.
    pub fn log_path(&self, name: &str) -> PathBuf {
        self.folder.path().join("logs").join(name)
    }

    /// Runs a command to its end; what it says is kept among the logs.
    ///
    /// # Panics
    /// If it cannot be run.
    pub fn run(&self, name: &str, command: &mut Command) -> Output {
        let output = command.output().expect("the program runs");
        let said = [output.stdout.as_slice(), &output.stderr].concat();
        fs::write(self.log_path(name), said).expect("a log file");
        output
    }

    /// Runs a command that has to be refused: exit status 2, and a message with these parts.
    ///
    /// # Panics
    /// If it is not.
    pub fn refused(&self, name: &str, command: &mut Command, parts: &[&str]) {
        let mut output = self.run(name, command);
        // A server that refuses a certificate closes at once, and the reset may overtake the reason that it gave.
        for _ in 0..3 {
            if String::from_utf8_lossy(&output.stderr).contains("Connection reset by peer") {
                output = self.run(name, command);
            }
        }
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {message}");
        for part in parts {
            assert!(message.contains(part), "{name}: no `{part}` in: {message}");
        }
    }

    /// Asks Redis something as its administrator.
    ///
    /// # Panics
    /// If it does not answer.
    pub fn administer_store(&self, command: &[&str]) -> String {
        let mut asking = Command::new("redis-cli");
        let port = self.servers.port(Server::Store).to_string();
        asking.args([
            "--tls",
            "-h",
            "127.0.0.1",
            "-p",
            &port,
            "--user",
            "loto-admin",
        ]);
        for (option, file) in [
            ("--cacert", "ca.pem"),
            ("--cert", "client.pem"),
            ("--key", "client.key"),
        ] {
            asking.arg(option).arg(self.secret(file));
        }
        let password = self.password("store-loto-admin");
        let output = asking.env("REDISCLI_AUTH", password).args(command).output();
        let output = output.expect("redis-cli runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Gives RabbitMQ's administration a command.
    ///
    /// # Panics
    /// If it fails.
    pub fn administer_broker(&self, command: &[&str]) -> String {
        let data = self.servers.data(Server::Broker);
        let port_of = |name: &str| fs::read_to_string(data.join(name)).expect("a port");
        let mut asking = Command::new("rabbitmqctl");
        asking.env("HOME", &data);
        asking.env("ERL_EPMD_PORT", port_of("epmd-port").trim());
        asking.arg("--node");
        asking.arg(format!("loto-{}@localhost", port_of("port").trim()));
        let output = asking.args(command).output().expect("rabbitmqctl runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// How many messages are in a queue.
    ///
    /// # Panics
    /// If there is no such queue.
    pub fn messages(&self, queue: &str) -> u64 {
        let table = [
            "list_queues",
            "--quiet",
            "--vhost",
            "loto",
            "name",
            "messages",
        ];
        let table = self.administer_broker(&table);
        let lines = table
            .lines()
            .map(|line| line.split('\t').collect::<Vec<_>>());
        let mut queues = lines.filter(|cells| cells[0] == queue);
        let messages = queues.next().map(|cells| cells[1].parse());
        messages.expect(&table).expect("a number")
    }

    /// The password of an account: `SERVER-NAME`.
    ///
    /// # Panics
    /// If there is none.
    pub fn password(&self, account: &str) -> String {
        let file = self.secret("passwords").join(account);
        let password = fs::read_to_string(file).expect("a password");
        password.trim_end().to_owned()
    }

    /// Looks for every secret in whatever was written: logs of programs and servers, reports.
    ///
    /// # Panics
    /// If one is found, or if there was nothing to look at.
    pub fn assert_no_secret_was_told(&self) {
        let mut secrets = TOKENS.map(|(_, token)| token.to_owned()).to_vec();
        for entry in fs::read_dir(self.secret("passwords")).expect("passwords") {
            let account = entry.expect("a file").file_name();
            secrets.push(self.password(&account.to_string_lossy()));
        }
        for key in ["server.key", "client.key"] {
            let key = fs::read_to_string(self.secret(key)).expect("a key");
            secrets.push(key.lines().nth(1).expect("a line").to_owned());
        }
        assert!(secrets.iter().all(|secret| secret.len() >= 20));
        let mut files = Vec::new();
        for place in [self.folder(), self.servers.folder()] {
            list(place, &mut files);
        }
        let kept = self.folder().join("secrets");
        let binaries = self.folder().join("bin");
        files.retain(|file| !file.starts_with(&kept) && !file.starts_with(&binaries));
        assert!(files.len() > 3, "{files:?}");
        for file in files {
            let bytes = fs::read(&file).unwrap_or_default();
            for secret in &secrets {
                let found = bytes
                    .windows(secret.len())
                    .any(|window| window == secret.as_bytes());
                assert!(!found, "{} holds the secret {secret}", file.display());
            }
        }
    }
}

fn allow_all(path: &Path) {
    let mode = if path.is_dir() { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("our own file");
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => list(&path, files),
            Ok(metadata) if metadata.is_file() => files.push(path),
            _ => {}
        }
    }
}
