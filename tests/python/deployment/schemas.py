"""Whether objects are what the Kubernetes API, KEDA and the RabbitMQ cluster operator take.

Kubernetes' own schemas, strict about unknown fields, are those of the package kubernetes-validate; KEDA's
those of cloudcoil.models.keda. No package has the operator's: `rabbitmq_cluster.json` beside this file holds
what we use of its documented specification, and the parts it takes from Kubernetes are checked as such.
"""

import json
import pathlib

import jsonschema
import kubernetes_validate
from cloudcoil.models.keda import v1alpha1 as keda

# The oldest release that has all we use, and the newest that the package knows.
KUBERNETES_VERSIONS = ("1.29", "1.37")

_RABBITMQ_CLUSTER = json.loads(pathlib.Path(__file__).with_name("rabbitmq_cluster.json").read_text())


def problems(item):
    """What is wrong with an object; nothing if it is valid."""
    name = f"{item['kind']}/{item['metadata']['name']}"
    group = item["apiVersion"].split("/")[0]
    if group == "keda.sh":
        found = _keda_problems(item)
    elif group == "rabbitmq.com":
        found = _rabbitmq_problems(item)
    else:
        found = _kubernetes_problems(item)
    return [f"{name}: {problem}" for problem in found]


def _kubernetes_problems(item):
    for version in KUBERNETES_VERSIONS:
        try:
            kubernetes_validate.validate(item, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            yield f"Kubernetes {version}: {'.'.join(map(str, error.path))}: {error.message}"
        except kubernetes_validate.SchemaNotFoundError as error:
            yield error.message


def _keda_problems(item):
    if item["kind"] == "ScaledJob":
        # KEDA makes Jobs of it: what the API server would say to them. The models choke on a
        # quantity such as "1", so they get a job without any.
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "made-by-keda"}}
        yield from _kubernetes_problems(job | {"spec": item["spec"].get("jobTargetRef", {})})
        pod = {"template": {"spec": {"containers": [{"name": "any", "image": "any"}]}}}
        if "jobTargetRef" in item["spec"]:
            item = item | {"spec": item["spec"] | {"jobTargetRef": pod}}
    try:
        read = getattr(keda, item["kind"]).model_validate(item)
    except ValueError as error:
        yield str(error)
        return
    # The models ignore what they do not know: written again, it is missing.
    written = read.model_dump(mode="json", by_alias=True, exclude_unset=True)
    yield from _differences(item, written, "")


def _differences(given, taken, path):
    if isinstance(given, dict) and isinstance(taken, dict):
        for key in given:
            if key in taken:
                yield from _differences(given[key], taken[key], f"{path}.{key}")
            else:
                yield f"{path}.{key} is unknown"
    elif isinstance(given, list) and isinstance(taken, list) and len(given) == len(taken):
        for position, (one, other) in enumerate(zip(given, taken)):
            yield from _differences(one, other, f"{path}[{position}]")
    elif given != taken:
        yield f"{path} is {given!r}, taken as {taken!r}"


def _rabbitmq_problems(item):
    for error in jsonschema.Draft202012Validator(_RABBITMQ_CLUSTER).iter_errors(item):
        yield f"{'.'.join(map(str, error.path))}: {error.message}"
    # What the operator hands on to the API server, as parts of a pod and of a StatefulSet.
    spec = item["spec"]
    override = spec.get("override", {}).get("statefulSet", {}).get("spec", {})
    template = override.get("template", {"spec": {}})["spec"]
    containers = [container | {"image": "x"} for container in template.get("containers", [])]
    containers.append({"name": "resources", "image": "x", "resources": spec.get("resources", {})})
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "made-by-operator"},
        "spec": template | {"containers": containers, "affinity": spec.get("affinity", {})},
    }
    yield from _kubernetes_problems(pod)
