"""What the pods would run is run, as processes here: a trial, and production with TLS and its accounts."""

import base64
import contextlib
import json
import os
import pathlib
import signal
import tempfile
import unittest
import urllib.request

import accounts
import rendering
import servers
from pods import Pods

TABLE = "svm-sklearn.csv.zip"


def certificates(folder):
    """An authority, and for each Secret of certificates in the guide its files."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    authority = ["-keyout", f"{folder}/ca.key", "-out", f"{folder}/ca.crt", "-subj", "/CN=authority"]
    rendering.run(["openssl", "req", "-x509", *key, *authority])
    made = {}
    for name, keys in accounts.documented().items():
        if "tls.crt" not in keys:
            continue
        files = ["-keyout", f"{folder}/tls.key", "-out", f"{folder}/tls.crt", "-subj", f"/CN={name}"]
        purposes = "extendedKeyUsage=serverAuth,clientAuth"
        names = "subjectAltName=IP:127.0.0.1"
        constraints = "basicConstraints=critical,CA:FALSE"
        extensions = [part for text in (purposes, names, constraints) for part in ("-addext", text)]
        authority = ["-CA", f"{folder}/ca.crt", "-CAkey", f"{folder}/ca.key"]
        rendering.run(["openssl", "req", "-x509", *key, *authority, *files, *extensions])
        made["Secret", name] = {file: pathlib.Path(folder, file).read_bytes() for file in keys}
    return made


def secrets(folder):
    """The other Secrets of the guide, with accounts made as it says."""
    rendering.run([str(rendering.REPOSITORY / "deploy/accounts/make-accounts"), str(folder)])
    passwords = pathlib.Path(folder, "passwords")
    made = {
        ("Secret", f"loto-{name}"): {
            f"{server}-password": (passwords / f"{server}-loto-{name}").read_bytes() for server in servers_of
        }
        for name, servers_of in (
            ("coordinator", ("broker", "store")),
            ("worker", ("broker", "store")),
            ("aggregator", ("store",)),
        )
    }
    definitions = pathlib.Path(folder, "rabbitmq-definitions.json").read_bytes()
    made["Secret", "rabbitmq-definitions"] = {"definitions.json": definitions}
    made["Secret", "loto-tokens"] = {"tokens": b"someone 0123456789abcdef0123456789abcdef\n"}
    return made


class Run(unittest.TestCase):
    @contextlib.contextmanager
    def processes(self):
        with tempfile.TemporaryDirectory() as folder, servers.Processes(folder) as processes:
            # Other users have to get at it.
            os.chmod(folder, 0o755)
            yield processes

    def finish(self, pods, submit):
        """Waits for the sweep, and reads its report in the service's pod."""
        self.assertEqual(submit.wait(300), 0, submit.log.read_text())
        command, environment = pods.execute("Deployment/aggregator", ["loto", "report", "smoke"])
        self.assertIn("gcp-prior", rendering.run(command, env=environment))

    def test_a_trial(self):
        with self.processes() as processes:
            pods = Pods(rendering.overlay("trial"), processes)
            broker, store = (pods.pods[f"StatefulSet/{name}"] for name in ("rabbitmq", "redis"))
            text = pods.configuration("rabbitmq")["rabbitmq.conf"].decode()
            amqp, management = servers.rabbitmq(processes, text.replace("/accounts", f"{pods.root(broker)}/accounts"))
            text = pods.configuration("redis")["redis.conf"].decode()
            port = servers.redis(processes, text.replace("/accounts", f"{pods.root(store)}/accounts"))
            pods.addresses = {"@rabbitmq:5672": f"@127.0.0.1:{amqp}", "@redis:6379": f"@127.0.0.1:{port}"}

            submit, _ = pods.start("Job/submit", "submit")
            started = [pods.start_ready("Deployment/worker", f"worker-{number}") for number in range(2)]
            started.append(pods.start_ready("Deployment/aggregator", "aggregator"))
            self.finish(pods, submit)
            # The broker counts every five seconds; until then it tells no number at all.
            servers.wait_until("jobs are left", started[0], lambda: self.queue(management).get("messages") == 0)
            # `messages` is both: the ready ones, and those that workers hold.
            counted = {"messages", "messages_ready", "messages_unacknowledged"}
            self.assertLessEqual(counted, set(self.queue(management)))

            for process in started:
                process.send_signal(signal.SIGTERM)
            for process in started:
                grace = pods.pods["Deployment/worker"].grace
                self.assertEqual(process.wait(grace), 0, process.log.read_text())

    def queue(self, management):
        """What KEDA gets to see of the queue, with the account it has."""
        trial = rendering.KUBERNETES / "overlays/trial/accounts/passwords"
        password = (trial / "broker-loto-scaler").read_text().strip()
        token = base64.b64encode(f"loto-scaler:{password}".encode()).decode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{management}/api/queues/loto/loto.jobs",
            headers={"Authorization": f"Basic {token}"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def test_production_with_workers_that_end_by_themselves(self):
        with self.processes() as processes:
            objects = rendering.overlay("production-keda")
            (processes.folder / "authority").mkdir()
            made = certificates(processes.folder / "authority") | secrets(processes.folder / "accounts")
            sweeps = rendering.REPOSITORY / "coordinator/sweeps"
            made["Claim", "tables"] = {TABLE: (sweeps / TABLE).read_bytes()}
            pods = Pods(objects, processes, made)
            # A small sweep in place of the engineer's.
            pods.configuration("loto-sweep")["sweep.toml"] = (sweeps / "smoke.toml").read_bytes()
            pods.addresses = self.encrypted_servers(processes, objects, made)
            where = "ScaledJob/worker"
            idle = pods.pods[where].environment
            self.assertEqual(idle["LOTO_EXIT_WHEN_IDLE"], "60")
            idle["LOTO_EXIT_WHEN_IDLE"] = "10"

            submit, _ = pods.start("Job/submit", "submit")
            workers = [pods.start_ready(where, f"worker-{number}") for number in range(2)]
            pods.start_ready("Deployment/aggregator", "aggregator")
            self.finish(pods, submit)
            for worker in workers:
                self.assertEqual(worker.wait(60), 0, worker.log.read_text())

    def encrypted_servers(self, processes, objects, made):
        """A broker as the operator configures it, and a Redis as the guide asks for; their addresses."""
        files = processes.folder / "servers"
        files.mkdir()
        for name, content in made["Secret", "rabbitmq-tls"].items():
            (files / name).write_bytes(content)
        cluster = next(item for item in objects if item["kind"] == "RabbitmqCluster")
        additional = cluster["spec"]["rabbitmq"]["additionalConfig"]
        accounts_here = processes.folder / "accounts"
        configuration = (
            f"ssl_options.certfile = {files}/tls.crt\nssl_options.keyfile = {files}/tls.key\n"
            f"ssl_options.cacertfile = {files}/ca.crt\n"
        ) + additional.replace("/accounts/definitions.json", f"{accounts_here}/rabbitmq-definitions.json")
        amqp, _ = servers.rabbitmq(processes, configuration, encrypted=True)
        configuration = (
            f"appendonly yes\nmaxmemory-policy noeviction\ndir .\naclfile {accounts_here}/redis-users.acl\n"
            f"tls-cert-file {files}/tls.crt\ntls-key-file {files}/tls.key\ntls-ca-cert-file {files}/ca.crt\n"
        )
        port = servers.redis(processes, configuration, encrypted=True)
        return {
            "@rabbitmq.loto.svc:5671": f"@127.0.0.1:{amqp}",
            "@redis.example.com:6379": f"@127.0.0.1:{port}",
        }


if __name__ == "__main__":
    unittest.main()
