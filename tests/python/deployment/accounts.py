"""Whether accounts, Secrets and ConfigMaps that processes use are there."""

import base64
import hashlib
import json
import re

import rendering
from processes import of_objects, pod_of

GUIDE = rendering.REPOSITORY / "deploy/README.md"


def documented():
    """The Secrets that an engineer makes, with their keys: the table of deploy/README.md."""
    table = re.findall(r"^\| `([a-z-]+)` \| ((?:`[a-z.-]+`(?:, )?)+) \|", GUIDE.read_text(), re.M)
    return {name: set(re.findall(r"`([a-z.-]+)`", keys)) for name, keys in table}


def made(objects):
    """The Secrets and ConfigMaps among the objects, as {(kind, name): keys}."""
    found = {}
    for item in objects:
        if item["kind"] in ("Secret", "ConfigMap"):
            keys = set(item.get("data", {})) | set(item.get("binaryData", {})) | set(item.get("stringData", {}))
            found[item["kind"], item["metadata"]["name"]] = keys
    return found


def references(objects):
    """Every Secret and ConfigMap that is referred to, with a key if it says which: (who, kind, name, key)."""
    for item in objects:
        who = f"{item['kind']}/{item['metadata']['name']}"
        pod = pod_of(item)
        if pod:
            for volume in pod["spec"].get("volumes", []):
                if "secret" in volume:
                    yield who, "Secret", volume["secret"]["secretName"], None
                if "configMap" in volume:
                    yield who, "ConfigMap", volume["configMap"]["name"], None
        if item["kind"] == "TriggerAuthentication":
            for entry in item["spec"]["secretTargetRef"]:
                yield who, "Secret", entry["name"], entry["key"]
        if item["kind"] == "RabbitmqCluster":
            tls = item["spec"]["tls"]
            for key in ("tls.crt", "tls.key"):
                yield who, "Secret", tls["secretName"], key
            yield who, "Secret", tls["caSecretName"], "ca.crt"
            spec = item["spec"]["override"]["statefulSet"]["spec"]["template"]["spec"]
            for volume in spec["volumes"]:
                yield who, "Secret", volume["secret"]["secretName"], None
    for process in of_objects(objects):
        values = list(process.environment.values()) + process.command
        for value in filter(lambda value: value.startswith("/"), values):
            mount = process.mount_of(value)
            if mount and mount.kind in ("secret", "configMap") and value != mount.path:
                kind = {"secret": "Secret", "configMap": "ConfigMap"}[mount.kind]
                yield process.where, kind, mount.name, value[len(mount.path) + 1 :]
        for mount in process.mounts:
            if mount.kind == "configMap" and mount.file:
                yield process.where, "ConfigMap", mount.name, mount.file


def missing(objects):
    """What is referred to and neither rendered nor documented; and what is documented and not referred to."""
    rendered, by_hand = made(objects), documented()
    for who, kind, name, key in references(objects):
        keys = rendered.get((kind, name))
        if keys is None and kind == "Secret":
            keys = by_hand.get(name)
        if keys is None:
            yield f"{who}: the {kind} {name} is neither made here nor in deploy/README.md"
        elif key is not None and key not in keys:
            yield f"{who}: the {kind} {name} has no key {key}"


def unhashed(definitions):
    """RabbitMQ definitions without what differs between installations."""
    definitions = json.loads(definitions)
    for user in definitions["users"]:
        user["password_hash"] = ""
    return definitions


def unhashed_users(acl):
    """A Redis ACL file without the hashes of passwords."""
    return re.sub(r" #[0-9a-f]{64}", "", acl)


def broker_password_fits(password, stored):
    """Whether RabbitMQ takes a password for a hash of its definitions."""
    stored = base64.b64decode(stored)
    return stored[4:] == hashlib.sha256(stored[:4] + password.encode()).digest()
