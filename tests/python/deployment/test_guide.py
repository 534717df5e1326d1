"""deploy/README.md: its commands run, or are marked as needing a cluster and name what is there."""

import os
import pathlib
import re
import shlex
import socket
import subprocess
import tempfile
import unittest

import accounts
import programs
import rendering
from processes import of_objects
from rendering import REPOSITORY

GUIDE = (REPOSITORY / "deploy/README.md").read_text()
# Marks: `run N` is run, N says when; the others need what they say.
BLOCKS = re.findall(r"(?:<!-- ([^>]+) -->\n)?```(\w*)\n(.*?)```", GUIDE, re.S)


def blocks(marks):
    """The text of the blocks with one of these marks, in the order of the guide."""
    return [text for mark, _, text in BLOCKS if mark in marks]


def lines_of(text):
    """The commands of a block, one per line."""
    joined = re.sub(r"\\\n\s*", " ", text)
    return [line.strip() for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def objects():
    """Everything that is made on a cluster, as kind/name in lower case."""
    found = {
        f"{item['kind']}/{item['metadata']['name']}".lower()
        for name in rendering.OVERLAYS
        for item in rendering.overlay(name)
    }
    return found | {f"pod/{item['metadata']['name']}" for item in rendering.single_objects()}


class Guide(unittest.TestCase):
    def test_every_block_is_marked(self):
        for mark, language, text in BLOCKS:
            self.assertRegex(mark, r"^(run \d|needs (docker|a cluster|docker and a cluster))$", text)
            self.assertEqual(language, "sh")

    def test_links_lead_somewhere(self):
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", GUIDE):
            if not link.startswith("https://"):
                self.assertTrue((REPOSITORY / "deploy" / link).exists(), link)
        anchors = {
            re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", GUIDE, re.M)
        }
        for anchor in re.findall(r"\]\(#([^)]+)\)", GUIDE):
            self.assertIn(anchor, anchors)

    def test_what_needs_a_cluster_names_what_is_there(self):
        there, secrets = objects(), {}
        for line in [line for text in blocks({"needs a cluster", "needs docker and a cluster"}) for line in lines_of(text)]:
            words = shlex.split(line.partition(" > ")[0])
            for name in re.findall(r"\b((?:job|deployment|service|pod)/[a-z-]+)", line):
                self.assertIn(name, there, line)
            for position, word in enumerate(words):
                following = words[position + 1 : position + 2]
                if word == "-k":
                    path = pathlib.PurePath(following[0])
                    self.assertEqual(str(path.parent), "deploy/kubernetes/overlays")
                    self.assertIn(path.name, rendering.OVERLAYS)
                elif word == "-f":
                    self.assertTrue((REPOSITORY / following[0]).is_file(), line)
                elif word in ("--namespace", "namespace"):
                    self.assertEqual(following, ["loto"], line)
            if words[:1] == ["kubectl"] and "--" in words:
                self.check_command(words[words.index("--") + 1 :])
            made = re.search(r"create secret generic ([a-z$-]+)", line)
            if made:
                keys = set(re.findall(r"--from-(?:file|literal)=([a-z.-]+)=", line))
                names = [made[1]]
                if "$name" in made[1]:
                    listed = re.search(r"for name in ([a-z -]+); do\n.*?create secret generic \$name-tls", GUIDE, re.S)
                    names = [f"{name}-tls" for name in listed[1].split()]
                secrets |= {name: keys for name in names}
        self.assertEqual(secrets, accounts.documented())

    def test_what_needs_docker_names_what_is_there(self):
        services = set(rendering.compose()["services"])
        for line in [line for text in blocks({"needs docker", "needs docker and a cluster"}) for line in lines_of(text)]:
            words = shlex.split(line)
            if "build" in words:
                self.assertEqual(words[words.index("-t") + 1], f"loto:{rendering.version()}")
                self.assertTrue((REPOSITORY / words[words.index("-f") + 1]).is_file())
            if "compose" in words:
                self.assertEqual(words[words.index("-f") + 1], "deploy/compose/compose.yaml")
                named = [word for word in words[words.index("-f") + 2 :] if not word.startswith("--")]
                verb = named.pop(0)
                self.assertIn(verb, {"up", "down", "logs", "exec"})
                if named:
                    self.assertIn(named[0], services)
                if verb == "exec":
                    self.check_command(named[1:])

    def check_command(self, command):
        program, rest = programs.parts(command)
        self.assertIn(program[0], ("loto", "loto-worker"))
        for word in rest:
            if word.startswith("--"):
                self.assertIn(word, programs.help_of(*program).flags)

    def test_the_rest_runs(self):
        marks = sorted({mark for mark, _, _ in BLOCKS if mark.startswith("run ")})
        script = "\n".join(text for mark in marks for text in blocks({mark}))
        with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
            free.close()
            script = script.replace("/tmp/loto/", f"{folder}/").replace("50051", str(port))
            path = pathlib.Path(os.environ["LOTO_TEST_PYTHON"]).parent
            plain = {name: value for name, value in os.environ.items() if not name.startswith("LOTO_")}
            environment = plain | {
                "PATH": f"{programs.BINARIES}:{path}:{os.environ['PATH']}",
                "PYTHONDONTWRITEBYTECODE": "1",
            }
            # Whatever goes wrong, nothing that was started stays.
            ending = f'trap \'kill $(jobs -p) 2>/dev/null || true; deploy/local/stop-servers "{folder}/servers"\' EXIT'
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", f"{ending}\n{script}"],
                cwd=REPOSITORY,
                env=environment,
                capture_output=True,
                text=True,
                timeout=600,
            )
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("smoke", done.stdout)
            self.assertTrue((pathlib.Path(folder) / "results/report.html").is_file())
            # What the commands that need a cluster read is there now.
            for file in re.findall(r"(?:=|cat )(/tmp/loto/[\w./-]+)", GUIDE):
                if "/accounts/" in file:
                    self.assertTrue(pathlib.Path(file.replace("/tmp/loto/", f"{folder}/")).is_file(), file)

    def test_tables_are_filled_before_a_job_reads_them(self):
        """Only one pod at a time has their volume, which is on one node at a time."""
        lines = [line for text in blocks({"needs a cluster"}) for line in lines_of(text)]
        apply = "kubectl apply -k deploy/kubernetes/overlays/production"
        steps = ["kubectl apply -f deploy/kubernetes/overlays/production/namespace.yaml"]
        steps += ["kubectl --namespace loto apply -f deploy/kubernetes/overlays/production/tables.yaml"]
        steps += ["kubectl apply -f deploy/kubernetes/fill-tables.yaml", "kubectl --namespace loto delete pod/fill-tables", apply]
        places = [lines.index(step) for step in steps]
        self.assertEqual(places, sorted(places))
        claims = {
            process.where
            for process in of_objects(rendering.overlay("production"))
            if any(mount.kind == "persistentVolumeClaim" for mount in process.mounts)
        }
        self.assertEqual(claims, {"Job/submit"})
        self.assertIn("(kubernetes/fill-tables.yaml)", GUIDE)
        for line in filter(lambda line: " wait --for" in line, lines):
            self.assertIn("--timeout=", line)

    def test_it_says_how_long_the_job_of_production_tries(self):
        (job,) = (item for item in rendering.overlay("production") if item["kind"] == "Job")
        # Kubernetes doubles the pause from 10 seconds up to six minutes.
        pauses = [min(10 * 2**failures, 360) for failures in range(job["spec"]["backoffLimit"])]
        self.assertEqual(len(pauses), 10)
        self.assertIn("tries again ten times", GUIDE)
        minutes = int(re.search(r"about (\d+) minutes\. To go on", GUIDE)[1])
        self.assertAlmostEqual(sum(pauses) / 60, minutes, delta=1)

    def test_the_sweep_of_production_is_valid_with_its_table(self):
        sweep = rendering.KUBERNETES / "overlays/production/sweep.toml"
        tables = REPOSITORY / "coordinator/sweeps"
        text = rendering.run([str(programs.BINARIES / "loto"), "check", str(sweep), "--data", str(tables)])
        self.assertIn("6510", text.replace(",", ""), "jobs: 31 tasks, 7 methods, 30 seeds")


if __name__ == "__main__":
    unittest.main()
