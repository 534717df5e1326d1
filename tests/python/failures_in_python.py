"""What loto is told of methods in Python that fail: each runs in a process of its own, which speaks the protocol."""

import contextlib
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import numpy

CLASS = """import loto


class Mine:
    def __init__(self, problem):
        self.problem = problem

    def next(self, observations):
        {line}


loto.serve(Mine)
"""

#: The number of the line in CLASS that fails.
LINE = 9

TABLE = {
    "type": "table",
    "table": "t",
    "space": [
        {"name": "hp_kind", "kind": "categorical", "levels": ["x", "y"]},
        {"name": "hp_rate", "kind": "numeric"},
    ],
    "target": {"task": "one", "rows": 4, "configurations": "configurations.npy"},
    "sources": [],
}
START = {"type": "start", "task": "one", "seed": 1, "iterations": 2, "parameters": {}, "random_rows": [2, 0]}
HELLO = {"type": "hello", "protocols": [1], "loto": "0.1.0"}
NEXT = {"type": "next", "iteration": 1, "told": None}


@contextlib.contextmanager
def process(program, *questions):
    """A program that was asked these questions."""
    with tempfile.TemporaryDirectory() as folder:
        numpy.save(pathlib.Path(folder, "configurations.npy"), numpy.array([[0, 0.0], [0, 1.0], [1, 0.0], [1, 1.0]]))
        pathlib.Path(folder, "mine.py").write_text(program)
        pathlib.Path(folder, "part.py").write_text("def divide(number):\n    return 1 / number\n")
        asked = "".join(json.dumps({**question, "folder": folder}) + "\n" for question in questions)
        command = [sys.executable, "mine.py"]
        # Buffers are as a job's method has them.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        with subprocess.Popen(command, cwd=folder, env=environment, text=True, **pipes) as running:
            running.stdin.write(asked)
            running.stdin.flush()
            yield running


def answers(program, *questions):
    """What a program answers to these questions, line by line."""
    with process(program, *questions) as running:
        told, _ = running.communicate()
    assert running.returncode == 0, running.returncode
    return told.splitlines()


def printed(program):
    """What a program has on its standard error when it is ended at its third answer, as loto does, or ends by itself."""
    with process(program, HELLO, TABLE, START, NEXT) as running:
        told = [running.stdout.readline() for _ in range(3)]
        running.kill()
        assert '"ready"' in told[0] and '"started"' in told[1], told
        return running.stderr.read()


def failure(line):
    """The message and the traceback of a method with this line."""
    ready, started, error = map(json.loads, answers(CLASS.format(line=line), HELLO, TABLE, START, NEXT))
    assert (ready["type"], started["type"], error["type"]) == ("ready", "started", "error"), error
    return error["message"], error["traceback"]


HERE = f"mine.py, line {LINE}:"
OUT_OF_MEMORY = "out of memory: a method may use what `--memory` (LOTO_MEMORY) gives a job"
for line, expected in (
    ("return 1 / 0", f"{HERE} ZeroDivisionError: division by zero"),
    # A line of another file of the user, and one that calls a package or the standard library.
    ("import part; part.divide(0)", "part.py, line 2: ZeroDivisionError: division by zero"),
    ("import numpy; numpy.linalg.inv([[0.0]])", f"{HERE} LinAlgError: Singular matrix"),
    ("import json; json.loads('[')", f"{HERE} JSONDecodeError: Expecting value: line 1 column 2 (char 1)"),
    ("assert not self.problem", f"{HERE} AssertionError"),
    ("self.problem.configuration(7)", f"{HERE} IndexError: there is no row 7: the target has rows 0 to 3"),
    ("raise MemoryError", f"{HERE} {OUT_OF_MEMORY}"),
    ("import numpy; numpy.zeros(1 << 50)", f"{HERE} {OUT_OF_MEMORY}"),
    # A proposal is no line of the user's.
    ("return -1", "it chose row -1, but the target has rows 0 to 3"),
    ("return 4", "it chose row 4, but the target has rows 0 to 3"),
    (
        "return [0, float('nan')]",
        "it chose nan for hp_rate, allowed are 0 to 1: a coordinate on the scale of its column, not a value of the table",
    ),
    ("return ['z', 0.5]", "it chose 'z' for hp_kind, allowed are whole numbers 0 to 1, or the levels 'x', 'y'"),
):
    message, traceback = failure(line)
    assert message == expected, message
    assert traceback.startswith("Traceback"), traceback

# Before a long text the place is among what loto shows, and the line stays below 64 KiB whatever it is of.
message, traceback = failure("raise ValueError('\\U0001d11e' * 100000)")
assert message.startswith(HERE) and len(json.dumps([message, traceback])) < 65000, len(message)

# What a method prints is on its standard error, however it fails, and so is what its program printed before.
for line in (
    "print('words'); raise ValueError",
    "print('words', end=''); raise ValueError",
    "print('words'); return -1",
    "print('words'); import os; os._exit(3)",
):
    said = printed(CLASS.format(line=line))
    assert said.strip() == "words", (line, said)
said = printed("print('before')\n" + CLASS.format(line="print('words'); return -1"))
assert said == "before\nwords\n", said

# Of thousands of packages a program tells as many versions as a trace keeps, in the order of their names, and always Python's.
MANY = """import sys
import types

import loto

for number in range(5000):
    module = types.ModuleType(f"package{number:04}")
    module.__version__ = "1.0." + "0" * (100000 if number == 0 else 1)
    module.__file__ = f"/usr/lib/python3/dist-packages/{number}.py"
    sys.modules[module.__name__] = module
loto.serve(lambda problem, observations: 0)
"""
(line,) = answers(MANY, HELLO)
versions = json.loads(line)["versions"]
assert versions["python"] == platform.python_version() and len(line) < 4096, len(line)
assert "package0001" in versions and "package0000" not in versions and "package4999" not in versions, versions
words = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
assert 1000 < len(words) <= 1024, len(words)
print("failures are told")
