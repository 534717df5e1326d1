"""The binaries take the commands and variables of every process: each is run, with nobody to connect to."""

import pathlib
import re
import shutil
import tempfile
import unittest

import programs
import rendering
from processes import of_compose, of_objects

# Nothing listens there: the port is reserved.
NOBODY = "127.0.0.1:1"


def here(process, folder):
    """The process's command and environment, with its mounts in a folder and its servers nowhere."""

    def value(text):
        mount = process.mount_of(text) if text.startswith("/") else None
        if mount is None:
            return re.sub(r"(?<=@)[^/]+", NOBODY, text)
        path = folder / text.lstrip("/")
        if text == mount.path and mount.kind != "secret" and not path.suffix:
            path.mkdir(parents=True, exist_ok=True)
            return str(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".toml":
            for source in ("smoke.toml", "svm-sklearn.csv.zip"):
                shutil.copy(rendering.REPOSITORY / "coordinator/sweeps" / source, path.parent)
            (path.parent / "smoke.toml").rename(path)
        else:
            path.write_text("x\n")
        return str(path)

    environment = {name: value(text) for name, text in process.environment.items()}
    if environment.get("LOTO_JOBS", "").startswith("<"):
        environment["LOTO_JOBS"] = "1"
    for variable in ("LOTO_LISTEN", "LOTO_METRICS"):
        if variable in environment:
            environment[variable] = "127.0.0.1:0"
    return [value(part) for part in process.command], environment


class Commands(unittest.TestCase):
    def test_every_process_gets_as_far_as_connecting(self):
        processes = [
            process
            for found in (
                *(of_objects(rendering.overlay(name)) for name in rendering.OVERLAYS),
                of_compose(rendering.compose()),
            )
            for process in found
            if process.ours
        ]
        self.assertGreater(len(processes), 10)
        for process in processes:
            with self.subTest(process=process.where), tempfile.TemporaryDirectory() as folder:
                command, environment = here(process, pathlib.Path(folder))
                self.assertIsNone(programs.refusal(command, environment))

    def test_a_wrong_one_is_refused(self):
        address = {"LOTO_BROKER": f"amqp://x@{NOBODY}", "LOTO_STORE": f"redis://x@{NOBODY}"}
        self.assertIsNone(programs.refusal(["loto-worker"], address))
        self.assertIsNotNone(programs.refusal(["loto-worker"], address | {"LOTO_JOBS": "many"}))
        self.assertIsNotNone(programs.refusal(["loto-worker", "--job", "1"], address))


if __name__ == "__main__":
    unittest.main()
