"""What manifests have to agree on with the binaries and with each other: each rule gives its complaints."""

import re

import network
import programs
import rendering
from processes import of_objects, pod_of

JOBS_QUEUE = re.search(
    r'pub const JOBS: &str = "([^"]+)"',
    next(
        path.read_text()
        for path in (rendering.REPOSITORY / "proto/transport/src/queue").rglob("*.rs")
        if "pub const JOBS: &str" in path.read_text()
    ),
)[1]

# What handing back may take after LOTO_GRACE, in seconds: two talks with the store, one with the broker.
HAND_BACK = 10


def commands(process):
    """Programs, subcommands, flags and variables exist."""
    program, rest = programs.parts(process.command)
    if program[0] == "loto" and len(program) == 1:
        yield f"`loto {' '.join(rest)}` is no command"
        return
    known = programs.help_of(*program)
    for argument in rest:
        if argument.startswith("--") and argument.split("=")[0] not in known.flags:
            yield f"{' '.join(program)} has no option {argument}"
    for variable in process.environment:
        if variable.startswith("LOTO_") and variable not in known.variables:
            yield f"{' '.join(program)} reads no variable {variable}"


def image(process):
    """It is the image of this version."""
    name, _, tag = process.image.rpartition(":")
    if tag != rendering.version() or name.rpartition("/")[2] != "loto":
        yield f"its image is {process.image}, not loto:{rendering.version()}"


def paths(process):
    """Every absolute path in arguments and variables is mounted."""
    values = list(process.environment.items()) + [("an argument", part) for part in process.command]
    for name, value in values:
        if value.startswith("/") and process.mount_of(value) is None:
            yield f"{name} is {value}, where nothing is mounted"


def grace(process):
    """It gets longer to end than it takes by itself."""
    if process.command[0] != "loto-worker":
        return
    default = programs.help_of("loto-worker").default("LOTO_GRACE")
    wanted = int(process.environment.get("LOTO_GRACE", default))
    if process.grace < wanted + HAND_BACK:
        yield f"it is killed after {process.grace} s; LOTO_GRACE is {wanted} s, and {HAND_BACK} s to hand back"


