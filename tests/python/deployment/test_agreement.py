"""The overlays agree with the binaries and with themselves, and a change of one side is noticed."""

import base64
import copy
import hashlib
import importlib
import json
import sys
import unittest
import unittest.mock

import accounts
import rendering
import rules
from processes import of_objects, pod_of

OBJECTS = {name: rendering.overlay(name) for name in rendering.OVERLAYS}


def complaints(objects):
    """All there is to complain about."""
    return [*rules.complaints(objects), *accounts.missing(objects)]


def named(objects, kind, name):
    """The object of that kind and name."""
    return next(item for item in objects if (item["kind"], item["metadata"]["name"]) == (kind, name))


class Agreement(unittest.TestCase):
    maxDiff = None

    def test_all_overlays_agree_with_the_binaries_and_with_themselves(self):
        for name, objects in OBJECTS.items():
            with self.subTest(overlay=name):
                self.assertEqual(complaints(objects), [])

    def test_the_pod_for_tables_has_the_image_of_production(self):
        images = {process.image for process in of_objects(OBJECTS["production"]) if process.ours}
        images |= {process.image for process in of_objects(rendering.single_objects())}
        self.assertEqual(len(images), 1, images)

    def test_the_pod_for_tables_is_confined(self):
        for process in of_objects(rendering.single_objects()):
            self.assertEqual(list(rules.confinement(process)), [])

    def test_a_worker_has_room_to_hand_over_the_largest_table(self):
        # FCNET: four tasks of 62,208 rows with nine hyperparameters and a value, doubles each.
        needed = 4 * 62208 * (9 + 1) * 8
        for overlay in ("trial", "production"):
            pod = pod_of(named(OBJECTS[overlay], "Deployment", "worker"))["spec"]
            (size,) = (volume["emptyDir"]["sizeLimit"] for volume in pod["volumes"] if volume["name"] == "tmp")
            self.assertTrue(size.endswith("Mi"), size)
            self.assertGreater(int(size[:-2]) << 20, 2 * needed, overlay)

    def test_every_secret_of_the_guide_is_used(self):
        used = {
            name
            for objects in OBJECTS.values()
            for _, kind, name, _ in accounts.references(objects)
            if kind == "Secret"
        }
        self.assertEqual(set(accounts.documented()) - used, set())

    def test_the_accounts_of_a_trial_are_those_of_deploy_accounts(self):
        source = rendering.REPOSITORY / "deploy/accounts"
        trial = rendering.KUBERNETES / "overlays/trial/accounts"
        definitions = (trial / "rabbitmq-definitions.json").read_text()
        users = (trial / "redis-users.acl").read_text()
        self.assertEqual(
            accounts.unhashed(definitions), json.loads((source / "rabbitmq-definitions.json").read_text())
        )
        self.assertEqual(accounts.unhashed_users(users), (source / "redis-users.acl").read_text())
        for user in json.loads(definitions)["users"]:
            password = (trial / "passwords" / f"broker-{user['name']}").read_text().strip()
            self.assertTrue(accounts.broker_password_fits(password, user["password_hash"]), user["name"])
        for path in (trial / "passwords").glob("store-*"):
            hashed = hashlib.sha256(path.read_text().strip().encode()).hexdigest()
            name = path.name.removeprefix("store-")
            self.assertIn(f"user {name} on #{hashed} ", users)

    def test_the_simulation_of_scaling_has_the_settings_of_production(self):
        with unittest.mock.patch.object(sys, "path", [str(rendering.REPOSITORY / "deploy/sizing"), *sys.path]):
            scaler = importlib.import_module("autoscaling").Scaler()
        spec = named(OBJECTS["production-keda"], "ScaledJob", "worker")["spec"]
        worker = next(
            process for process in of_objects(OBJECTS["production-keda"]) if process.where == "ScaledJob/worker"
        )
        self.assertEqual(scaler.polling_interval, spec["pollingInterval"])
        self.assertEqual(scaler.max_replicas, spec["maxReplicaCount"])
        self.assertEqual(scaler.value, int(spec["triggers"][0]["metadata"]["value"]))
        self.assertEqual(scaler.exit_when_idle, int(worker.environment["LOTO_EXIT_WHEN_IDLE"]))
        self.assertTrue(scaler.counts_unacknowledged)

    def test_a_trial_gives_each_process_its_own_password(self):
        objects = OBJECTS["trial"]
        for process in filter(lambda process: process.ours, of_objects(objects)):
            component = process.labels["app.kubernetes.io/component"]
            for server in ("broker", "store"):
                path = process.environment.get(f"LOTO_{server.upper()}_PASSWORD_FILE")
                if path is None:
                    continue
                mount = process.mount_of(path)
                secret = named(objects, "Secret", mount.name)
                value = base64.b64decode(secret["data"][path.rpartition("/")[2]]).decode().strip()
                self.assertEqual(value, f"trial-{server}-loto-{component}", process.where)


