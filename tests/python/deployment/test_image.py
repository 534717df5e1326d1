"""The Dockerfile fits the binaries: what it installs, copies and says."""

import re
import tomllib
import unittest

import programs
import rendering
from rendering import REPOSITORY, run

DOCKERFILE = (REPOSITORY / "deploy/image/Dockerfile").read_text()


def stages():
    """The lines of each stage, with continued lines joined."""
    text = re.sub(r"\\\n\s*", " ", DOCKERFILE)
    return re.split(r"^FROM ", text, flags=re.M)[1:]


def installed(stage):
    """The Debian packages that a stage installs."""
    found = re.search(r"apt-get install --yes --no-install-recommends ([a-z0-9. -]+?) +&&", stage)
    return found[1].split()


def with_dependencies(packages):
    """Packages with all that they depend on, by what dpkg knows of them here."""
    known, new = set(), set(packages)
    while new:
        package = new.pop()
        known.add(package)
        text = run(["dpkg-query", "--show", "--showformat=${Depends}, ${Pre-Depends}", package])
        for name in re.findall(r"(?:^|, )([a-z0-9][a-z0-9.+-]*)", text):
            if name not in known:
                new.add(name)
    return known


def libraries(program):
    """The Debian packages of the shared libraries that a binary loads."""
    text = run(["ldd", str(programs.BINARIES / program)])
    for path in re.findall(r"=> (/\S+)", text):
        real = run(["realpath", path]).strip()
        # What is in /lib may be known as in /usr/lib, and the other way round.
        names = [real, real.removeprefix("/usr")]
        found = run(["sh", "-c", f"dpkg --search {' '.join(names)} 2>/dev/null || true"])
        yield path, found.partition(":")[0]


class Image(unittest.TestCase):
    def test_it_installs_the_libraries_of_the_binaries_and_no_other(self):
        packages = installed(stages()[-1])
        closure = with_dependencies(packages)
        needed = set()
        for program in ("loto", "loto-worker"):
            for path, package in libraries(program):
                self.assertTrue(package, f"no package has {path}")
                self.assertIn(package, closure, path)
                needed.add(package)
        self.assertEqual(set(packages) - needed, set())

    def test_what_builds_is_what_builds_here(self):
        packages = (REPOSITORY / "deploy/local/install-packages").read_text()
        here = set(re.search(r"^packages=\((.*)\)$", packages, re.M)[1].split())
        # The image of Rust has the compiler, libc and the authorities.
        wanted = here - {"ca-certificates", "gcc", "libc6-dev"}
        self.assertEqual(set(installed(stages()[0])), wanted)

    def test_versions_and_names(self):
        with open(REPOSITORY / "Cargo.toml", "rb") as file:
            package = tomllib.load(file)["workspace"]["package"]
        self.assertIn(f'image.version="{package["version"]}"', DOCKERFILE)
        self.assertIn(f'image.licenses="{package["license"]}"', DOCKERFILE)
        self.assertIn(f"-t loto:{package['version']} ", DOCKERFILE)
        rust = re.match(r"rust:(\d+)\.(\d+)\.\d+-bookworm ", stages()[0])
        with open(REPOSITORY / "rust-toolchain.toml", "rb") as file:
            channel = tomllib.load(file)["toolchain"]["channel"]
        self.assertTrue(stages()[0].startswith(f"rust:{channel}-bookworm "), "the image builds with another toolchain")
        self.assertIn(f"image: rust:{channel}-bookworm\n", (REPOSITORY / ".github/workflows/ci.yml").read_text())
        self.assertGreaterEqual((int(rust[1]), int(rust[2])), tuple(map(int, package["rust-version"].split("."))))

    def test_it_runs_as_the_user_of_the_manifests(self):
        user = re.search(r"^USER (\d+):(\d+)$", DOCKERFILE, re.M)
        for item in rendering.overlay("trial"):
            if item["kind"] in ("Deployment", "Job"):
                context = item["spec"]["template"]["spec"]["securityContext"]
                self.assertEqual((context["runAsUser"], context["runAsGroup"]), (int(user[1]), int(user[2])))

    def test_the_context_holds_what_the_build_reads(self):
        with open(REPOSITORY / "Cargo.toml", "rb") as file:
            members = tomllib.load(file)["workspace"]["members"]
        lines = (REPOSITORY / ".dockerignore").read_text().splitlines()
        kept = {line[1:] for line in lines if line.startswith("!")}
        folders = {member.partition("/")[0] for member in members}
        # Workers bring the Python package along.
        package = (REPOSITORY / "worker/src/external/python_package.rs").read_text()
        embedded = {path.rpartition("/")[0] for path in re.findall(r'include_str!\("(?:\.\./)*(.*?)"\)', package)}
        self.assertEqual(kept, {".cargo", "Cargo.toml", "Cargo.lock", *folders, *embedded})
        for member in members:
            for source in (REPOSITORY / member).rglob("src/**/*.rs"):
                text = source.read_text().partition("#[cfg(test)]\nmod tests {")[0]
                for path in re.findall(r'include_(?:str|bytes)!\("([^"]+)"\)', text):
                    read = (source.parent / path).resolve().relative_to(REPOSITORY)
                    folders_above = {str(folder) for folder in read.parents}
                    self.assertTrue(folders_above & kept, f"{source} reads {read}")

    def test_the_stages_hand_on_the_binaries(self):
        first, last = stages()
        for program in ("loto", "loto-worker"):
            self.assertIn(f"--bin {program}", first)
            self.assertIn(f"/usr/local/bin/{program} ", last)


if __name__ == "__main__":
    unittest.main()
