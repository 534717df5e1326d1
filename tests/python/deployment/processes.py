"""The processes of a deployment, in one form for Kubernetes and Compose."""

import dataclasses

# Kinds that run pods, and where their pod is.
POD_PATHS = {
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "Job": ("spec", "template"),
    "ScaledJob": ("spec", "jobTargetRef", "template"),
    "Pod": (),
}


@dataclasses.dataclass
class Mount:
    """What is mounted somewhere: `kind` is secret, configMap, a claim and so on."""

    path: str
    kind: str
    name: str = ""
    file: str = ""


@dataclasses.dataclass
class Process:
    """One container, or one service of Compose."""

    where: str
    image: str
    command: list
    environment: dict
    mounts: list
    grace: int
    ports: dict = dataclasses.field(default_factory=dict)
    container: dict = dataclasses.field(default_factory=dict)
    pod: dict = dataclasses.field(default_factory=dict)
    labels: dict = dataclasses.field(default_factory=dict)

    @property
    def ours(self):
        """Whether it runs a binary of this project."""
        return bool(self.command) and self.command[0] in ("loto", "loto-worker")

    def mount_of(self, path):
        """The mount that a path lies in; None if in none."""
        for mount in self.mounts:
            if path == mount.path or path.startswith(mount.path.rstrip("/") + "/"):
                return mount
        return None


def at(item, path):
    """A value deep in nested dictionaries."""
    for key in path:
        item = item[key]
    return item


def pod_of(item):
    """The pod, with metadata and spec, that an object runs; None if it runs none."""
    path = POD_PATHS.get(item["kind"])
    return None if path is None else at(item, path)


def _mounts(container, spec):
    volumes = {volume["name"]: volume for volume in spec.get("volumes", [])}
    for mount in container.get("volumeMounts", []):
        volume = volumes.get(mount["name"], {"name": mount["name"], "claimed": {}})
        kind = next(key for key in volume if key != "name")
        source = volume[kind] or {}
        names = ("secretName", "name", "claimName")
        name = next((source[key] for key in names if key in source), "")
        yield Mount(mount["mountPath"], kind, name, mount.get("subPath", ""))


def _environment(container):
    values = {}
    for variable in container.get("env", []):
        value = variable.get("value")
        if value is None:
            field = variable["valueFrom"].get("resourceFieldRef")
            value = f"<{field['resource']} of {field['containerName']}>" if field else "<reference>"
        values[variable["name"]] = value
    return values


def of_objects(objects):
    """The processes of Kubernetes objects."""
    found = []
    for item in objects:
        pod = pod_of(item)
        if pod is None:
            continue
        spec = pod["spec"]
        for container in spec["containers"]:
            found.append(
                Process(
                    where=f"{item['kind']}/{item['metadata']['name']}",
                    image=container["image"],
                    command=container.get("command", []) + container.get("args", []),
                    environment=_environment(container),
                    mounts=list(_mounts(container, spec)),
                    grace=spec.get("terminationGracePeriodSeconds", 30),
                    ports={port["name"]: port["containerPort"] for port in container.get("ports", [])},
                    container=container,
                    pod=spec,
                    labels=pod["metadata"].get("labels", {}),
                )
            )
    return found


def seconds(text):
    """A duration of Compose, such as 1m30s, in seconds."""
    total, number = 0, ""
    for letter in text:
        if letter.isdigit():
            number += letter
        else:
            total += int(number) * {"h": 3600, "m": 60, "s": 1}[letter]
            number = ""
    return total


def of_compose(compose):
    """The processes of a Compose file."""
    found = []
    for name, service in compose["services"].items():
        mounts = [Mount(path.split(":")[0], "tmpfs") for path in service.get("tmpfs", [])]
        mounts += [
            Mount(volume["target"], volume["type"], volume.get("source", ""))
            for volume in service.get("volumes", [])
        ]
        mounts += [
            Mount(secret["target"], "secret", secret["source"]) for secret in service.get("secrets", [])
        ]
        found.append(
            Process(
                where=f"compose/{name}",
                image=service["image"],
                command=service.get("command") or [],
                environment=service.get("environment") or {},
                mounts=mounts,
                grace=seconds(service.get("stop_grace_period", "10s")),
                container=service,
            )
        )
    return found
