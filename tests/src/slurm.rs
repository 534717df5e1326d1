//! Slurm on this host alone: munge, a controller and one node, on ports of their own and without accounts.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::programs::{self, Process};

/// How long the node may take until it takes jobs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The name of the node.
const NODE: &str = "here";

/// A controller and a node with two processors. They are killed when this value is dropped.
pub struct Slurm {
    programs: PathBuf,
    folder: TempDir,
    servers: Vec<Process>,
}

impl Slurm {
    /// Starts Slurm from the folder that `deploy/local/slurm-programs` makes.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(programs: &Path) -> Self {
        let mut slurm = Self {
            programs: programs.join("root/usr"),
            folder: tempfile::tempdir().expect("a temporary folder"),
            servers: Vec::new(),
        };
        slurm.configure();
        slurm.serve_munge();
        slurm.serve("slurmctld-wlm", &["-D"]);
        let stepd = slurm.programs.join("sbin/slurmstepd-wlm");
        let stepd = stepd.to_str().expect("a path of letters").to_owned();
        slurm.serve("slurmd-wlm", &["-D", "-N", NODE, "-d", &stepd]);
        let begin = Instant::now();
        while slurm.told("sinfo", &["--noheader", "--format=%t"]).trim() != "idle" {
            assert!(begin.elapsed() < PATIENCE, "{}", slurm.logs());
            std::thread::sleep(Duration::from_millis(200));
        }
        slurm
    }

    /// A command with Slurm's and this workspace's programs on its `PATH`.
    ///
    /// # Panics
    /// If these were not built.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = programs::command_at(program.as_ref());
        let loto = programs::binary("loto");
        let folders = [
            self.programs.join("bin"),
            self.programs.join("sbin"),
            loto.parent().expect("it is in a folder").to_owned(),
        ];
        let others = std::env::var_os("PATH").unwrap_or_default();
        let folders = folders.into_iter().chain(std::env::split_paths(&others));
        let path = std::env::join_paths(folders).expect("paths without colons");
        let libraries = self.programs.join("lib/x86_64-linux-gnu");
        let slurm = libraries.join("slurm-wlm");
        let libraries = std::env::join_paths([libraries, slurm]).expect("paths without colons");
        command
            .env("PATH", path)
            .env("LD_LIBRARY_PATH", libraries)
            .env("SLURM_CONF", self.folder.path().join("slurm.conf"));
        command
    }

    /// What one of Slurm's commands prints; nothing if it fails, as commands about jobs do that have ended.
    ///
    /// # Panics
    /// If it cannot be run.
    pub fn told(&self, program: &str, arguments: &[&str]) -> String {
        let program = self.programs.join("bin").join(program);
        let output = self.command(program).args(arguments).output();
        let output = output.expect("it is there");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What controller and node logged.
    pub fn logs(&self) -> String {
        let log = |name| fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
        ["munged.log", "slurmctld-wlm.log", "slurmd-wlm.log"]
            .map(log)
            .concat()
    }

    /// Starts what tells the servers who asks, with a key of its own.
    fn serve_munge(&mut self) {
        let key = self.folder.path().join("munge.key");
        fs::write(&key, rand::random::<[u8; 128]>()).expect("a new file");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o400)).expect("it is ours");
        let place = |option: &str, name: &str| {
            format!("--{option}={}", self.folder.path().join(name).display())
        };
        let options = [
            place("key-file", "munge.key"),
            place("socket", "munge.socket"),
            place("pid-file", "munge.pid"),
            place("seed-file", "munge.seed"),
        ];
        let mut arguments: Vec<&str> = options.iter().map(String::as_str).collect();
        // The folder of a test is closed to others, of which munge otherwise complains.
        arguments.extend(["--foreground", "--force"]);
        self.serve("munged", &arguments);
        let (begin, socket) = (Instant::now(), self.folder.path().join("munge.socket"));
        while !socket.exists() {
            assert!(begin.elapsed() < PATIENCE, "{}", self.logs());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn serve(&mut self, program: &str, arguments: &[&str]) {
        let mut command = self.command(self.programs.join("sbin").join(program));
        command.args(arguments);
        let log = File::create(self.folder.path().join(format!("{program}.log")));
        command.stderr(log.expect("a log file"));
        self.servers.push(Process::start(command));
    }

    fn configure(&self) {
        let folder = self.folder.path();
        for place in ["state", "spool"] {
            fs::create_dir(folder.join(place)).expect("a new folder");
        }
        let [controller, node] = free_ports();
        let plugins = self.programs.join("lib/x86_64-linux-gnu/slurm-wlm");
        let name = Command::new("uname")
            .arg("-n")
            .output()
            .expect("uname runs");
        let host = String::from_utf8_lossy(&name.stdout);
        let (host, _domain) = host.trim().split_once('.').unwrap_or((host.trim(), ""));
        let user = Command::new("id").arg("-un").output().expect("id runs");
        let user = String::from_utf8_lossy(&user.stdout).trim().to_owned();
        let folder = folder.display();
        let plugins = plugins.display();
        // A requeued job waits until its credential has expired; Slurm takes no less than 5 seconds for that.
        let text = format!(
            "ClusterName=loto\n\
             SlurmctldHost={host}(127.0.0.1)\n\
             SlurmctldPort={controller}\n\
             SlurmdPort={node}\n\
             AuthType=auth/munge\n\
             AuthInfo=cred_expire=5,socket={folder}/munge.socket\n\
             CredType=cred/munge\n\
             SlurmUser={user}\n\
             SlurmdUser={user}\n\
             StateSaveLocation={folder}/state\n\
             SlurmdSpoolDir={folder}/spool\n\
             SlurmctldPidFile={folder}/slurmctld.pid\n\
             SlurmdPidFile={folder}/slurmd.pid\n\
             ProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\n\
             SelectType=select/cons_tres\n\
             SelectTypeParameters=CR_CPU\n\
             AccountingStorageType=accounting_storage/none\n\
             JobAcctGatherType=jobacct_gather/none\n\
             JobCompType=jobcomp/none\n\
             MpiDefault=none\n\
             SwitchType=switch/none\n\
             PluginDir={plugins}\n\
             ReturnToService=2\n\
             KillWait=2\n\
             MailProg=/bin/true\n\
             NodeName={NODE} NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000\n\
             PartitionName=main Nodes={NODE} Default=YES MaxTime=INFINITE State=UP\n"
        );
        fs::write(self.folder.path().join("slurm.conf"), text).expect("a new file");
    }
}

/// Ports that nobody listens at.
fn free_ports() -> [u16; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
    listeners.map(|listener| listener.local_addr().expect("it listens").port())
}