def ports(process):
    """What listens is a port of the container, and probes ask it."""
    listening = {}
    for variable, name in (("LOTO_METRICS", "metrics"), ("LOTO_LISTEN", "grpc")):
        if variable in process.environment:
            listening[name] = int(process.environment[variable].rpartition(":")[2])
            if not process.environment[variable].startswith("0.0.0.0:"):
                yield f"{variable} is {process.environment[variable]}: nobody outside of the pod reaches it"
    if listening != process.ports:
        yield f"it listens on {listening}, its ports are {process.ports}"
    if listening.get("metrics") != 9464:
        yield "its metrics are not on port 9464"
    for probe, path in (("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
        asked = process.container.get(probe, {}).get("httpGet", {})
        if asked.get("path") != path:
            yield f"its {probe} does not ask {path}"
        if process.ports.get(asked.get("port"), asked.get("port")) != listening.get("metrics"):
            yield f"its {probe} asks port {asked.get('port')}"


def confinement(process):
    """Non-root, read-only, no privileges, bounded; every volume is used, and all that is mounted is a volume."""
    pod, context = process.pod, process.container.get("securityContext", {})
    wanted = {
        "it may run as root": pod.get("securityContext", {}).get("runAsNonRoot") is True,
        "it has no seccomp profile": "seccompProfile" in pod.get("securityContext", {}),
        "its root file system is writable": context.get("readOnlyRootFilesystem") is True,
        "it may gain privileges": context.get("allowPrivilegeEscalation") is False,
        "it has capabilities": context.get("capabilities") == {"drop": ["ALL"]},
        "it gets a token of the Kubernetes API": pod.get("automountServiceAccountToken") is False,
    }
    yield from (complaint for complaint, good in wanted.items() if not good)
    group = pod.get("securityContext", {})
    if "fsGroup" in group and group.get("fsGroupChangePolicy") != "OnRootMismatch":
        yield "its files become writable for the group whenever their volume is mounted"
    resources = process.container.get("resources", {})
    for kind in ("requests", "limits"):
        if set(resources.get(kind, {})) != {"cpu", "memory"}:
            yield f"its resources have no {kind}"
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    mounted = {mount["name"] for mount in process.container.get("volumeMounts", [])}
    if process.ours and volumes != mounted:
        yield f"its volumes are {sorted(volumes)}, mounted are {sorted(mounted)}"


def operated(objects):
    """What operators make keeps to the standard `restricted` of its namespace, whatever the operator's release."""
    for item in objects:
        if item["kind"] != "RabbitmqCluster":
            continue
        pod = item["spec"]["override"]["statefulSet"]["spec"]["template"]["spec"]
        context = pod.get("securityContext", {})
        wanted = {
            "its pods may run as root": context.get("runAsNonRoot") is True,
            "its pods have no seccomp profile": context.get("seccompProfile") == {"type": "RuntimeDefault"},
        }
        # These are the containers of the operator's pods, which find their overrides by name.
        for kind, name in (("initContainers", "setup-container"), ("containers", "rabbitmq")):
            container = next((entry for entry in pod.get(kind, []) if entry["name"] == name), {})
            context = container.get("securityContext", {})
            wanted |= {
                f"{name} may gain privileges": context.get("allowPrivilegeEscalation") is False,
                f"{name} has capabilities": context.get("capabilities") == {"drop": ["ALL"]},
            }
        yield from (f"RabbitmqCluster: {complaint}" for complaint, good in wanted.items() if not good)


def cores(process):
    """A worker runs one job per core, each with one thread of linear algebra."""
    if process.command[0] != "loto-worker":
        return
    if process.environment.get("OPENBLAS_NUM_THREADS") != "1":
        yield "OPENBLAS_NUM_THREADS is not 1"
    limit = process.container["resources"]["limits"]["cpu"]
    name = process.container["name"]
    if process.environment.get("LOTO_JOBS") != f"<limits.cpu of {name}>" or not limit.isdigit():
        yield f"LOTO_JOBS is {process.environment.get('LOTO_JOBS')}, its processors {limit}"


def addresses(process, objects):
    """Where it connects there is a Service whose pods listen, and policies let it through both ways."""
    services, pods = network.services(objects), network.pods(objects)
    for variable in ("LOTO_BROKER", "LOTO_STORE"):
        if variable not in process.environment:
            continue
        url = re.fullmatch(r"(amqps?|rediss?)://([a-z-]+)@([a-z0-9.-]+):(\d+)(/.*)?", process.environment[variable])
        if not url:
            yield f"{variable} is {process.environment[variable]}"
            continue
        scheme, account, host, port = url[1], url[2], url[3], int(url[4])
        component = process.labels.get("app.kubernetes.io/component")
        if account != f"loto-{component}":
            yield f"{variable} is for the account {account}"
        encrypted = scheme in ("amqps", "rediss")
        if encrypted != ("LOTO_CA" in process.environment):
            yield f"{variable} is {scheme}, and LOTO_CA does not go with that"
        service, _, domain = host.partition(".")
        if domain not in ("", f"{_namespace(objects)}.svc"):
            if not network.lets_out(objects, process.labels, None, port):
                yield f"no policy lets it out to {host}:{port}"
            continue
        if service not in services:
            yield f"{variable}: there is no Service {service}"
            continue
        selector, service_ports = services[service]
        targets = [pod for pod in pods if network.selects({"matchLabels": selector}, pod.labels)]
        target = next((entry["targetPort"] for entry in service_ports if entry["port"] == port), None)
        for pod in targets:
            listening = pod.ports.get(target, target)
            if listening not in pod.ports.values():
                yield f"{variable}: {pod.name} does not listen on {target} of Service {service}:{port}"
            elif not network.lets_out(objects, process.labels, pod.labels, listening):
                yield f"{variable}: no policy lets it out to {pod.name}:{listening}"
            elif not network.lets_in(objects, pod.labels, process.labels, listening):
                yield f"{variable}: no policy lets it in to {pod.name}:{listening}"


def _namespace(objects):
    return next(item["metadata"]["name"] for item in objects if item["kind"] == "Namespace")


def selectors(objects):
    """Selectors select: their own pods, or those of some workload; named ports exist there."""
    pods = network.pods(objects)
    for item in objects:
        kind, name = item["kind"], item["metadata"]["name"]
        if kind in ("Deployment", "StatefulSet"):
            if not network.selects(item["spec"]["selector"], pod_of(item)["metadata"]["labels"]):
                yield f"{kind}/{name}: its selector is not for its pods"
        elif kind in ("Service", "PodDisruptionBudget"):
            selector = item["spec"]["selector"]
            selector = {"matchLabels": selector} if kind == "Service" else selector
            chosen = [pod for pod in pods if network.selects(selector, pod.labels)]
            if not chosen:
                yield f"{kind}/{name}: it selects no pod"
            for port in item["spec"].get("ports", []):
                if any(port["targetPort"] not in pod.ports for pod in chosen):
                    yield f"{kind}/{name}: its pods have no port {port['targetPort']}"
        elif kind == "NetworkPolicy":
            chosen = [pod for pod in pods if network.selects(item["spec"]["podSelector"], pod.labels)]
            if not chosen:
                yield f"{kind}/{name}: it selects no pod"
            for rule in item["spec"].get("ingress", []):
                cluster = any(pod.name.startswith("RabbitmqCluster") for pod in chosen)
                for entry in [] if cluster else rule["ports"]:
                    if any(entry["port"] not in pod.ports.values() for pod in chosen):
                        yield f"{kind}/{name}: its pods do not listen on {entry['port']}"


def outside(objects):
    """Policies let in who comes from outside: metrics, and clients of the service."""
    for pod in network.pods(objects):
        if "metrics" in pod.ports and not network.lets_in(objects, pod.labels, "monitoring", pod.ports["metrics"]):
            yield f"{pod.name}: nobody may read its metrics"
        client = {"app.kubernetes.io/name": "loto", "app.kubernetes.io/component": "client"}
        if "grpc" in pod.ports and not network.lets_in(objects, pod.labels, client, pod.ports["grpc"]):
            yield f"{pod.name}: no client may ask it"


def scaling(objects):
    """Workers are a Deployment or a ScaledJob; the latter end by themselves, and their messages are counted."""
    kinds = {item["kind"] for item in objects if pod_of(item) and item["metadata"]["name"] == "worker"}
    if len(kinds) != 1:
        yield f"workers are {sorted(kinds)}"
    for process in of_objects(objects):
        idle = process.environment.get("LOTO_EXIT_WHEN_IDLE")
        if process.where.startswith("ScaledJob") != (idle is not None):
            yield f"{process.where}: LOTO_EXIT_WHEN_IDLE is {idle}"
    for item in objects:
        if item["kind"] != "ScaledJob":
            continue
        spec, trigger = item["spec"], item["spec"]["triggers"][0]
        metadata = trigger["metadata"]
        container = spec["jobTargetRef"]["template"]["spec"]["containers"][0]
        wanted = {
            f"counts {metadata['queueName']}, jobs are in {JOBS_QUEUE}": metadata["queueName"] == JOBS_QUEUE,
            "does not count what workers hold": metadata["protocol"] == "http"
            and metadata.get("excludeUnacknowledged", "false") == "false",
            "a pod is for another number of jobs than it runs": metadata["value"]
            == container["resources"]["limits"]["cpu"],
            "counts busy workers twice": spec["scalingStrategy"]["strategy"] == "default",
            "ends busy workers when it changes": spec["rollout"]["strategy"] == "gradual",
            "does not end at zero": spec["minReplicaCount"] == 0,
        }
        yield from (f"ScaledJob: {complaint}" for complaint, good in wanted.items() if not good)
        authentications = [
            other["metadata"]["name"] for other in objects if other["kind"] == "TriggerAuthentication"
        ]
        if trigger["authenticationRef"]["name"] not in authentications:
            yield "ScaledJob: its TriggerAuthentication is missing"
        for pod in network.pods(objects):
            if pod.name == "RabbitmqCluster/rabbitmq":
                port = pod.ports["management-tls"]
                if not network.lets_in(objects, pod.labels, "keda", port):
                    yield "no policy lets KEDA in to the broker"


def consumer_timeout(text):
    """The broker leaves a job to its worker for longer than the job's deadline."""
    milliseconds = re.search(r"^\s*consumer_timeout = (\d+)$", text, re.M)
    deadline = int(programs.help_of("loto-worker").default("LOTO_DEADLINE"))
    if not milliseconds or int(milliseconds[1]) <= deadline * 1000:
        yield f"consumer_timeout is not above the deadline of {deadline} s"


def brokers(objects):
    """As [`consumer_timeout`], of every broker's configuration."""
    texts = [
        item["data"]["rabbitmq.conf"]
        for item in objects
        if item["kind"] == "ConfigMap" and "rabbitmq.conf" in item.get("data", {})
    ]
    texts += [
        item["spec"]["rabbitmq"]["additionalConfig"] for item in objects if item["kind"] == "RabbitmqCluster"
    ]
    if len(texts) != 1:
        yield f"there are {len(texts)} configurations of brokers"
    for text in texts:
        yield from consumer_timeout(text)


def complaints(objects):
    """All rules on the objects of an overlay."""
    for process in of_objects(objects):
        found = list(confinement(process))
        if process.ours:
            for rule in (commands, image, paths, grace, ports, cores):
                found += rule(process)
            found += addresses(process, objects)
        yield from (f"{process.where}: {complaint}" for complaint in found)
    for rule in (operated, selectors, outside, scaling, brokers):
        yield from rule(objects)
