"""The scripts of deploy/slurm, with programs in place of Slurm's that note how they are called.

tests/tests/slurm.rs runs them on a Slurm.
"""

import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

import programs
from rendering import REPOSITORY

SCRIPTS = REPOSITORY / "deploy/slurm"

# Tells job 7 for an array and 8 for what follows it, which it may refuse.
SBATCH = r"""#!/bin/sh
for script; do :; done
printf '%s\n' "$@" > "$CALLS/$(basename "$script")"
case $script in
*merge.sbatch) [ -z "${REFUSE-}" ] || { echo "sbatch: error: Invalid account" >&2; exit 1; }
    printf '%s\n' "$PWD" "$LOTO_SLURM_SWEEP" "$LOTO_SLURM_SHARDS" "$LOTO_SLURM_OUT" "${LOTO_DATA-}" > "$CALLS/environment"
    echo 8 ;;
*) echo 7 ;;
esac
"""


class SubmitShards(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # With what a shell would split, and an apostrophe, which ends quotes.
        self.folder = pathlib.Path(folder.name).resolve() / "someone's sweeps"
        self.calls = pathlib.Path(folder.name) / "calls"
        (pathlib.Path(folder.name) / "bin").mkdir()
        self.calls.mkdir()
        self.folder.mkdir()
        sbatch = pathlib.Path(folder.name) / "bin/sbatch"
        sbatch.write_text(SBATCH)
        sbatch.chmod(0o755)
        plain = {name: value for name, value in os.environ.items() if not name.startswith("LOTO_")}
        self.environment = plain | {
            "PATH": f"{sbatch.parent}:{programs.BINARIES}:{os.environ['PATH']}",
            "CALLS": str(self.calls),
            "LOTO_DATA": str(REPOSITORY / "coordinator/sweeps"),
        }
        (self.folder / "sweep.toml").write_text((REPOSITORY / "coordinator/sweeps/smoke.toml").read_text())

    def submit(self, *arguments, **variables):
        return subprocess.run(
            [str(SCRIPTS / "submit-shards"), *arguments],
            cwd=self.folder,
            env=self.environment | variables,
            capture_output=True,
            text=True,
        )

    def call(self, script):
        return (self.calls / script).read_text().splitlines()

    def test_the_report_has_the_account_the_partition_and_the_quality_of_service_of_the_shards(self):
        for given in (["-A", "us", "-p", "short", "-q", "low"], ["-Aus", "--partition=short", "--qos", "low"]):
            done = self.submit("sweep.toml", "3", "out", "--time=1", *given, "--mem=100")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("shards: job 7; report: job 8", done.stdout)
            self.assertEqual(self.call("shard.sbatch")[2:-1], ["--array=1-3", "--time=1", *given, "--mem=100"])
            self.assertEqual(self.call("merge.sbatch")[2:-1], ["--dependency=afterok:7", *given])

    def test_a_report_that_is_refused_can_be_submitted_alone(self):
        self.assertEqual(self.submit("sweep.toml", "3", "out").returncode, 0)
        environment = self.call("environment")
        (self.calls / "environment").unlink()
        refused = self.submit("sweep.toml", "3", "out", REFUSE="yes")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("Invalid account", refused.stderr)
        self.assertIn("scancel 7\n", refused.stderr)
        told = refused.stderr[refused.stderr.index("    cd ") :]
        plain = {name: value for name, value in self.environment.items() if name != "LOTO_DATA"}
        subprocess.run(["sh", "-euc", told], env=plain, check=True, capture_output=True)
        self.assertEqual(self.call("environment"), environment)
        self.assertEqual(shlex.split(told)[-2:], ["--dependency=afterok:7", str(SCRIPTS / "merge.sbatch")])

    def test_a_mistake_makes_no_folder(self):
        for arguments in (["nope.toml", "3"], ["sweep.toml", "none"]):
            done = self.submit(*arguments, "out")
            self.assertNotEqual(done.returncode, 0)
            self.assertFalse((self.folder / "out").exists(), arguments)
            self.assertEqual(list(self.calls.iterdir()), [])

    def test_logs_of_what_need_not_be_an_array_are_named_by_the_job(self):
        """Slurm writes 4294967294 for the number of a task where there is none."""
        for script in ("merge.sbatch", "workers.sbatch"):
            self.assertIn("#SBATCH --output=%x-%j.log\n", (SCRIPTS / script).read_text())


if __name__ == "__main__":
    unittest.main()
