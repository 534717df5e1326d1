"""What is deployed: the objects of the Kubernetes overlays and the services of the Compose file."""

import json
import os
import pathlib
import subprocess
import tomllib

import yaml

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
KUBERNETES = REPOSITORY / "deploy/kubernetes"
COMPOSE = REPOSITORY / "deploy/compose/compose.yaml"
OVERLAYS = sorted(path.name for path in (KUBERNETES / "overlays").iterdir())


def version():
    """The version of the workspace, which the image's tag is."""
    with open(REPOSITORY / "Cargo.toml", "rb") as file:
        return tomllib.load(file)["workspace"]["package"]["version"]


def run(command, **options):
    """Runs a command; what it prints to standard output. Its failure is an error with what it said."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def overlay(name):
    """The objects of an overlay, as `kubectl apply -k` would send them."""
    kustomize = os.path.join(os.environ["LOTO_TEST_DEPLOYMENT_TOOLS"], "kustomize")
    text = run([kustomize, "build", str(KUBERNETES / "overlays" / name)])
    return [item for item in yaml.safe_load_all(text) if item]


def single_objects():
    """Objects that README.md applies by hand, beside the overlays."""
    return list(yaml.safe_load_all((KUBERNETES / "fill-tables.yaml").read_text()))


def compose():
    """The Compose file as `docker compose` understands it."""
    tool = os.path.join(os.environ["LOTO_TEST_DEPLOYMENT_TOOLS"], "docker-compose")
    return json.loads(run([tool, "--file", str(COMPOSE), "config", "--format", "json"]))
