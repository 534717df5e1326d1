"""What who lacks a package, a newer Python or the generated code is told, in processes that do not find them."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import loto

with tempfile.TemporaryDirectory() as folder:
    # Without code that was generated into the repository.
    shutil.copytree(pathlib.Path(loto.__file__).parent, pathlib.Path(folder, "loto"), ignore=shutil.ignore_patterns("v1"))
    pathlib.Path(folder, "about.json").write_text("{}")

    def told(*lines):
        """The last line of what a program says that fails."""
        program = "\n".join(["import sys", *lines])
        environment = {**os.environ, "PYTHONPATH": folder}
        command = [sys.executable, "-c", program]
        said = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert said.returncode == 1, said
        return said.stderr.splitlines()[-1]

    for lines, parts in (
        (["import loto.client"], ["code that is generated", "no module loto.v1", "-m grpc_tools.protoc -I proto", "build-wheel"]),
        (["sys.modules['grpc'] = None", "import loto.client"], ["grpcio", "no module grpc:", "'loto[client]'"]),
        (["sys.modules['google.protobuf'] = None", "import loto.client"], ["protobuf", "'loto[client]'"]),
        (["sys.version_info = (3, 9, 18)", "import loto.client"], ["Python 3.10 or newer", "this is 3.9"]),
        (["sys.modules['pandas'] = None", "import loto", "loto.read('.').scores"], ["install pandas", "'loto[results]'"]),
    ):
        error = told(*lines)
        assert error.startswith("ImportError: ") and all(part in error for part in parts), error
print("missing parts are named")
