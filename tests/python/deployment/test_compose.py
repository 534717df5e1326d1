"""The Compose file is valid, and agrees with the binaries and with itself."""

import copy
import os
import pathlib
import re
import tempfile
import unittest
import unittest.mock

import rendering
import rules
from processes import of_compose

COMPOSE = rendering.compose()
FOLDER = rendering.COMPOSE.parent


def complaints(compose):
    """All there is to complain about."""
    for process in of_compose(compose):
        service = process.container
        wanted = {
            "its root file system is writable": service.get("read_only") is True,
            "it has capabilities": service.get("cap_drop") == ["ALL"],
            "it may gain privileges": service.get("security_opt") == ["no-new-privileges:true"],
            "it may run as root": re.fullmatch(r"[1-9]\d*:[1-9]\d*", service.get("user", "")),
            "it has no health check": "healthcheck" in service,
        }
        found = [complaint for complaint, good in wanted.items() if not good]
        if process.ours:
            for rule in (rules.commands, rules.image, rules.paths, rules.grace):
                found += rule(process)
            found += addresses(process, compose)
            found += health(process)
            found += room(process)
        yield from (f"{process.where}: {complaint}" for complaint in found)
    yield from published(compose)
    yield from rules.consumer_timeout((FOLDER / "rabbitmq.conf").read_text())


def addresses(process, compose):
    """Each address is a service's, and the process waits until it is healthy."""
    for variable, port in (("LOTO_BROKER", "5672/loto"), ("LOTO_STORE", "6379")):
        if variable not in process.environment:
            continue
        address = re.fullmatch(r"\w+://(loto-[a-z]+)@([a-z]+):(.*)", process.environment[variable])
        if not address or address[2] not in compose["services"] or address[3] != port:
            yield f"{variable} is {process.environment[variable]}"
        elif process.container["depends_on"].get(address[2], {}).get("condition") != "service_healthy":
            yield f"it does not wait for {address[2]}"
        elif not process.environment[f"{variable}_PASSWORD_FILE"].endswith(address[1]):
            yield f"{variable} is for {address[1]}, its password is not"


def health(process):
    """The health check asks where the metrics are."""
    port = process.environment["LOTO_METRICS"].rpartition(":")[2]
    if f"/dev/tcp/127.0.0.1/{port} " not in process.container["healthcheck"]["test"][-1]:
        yield f"its health check does not ask port {port}"


def room(process):
    """A worker may run the programs of external methods, which it keeps in its temporary folder, and that is bounded."""
    if process.command[0] != "loto-worker":
        return
    (options,) = (path.partition(":")[2].split(",") for path in process.container["tmpfs"] if path.startswith("/tmp"))
    if "exec" not in options:
        yield "it may run nothing in /tmp"
    # As much as a worker has on Kubernetes.
    if "size=128m" not in options:
        yield "its /tmp is not of the size of a worker's on Kubernetes"


def published(compose):
    """Nothing is reachable from other machines; the service on the port it listens on."""
    for name, service in compose["services"].items():
        for port in service.get("ports", []):
            if port.get("host_ip") != "127.0.0.1":
                yield f"{name}: port {port['published']} is open to the network"
            listening = service["environment"]["LOTO_LISTEN"].rpartition(":")[2]
            if str(port["target"]) != listening:
                yield f"{name}: it listens on {listening}, published is {port['target']}"


