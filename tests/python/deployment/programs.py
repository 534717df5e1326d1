"""What the binaries accept, by their own `--help` and by what they say to a command."""

import dataclasses
import functools
import os
import pathlib
import re
import subprocess
import sys

from rendering import run

# Where `cargo build` puts the binaries; the test that runs this says it.
BINARIES = pathlib.Path(os.environ.get("LOTO_TEST_BINARIES", ""))


@dataclasses.dataclass(frozen=True)
class Help:
    """The options of a program or of one of its subcommands."""

    flags: frozenset
    variables: frozenset
    defaults: dict

    def default(self, variable):
        """The default of the option behind a variable, as text."""
        return self.defaults[variable]


@functools.cache
def subcommands(program):
    """The subcommands of a program; none if it has none."""
    text = run([str(BINARIES / program), "--help"])
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.M)
    return frozenset(re.findall(r"^  ([a-z]+) ", listed[1], re.M)) if listed else frozenset()


@functools.cache
def help_of(*command):
    """The help of a program or a subcommand: `help_of("loto", "submit")`."""
    text = run([str(BINARIES / command[0]), *command[1:], "--help"])
    options = re.split(r"^ +(?=-)", text.split("Options:", 1)[1], flags=re.M)
    flags, variables, defaults = set(), set(), {}
    for option in options:
        flag = re.match(r"(?:-\w, )?(--[a-z-]+)", option)
        if not flag:
            continue
        flags.add(flag[1])
        variable = re.search(r"\[env: (LOTO_\w+)", option)
        if variable:
            variables.add(variable[1])
            default = re.search(r"\[default: ([^\]]+)\]", option)
            if default:
                defaults[variable[1]] = default[1]
    return Help(frozenset(flags), frozenset(variables), defaults)


def parts(command):
    """A command as (program with its subcommand, the rest)."""
    program, rest = command[:1], command[1:]
    if rest and rest[0] in subcommands(program[0]):
        program, rest = command[:2], command[2:]
    return tuple(program), rest


def refusal(command, environment, seconds=60):
    """What a binary's argument parser says against a command; None if it accepts it.

    The command is really run, so its addresses should be of nobody: then it ends by itself.
    """
    plain = {name: value for name, value in os.environ.items() if not name.startswith("LOTO_")}
    binary = str(BINARIES / command[0])
    done = subprocess.run(
        [binary, *command[1:]],
        env=plain | environment,
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    if done.returncode == 0 or "try '--help'" in done.stderr or "panicked" in done.stderr:
        return f"status {done.returncode}: {done.stderr}"
    print(f"    {' '.join(command)}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    return None
