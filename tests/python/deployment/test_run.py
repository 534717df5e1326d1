"""What the pods of a trial would run is run: their commands, variables, files and probes, as processes here."""

import base64
import json
import os
import signal
import tempfile
import unittest
import urllib.error
import urllib.request

import programs
import rendering
import servers
from processes import of_objects


def files_of(objects, kind, name):
    """The files that a mounted Secret or ConfigMap has, with their bytes."""
    for item in objects:
        if (item["kind"], item["metadata"]["name"]) == (kind, name):
            encoded = item["data"] if kind == "Secret" else item.get("binaryData", {})
            files = {key: base64.b64decode(value) for key, value in encoded.items()}
            plain = item.get("data", {}) if kind == "ConfigMap" else {}
            return files | {key: value.encode() for key, value in plain.items()}
    raise AssertionError(f"there is no {kind} {name}")


def status(port, path):
    """What a probe gets; 0 if nobody answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


class Pods:
    """The pods of a trial as processes."""

    def __init__(self, objects, processes):
        self.objects, self.processes = objects, processes
        self.pods = {process.where: process for process in of_objects(objects)}
        self.addresses = {}

    def root(self, pod):
        """The folder in which a pod's files lie."""
        folder = self.processes.folder / pod.where.replace("/", "-")
        for mount in pod.mounts:
            here = folder / mount.path.lstrip("/")
            kind = {"secret": "Secret", "configMap": "ConfigMap"}.get(mount.kind)
            if mount.file:
                continue
            here.mkdir(parents=True, exist_ok=True)
            for name, content in files_of(self.objects, kind, mount.name).items() if kind else ():
                (here / name).write_bytes(content)
        return folder

    def configuration(self, pod, name, file):
        """The text of a server's configuration, with its files where they are here."""
        text = files_of(self.objects, "ConfigMap", name)[file].decode()
        return text.replace("/accounts", f"{self.root(pod)}/accounts")

    def start_servers(self):
        """Starts the broker and the store."""
        found = {name.partition("-")[0]: name for name in (
            item["metadata"]["name"] for item in self.objects if item["kind"] == "ConfigMap"
        )}
        broker, store = self.pods["StatefulSet/rabbitmq"], self.pods["StatefulSet/redis"]
        text = self.configuration(broker, found["rabbitmq"], "rabbitmq.conf")
        amqp, self.management = servers.rabbitmq(self.processes, text)
        port = servers.redis(self.processes, self.configuration(store, found["redis"], "redis.conf"))
        self.addresses = {"@rabbitmq:5672": f"@127.0.0.1:{amqp}", "@redis:6379": f"@127.0.0.1:{port}"}

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
        command = [value(part) for part in pod.command]
        command[0] = str(programs.BINARIES / command[0])
        if os.geteuid() == 0:
            user = str(pod.pod["securityContext"]["runAsUser"])
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, int(user), int(user))
            command = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs", *command]
        return command, {"PATH": os.environ["PATH"]} | environment, probes

    def start(self, where, name):
        """Starts a pod; its process and its port for probes."""
        command, environment, probes = self.prepared(where)
        return self.processes.start(name, command, environment), probes


class Run(unittest.TestCase):
    def test_a_trial_runs_from_its_manifests(self):
        objects = rendering.overlay("trial")
        # Other users have to get at it.
        with tempfile.TemporaryDirectory() as folder, servers.Processes(folder) as processes:
            os.chmod(folder, 0o755)
            pods = Pods(objects, processes)
            pods.start_servers()
            submit, _ = pods.start("Job/submit", "submit")
            started = [pods.start("Deployment/worker", f"worker-{number}") for number in range(2)]
            started.append(pods.start("Deployment/aggregator", "aggregator"))
            for process, probes in started:
                servers.wait_until("it is not alive", process, lambda: status(probes, "/livez") == 200)
                servers.wait_until("it is not ready", process, lambda: status(probes, "/readyz") == 200)
            self.assertEqual(submit.wait(300), 0, submit.log.read_text())

            command, environment, _ = pods.prepared("Deployment/aggregator")
            report = command[: command.index(str(programs.BINARIES / "loto"))]
            report += [str(programs.BINARIES / "loto"), "report", "smoke"]
            self.assertIn("gcp-prior", rendering.run(report, env=environment))
            self.assertEqual(self.queue(pods)["messages"], 0)

            for process, _ in started:
                process.send_signal(signal.SIGTERM)
            for process, _ in started:
                grace = max(pod.grace for pod in pods.pods.values() if pod.ours)
                self.assertEqual(process.wait(grace), 0, process.log.read_text())
            stored = [line for process, _ in started for line in process.log.read_text().splitlines() if "traces stored" in line]
            self.assertEqual(len(stored), 2, "both workers say what they did")

    def queue(self, pods):
        """What KEDA gets to see of the queue, with the account it has."""
        accounts = rendering.KUBERNETES / "overlays/trial/accounts/passwords"
        password = (accounts / "broker-loto-scaler").read_text().strip()
        token = base64.b64encode(f"loto-scaler:{password}".encode()).decode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{pods.management}/api/queues/loto/loto.jobs",
            headers={"Authorization": f"Basic {token}"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            queue = json.load(answer)
        # `messages` is both: the ready ones, and those that workers hold.
        self.assertLessEqual({"messages", "messages_ready", "messages_unacknowledged"}, set(queue))
        return queue

    def test_the_broker_takes_the_configuration_of_production(self):
        cluster = next(item for item in rendering.overlay("production") if item["kind"] == "RabbitmqCluster")
        text = cluster["spec"]["rabbitmq"]["additionalConfig"]
        accounts = rendering.KUBERNETES / "overlays/trial/accounts/rabbitmq-definitions.json"
        with tempfile.TemporaryDirectory() as folder, servers.Processes(folder) as processes:
            servers.rabbitmq(processes, text.replace("/accounts/definitions.json", str(accounts)))


if __name__ == "__main__":
    unittest.main()