class Compose(unittest.TestCase):
    def test_it_agrees_with_the_binaries_and_with_itself(self):
        self.assertEqual(list(complaints(COMPOSE)), [])
        services = set(COMPOSE["services"])
        self.assertEqual(services, {"rabbitmq", "redis", "worker-1", "worker-2", "aggregator", "submit"})

    def test_changes_are_noticed(self):
        def environment(service, **values):
            return lambda compose: compose["services"][service]["environment"].update(values)

        def service(name, **values):
            return lambda compose: compose["services"][name].update(values)

        cases = [
            (environment("worker-1", LOTO_GRACES="1"), "reads no variable"),
            (environment("worker-1", LOTO_GRACE="90"), "it is killed after"),
            (environment("worker-1", LOTO_METRICS="0.0.0.0:1"), "health check"),
            (environment("submit", LOTO_STORE="redis://loto-coordinator@store:6379"), "LOTO_STORE is"),
            (environment("submit", LOTO_STORE="redis://loto-worker@redis:6379"), "its password is not"),
            (environment("aggregator", LOTO_LISTEN="0.0.0.0:1"), "published is"),
            (environment("submit", LOTO_DATA="/data"), "nothing is mounted"),
            (service("redis", read_only=False), "writable"),
            (service("redis", user="root"), "as root"),
            (service("worker-2", image="loto:latest"), "its image is"),
            (service("submit", depends_on={}), "does not wait"),
            (service("worker-1", tmpfs=["/tmp:size=128m"]), "may run nothing"),
            (service("worker-1", tmpfs=["/tmp:exec"]), "not of the size"),
        ]
        for change, expected in cases:
            changed = copy.deepcopy(COMPOSE)
            change(changed)
            found = list(complaints(changed))
            with self.subTest(expected=expected):
                self.assertTrue(any(expected in complaint for complaint in found), found)

    def test_a_sweep_has_the_files_beside_it(self):
        """Those of external methods, whatever folder it lies in."""
        with tempfile.TemporaryDirectory() as folder:
            chosen = {"LOTO_FOLDER": folder, "LOTO_SWEEP": "mine.toml", "LOTO_TABLES": "/somewhere"}
            with unittest.mock.patch.dict(os.environ, chosen):
                (submit,) = (found for found in of_compose(rendering.compose()) if found.where == "compose/submit")
        self.assertEqual(submit.command, ["loto", "submit", "/sweep/mine.toml", "--wait"])
        sources = {mount.path: mount.name for mount in submit.mounts}
        self.assertEqual((sources["/sweep"], sources["/tables"]), (folder, "/somewhere"))
        (submit,) = (found for found in of_compose(COMPOSE) if found.where == "compose/submit")
        default = pathlib.Path(submit.mount_of("/sweep").name) / pathlib.Path(submit.command[2]).relative_to("/sweep")
        self.assertEqual(default, rendering.REPOSITORY / "coordinator/sweeps/smoke.toml")

    def test_the_files_it_mounts_are_there_or_made_by_make_accounts(self):
        by_script = {"rabbitmq-definitions.json", "redis-users.acl"} | {
            f"passwords/{name}"
            for name in (
                "broker-loto-coordinator",
                "broker-loto-worker",
                "store-loto-coordinator",
                "store-loto-worker",
                "store-loto-aggregator",
            )
        }
        files = [pathlib.Path(secret["file"]) for secret in COMPOSE["secrets"].values()]
        for found in COMPOSE["services"].values():
            files += [pathlib.Path(volume["source"]) for volume in found.get("volumes", []) if volume["type"] == "bind"]
        for file in files:
            accounts = FOLDER / "accounts"
            if file.is_relative_to(accounts):
                self.assertIn(str(file.relative_to(accounts)), by_script)
            else:
                self.assertTrue(file.exists(), file)

    def test_the_configurations_are_those_of_a_trial(self):
        """But for where the accounts are, and for limits of memory, which are the host's here."""
        for name in ("rabbitmq.conf", "redis.conf"):

            def settings(folder):
                lines = (folder / name).read_text().splitlines()
                skipped = ("load_definitions", "aclfile", "maxmemory ", "vm_memory", "disk_free", "#")
                return [line for line in lines if not line.startswith(skipped)]

            trial = rendering.KUBERNETES / "overlays/trial"
            self.assertEqual(settings(FOLDER), settings(trial), name)


if __name__ == "__main__":
    unittest.main()