class Mutations(unittest.TestCase):
    """Each rule complains when what it is about is changed."""

    def assert_noticed(self, overlay, change, expected):
        objects = copy.deepcopy(OBJECTS[overlay])
        change(objects)
        found = complaints(objects)
        self.assertTrue(any(expected in complaint for complaint in found), (expected, found))

    def container(self, objects, kind, name):
        return pod_of(named(objects, kind, name))["spec"]["containers"][0]

    def set_variable(self, objects, kind, name, variable, value):
        for entry in self.container(objects, kind, name)["env"]:
            if entry["name"] == variable:
                entry.pop("valueFrom", None)
                entry["value"] = value
                return
        self.fail(f"{variable} is not there")

    def rename_variable(self, objects, kind, name, variable, to):
        for entry in self.container(objects, kind, name)["env"]:
            if entry["name"] == variable:
                entry["name"] = to

    def variable(self, kind, name, variable, value):
        return lambda objects: self.set_variable(objects, kind, name, variable, value)

    def in_container(self, kind, name, change):
        return lambda objects: change(self.container(objects, kind, name))

    def in_object(self, kind, name, change):
        return lambda objects: change(named(objects, kind, name))

    def test_binaries(self):
        cases = [
            (lambda o: self.rename_variable(o, "Deployment", "worker", "LOTO_GRACE", "LOTO_GRACES"), "reads no variable"),
            (self.in_container("Job", "submit", lambda c: c["command"].append("--waits")), "has no option --waits"),
            (self.in_container("Job", "submit", lambda c: c["command"].__setitem__(1, "send")), "is no command"),
            (self.in_container("Deployment", "worker", lambda c: c.update(image="loto:0.0.9")), "its image is"),
            (self.variable("Deployment", "worker", "LOTO_GRACE", "85"), "it is killed after"),
            (self.in_container("Job", "submit", lambda c: c["command"].__setitem__(2, "/swep/x")), "nothing is mounted"),
            (self.in_container("Job", "submit", lambda c: c["command"].__setitem__(2, "/sweep/x")), "has no key x"),
            (self.variable("Deployment", "worker", "LOTO_JOBS", "2"), "LOTO_JOBS is 2"),
            (self.variable("Deployment", "worker", "OPENBLAS_NUM_THREADS", "2"), "OPENBLAS_NUM_THREADS"),
        ]
        for change, expected in cases:
            with self.subTest(expected=expected):
                self.assert_noticed("trial", change, expected)

    def test_ports(self):
        cases = [
            (self.variable("Deployment", "worker", "LOTO_METRICS", "0.0.0.0:9465"), "it listens on"),
            (self.variable("Deployment", "aggregator", "LOTO_LISTEN", "127.0.0.1:50051"), "nobody outside"),
            (self.in_container("Deployment", "worker", lambda c: c["livenessProbe"]["httpGet"].update(path="/")), "/livez"),
            (self.in_container("Deployment", "worker", lambda c: c["readinessProbe"]["httpGet"].update(port=80)), "asks port 80"),
            (self.in_container("StatefulSet", "redis", lambda c: c["ports"][0].update(containerPort=6380)), "no policy lets it"),
            (self.in_object("Service", "redis", lambda s: s["spec"]["ports"][0].update(port=6380)), "does not listen"),
            (self.in_object("Service", "redis", lambda s: s["metadata"].update(name="store")), "there is no Service redis"),
            (self.in_object("Service", "aggregator", lambda s: s["spec"]["ports"][0].update(targetPort="x")), "have no port x"),
            (self.in_object("Service", "aggregator", lambda s: s["spec"]["selector"].update(x="y")), "selects no pod"),
            (self.in_object("NetworkPolicy", "to-redis", lambda p: p["spec"]["egress"].clear()), "lets it out"),
            (self.in_object("NetworkPolicy", "redis", lambda p: p["spec"]["ingress"].clear()), "lets it in"),
            (self.in_object("NetworkPolicy", "metrics", lambda p: p["spec"]["ingress"].clear()), "may read its metrics"),
            (self.in_object("NetworkPolicy", "aggregator", lambda p: p["spec"]["ingress"].clear()), "no client"),
            (self.variable("Deployment", "worker", "LOTO_STORE", "redis://loto-admin@redis:6379"), "account loto-admin"),
        ]
        for change, expected in cases:
            with self.subTest(expected=expected):
                self.assert_noticed("trial", change, expected)

    def test_confinement(self):
        def weaken(key, value):
            return self.in_container("Deployment", "worker", lambda c: c["securityContext"].update({key: value}))

        def in_pod(change):
            return lambda objects: change(pod_of(named(objects, "Deployment", "worker"))["spec"])

        cases = [
            (weaken("readOnlyRootFilesystem", False), "is writable"),
            (weaken("allowPrivilegeEscalation", True), "gain privileges"),
            (weaken("capabilities", {}), "has capabilities"),
            (in_pod(lambda pod: pod["securityContext"].pop("runAsNonRoot")), "run as root"),
            (in_pod(lambda pod: pod["securityContext"].pop("seccompProfile")), "seccomp"),
            (in_pod(lambda pod: pod["securityContext"].pop("fsGroupChangePolicy")), "writable for the group"),
            (in_pod(lambda pod: pod.pop("automountServiceAccountToken")), "token"),
            (in_pod(lambda pod: pod["volumes"].pop()), "its volumes are"),
            (in_pod(lambda pod: pod["volumes"][0]["secret"].update(secretName="x")), "neither made here"),
            (self.in_container("Deployment", "worker", lambda c: c["resources"].pop("limits") and c["resources"].update(limits={"cpu": "1"})), "no limits"),
            (self.in_object("Deployment", "worker", lambda d: d["spec"]["selector"]["matchLabels"].update(x="y")), "its selector"),
            (self.in_object("PodDisruptionBudget", "worker", lambda d: d["spec"]["selector"]["matchLabels"].update(x="y")), "selects no pod"),
        ]
        for change, expected in cases:
            with self.subTest(expected=expected):
                self.assert_noticed("trial", change, expected)

    def test_production(self):
        def trigger(key, value):
            return self.in_object("ScaledJob", "worker", lambda s: s["spec"]["triggers"][0]["metadata"].update({key: value}))

        def broker(change):
            return self.in_object(
                "RabbitmqCluster", "rabbitmq", lambda r: change(r["spec"]["override"]["statefulSet"]["spec"]["template"]["spec"])
            )

        def workers(objects):
            objects.append(copy.deepcopy(named(OBJECTS["production"], "Deployment", "worker")))

        cases = [
            (trigger("queueName", "jobs"), "counts jobs"),
            (trigger("protocol", "amqp"), "does not count what workers hold"),
            (trigger("excludeUnacknowledged", "true"), "does not count what workers hold"),
            (trigger("value", "2"), "another number of jobs"),
            (self.in_object("ScaledJob", "worker", lambda s: s["spec"]["rollout"].update(strategy="default")), "ends busy workers"),
            (self.in_object("ScaledJob", "worker", lambda s: s["spec"]["scalingStrategy"].update(strategy="accurate")), "twice"),
            (lambda o: self.rename_variable(o, "ScaledJob", "worker", "LOTO_EXIT_WHEN_IDLE", "LOTO_DEADLINE"), "LOTO_EXIT_WHEN_IDLE"),
            (workers, "workers are"),
            (self.in_object("NetworkPolicy", "keda-to-rabbitmq", lambda p: p["spec"]["ingress"].clear()), "lets KEDA in"),
            (self.in_object("TriggerAuthentication", "loto-scaler", lambda t: t["spec"]["secretTargetRef"][0].update(key="x")), "has no key x"),
            (self.in_object("TriggerAuthentication", "loto-scaler", lambda t: t["metadata"].update(name="x")), "TriggerAuthentication is missing"),
            (self.in_object("RabbitmqCluster", "rabbitmq", lambda r: r["spec"]["rabbitmq"].update(additionalConfig="")), "consumer_timeout"),
            (broker(lambda p: p["securityContext"].pop("runAsNonRoot")), "its pods may run as root"),
            (broker(lambda p: p["securityContext"].pop("seccompProfile")), "its pods have no seccomp profile"),
            (broker(lambda p: p["initContainers"][0].update(name="x")), "setup-container may gain privileges"),
            (broker(lambda p: p["containers"][0].pop("securityContext")), "rabbitmq has capabilities"),
            (self.in_object("RabbitmqCluster", "rabbitmq", lambda r: r["spec"]["tls"].update(secretName="x")), "neither made here"),
            (self.variable("Deployment", "aggregator", "LOTO_STORE", "redis://loto-aggregator@redis.example.com:6379"), "LOTO_CA does not go"),
            (self.variable("Deployment", "aggregator", "LOTO_STORE", "rediss://loto-aggregator@redis.example.com:6380"), "lets it out"),
            (self.variable("Deployment", "aggregator", "LOTO_TLS_KEY", "/tls/x.key"), "has no key x.key"),
        ]
        for change, expected in cases:
            with self.subTest(expected=expected):
                self.assert_noticed("production-keda", change, expected)


if __name__ == "__main__":
    unittest.main()
