"""Pods as processes here: their commands, variables, files and users, their servers elsewhere."""

import base64
import os
import urllib.error
import urllib.request

import programs
import servers
from processes import of_objects


def status(port, path):
    """What a probe gets; 0 if nobody answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def rendered_files(objects):
    """The files of the Secrets and ConfigMaps among the objects: {(kind, name): {key: bytes}}."""
    found = {}
    for item in objects:
        if item["kind"] not in ("Secret", "ConfigMap"):
            continue
        plain = item.get("data", {}) if item["kind"] == "ConfigMap" else {}
        encoded = item.get("data", {}) if item["kind"] == "Secret" else item.get("binaryData", {})
        files = {key: value.encode() for key, value in plain.items()}
        files |= {key: base64.b64decode(value) for key, value in encoded.items()}
        found[item["kind"], item["metadata"]["name"]] = files
    return found


class Pods:
    """The pods of an overlay as processes."""

    def __init__(self, objects, processes, by_hand=None):
        """`by_hand`: the files of what an engineer makes, as those of [`rendered_files`]."""
        self.processes = processes
        self.files = rendered_files(objects) | (by_hand or {})
        self.pods = {process.where: process for process in of_objects(objects)}
        self.addresses = {}

    def configuration(self, prefix):
        """The files of the ConfigMap whose name begins so; a hash follows it."""
        return next(
            files for (kind, name), files in self.files.items() if kind == "ConfigMap" and name.startswith(prefix)
        )

    def root(self, pod):
        """The folder in which a pod's files lie, as they would in its root."""
        folder = self.processes.folder / pod.where.replace("/", "-")
        kinds = {"secret": "Secret", "configMap": "ConfigMap", "persistentVolumeClaim": "Claim"}
        for mount in pod.mounts:
            if mount.file:
                continue
            here = folder / mount.path.lstrip("/")
            here.mkdir(parents=True, exist_ok=True)
            if mount.kind in kinds:
                for name, content in self.files[kinds[mount.kind], mount.name].items():
                    (here / name).write_bytes(content)
                    # As `defaultMode` in the manifests has it: programs refuse secrets that everybody can read.
                    (here / name).chmod(0o640 if mount.kind == "secret" else 0o644)
        return folder

    def prepared(self, where):
        """A pod's command and environment here, and its port for probes."""
        pod = self.pods[where]
        folder, probes = self.root(pod), servers.free_port()

        def value(text):
            for there, here in self.addresses.items():
                text = text.replace(there, here)
            return f"{folder}{text}" if text.startswith("/") else text

        environment = {name: value(text) for name, text in pod.environment.items()}
        environment["LOTO_METRICS"] = f"127.0.0.1:{probes}"
        if "LOTO_LISTEN" in environment:
            environment["LOTO_LISTEN"] = f"127.0.0.1:{servers.free_port()}"
        if "LOTO_JOBS" in environment:
            environment["LOTO_JOBS"] = pod.container["resources"]["limits"]["cpu"]
        return self.user(pod, folder) + self.command(pod, value), {"PATH": os.environ["PATH"]} | environment, probes

    def user(self, pod, folder):
        """What makes a command run as the pod's user, if we may."""
        if os.geteuid() != 0:
            return []
        user = str(pod.pod["securityContext"]["runAsUser"])
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, int(user), int(user))
        return ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs"]

    def command(self, pod, value):
        """A pod's command with paths as they are here."""
        program, *rest = pod.command
        return [str(programs.BINARIES / program), *map(value, rest)]

    def start(self, where, name):
        """Starts a pod; its process and its port for probes."""
        command, environment, probes = self.prepared(where)
        return self.processes.start(name, command, environment), probes

    def start_ready(self, where, name):
        """Starts a pod and waits until its probes say that it is alive and ready; its process."""
        process, probes = self.start(where, name)
        servers.wait_until(f"{name} is not alive", process, lambda: status(probes, "/livez") == 200)
        servers.wait_until(f"{name} is not ready", process, lambda: status(probes, "/readyz") == 200)
        return process

    def execute(self, where, command):
        """A command to be run as `kubectl exec` would in a pod, with its environment."""
        _, environment, _ = self.prepared(where)
        environment.pop("LOTO_METRICS")
        pod = self.pods[where]
        program, *rest = command
        return [*self.user(pod, self.root(pod)), str(programs.BINARIES / program), *rest], environment
