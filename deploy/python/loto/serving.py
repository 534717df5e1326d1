"""Speaks the protocol loto-method/1 for a method."""

from __future__ import annotations

import io
import json
import os
import platform
import sys

from .failures import told_of
from .problem import Observations, of_messages
from .proposals import checked

PROTOCOL = 1

#: What a trace keeps of the versions that a program runs on, in bytes.
MOST_VERSIONS_BYTES = 1024


def method(chosen=None, *, parameters=None, spaces="all", objectives="one"):
    """Declares a method: a function or a class.

    A function is called for each choice as `function(problem, observations)`. A class is called once per job as
    `Class(problem)`; its objects have `next(observations)`, or `ask()` and `tell(row, value)`. What these return
    is the number of a row, or a configuration: a sequence or a dictionary of one value per hyperparameter.

    `parameters` are the names and defaults of what a sweep file may set; `spaces` is "all" or "categorical". `objectives`
    is "one" or "several": where a black box has several, values are lists of one number for each, and `problem.objectives`
    names them; a method for one is refused there.
    """

    def declare(chosen):
        chosen.loto_parameters = parameters
        chosen.loto_spaces = spaces
        chosen.loto_objectives = objectives
        return chosen

    return declare if chosen is None else declare(chosen)


class Search:
    """A method at work on a problem, whatever its form."""

    def __init__(self, chosen, problem):
        self.problem = problem
        self.observations = Observations()
        if isinstance(chosen, type) or getattr(chosen, "loto_is_factory", False):
            self.worker = chosen(problem)
            asks = hasattr(self.worker, "ask") and hasattr(self.worker, "tell")
            self.choose = (lambda _: self.worker.ask()) if asks else self.worker.next
            self.told = self.worker.tell if asks else None
        else:
            self.choose = lambda observations: chosen(problem, observations)
            self.told = None

    def tell(self, row, value):
        self.observations.rows.append(row)
        self.observations.values.append(value)
        if self.told is not None:
            self.told(row, value)

    def next(self):
        """The next proposal: the number of a row, or a list of numbers."""
        return checked(self.choose(self.observations), self.problem)


def serve(chosen):
    """Answers loto until it closes the input. What the method prints goes to standard error."""
    questions, answers = _private_pipes()

    def answer(**message):
        answers.write(json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n")
        answers.flush()

    table, search = None, None
    for line in questions:
        try:
            question = json.loads(line)
            kind = question["type"]
            if kind == "hello":
                if PROTOCOL not in question["protocols"]:
                    raise ValueError(f"loto speaks the protocols {question['protocols']}, this package {PROTOCOL}")
                parameters = getattr(chosen, "loto_parameters", None)
                answer(
                    type="ready",
                    protocol=PROTOCOL,
                    spaces=getattr(chosen, "loto_spaces", "all"),
                    objectives=getattr(chosen, "loto_objectives", "one"),
                    **({} if parameters is None else {"parameters": sorted(parameters)}),
                    versions=_versions(),
                )
            elif kind == "table":
                table = question
            elif kind == "start":
                defaults = getattr(chosen, "loto_parameters", None) or {}
                search = Search(chosen, of_messages(table, question, defaults))
                answer(type="started")
            elif kind == "next":
                # Before the first proposal there may be evaluations that the sweep gives.
                for told in [*question.get("given", ()), question["told"]]:
                    if told is not None:
                        search.tell(told["row"], told["value"])
                proposal = search.next()
                if isinstance(proposal, int):
                    answer(type="row", iteration=question["iteration"], row=proposal)
                else:
                    answer(type="configuration", iteration=question["iteration"], values=proposal)
            elif kind == "end":
                search = None
                answer(type="ended")
            else:
                raise ValueError(f"loto sent message `{kind}`, which this package does not know")
        except Exception as error:
            message, trace = told_of(error)
            # The program is ended at this answer, and the beginning of a line in its buffer with it.
            print(end="", flush=True)
            answer(type="error", message=message, traceback=trace)


def _versions():
    """The versions of Python and of the packages that the program imported, in the order of their names: as many as a trace keeps."""
    versions = {"python": platform.python_version()}
    left = MOST_VERSIONS_BYTES - _version_bytes("python", versions["python"])
    for name, module in sorted(sys.modules.items()):
        version = getattr(module, "__version__", None)
        place = getattr(module, "__file__", None) or ""
        is_package = "." not in name and ("site-packages" in place or "dist-packages" in place)
        if is_package and isinstance(version, str) and _version_bytes(name, version) <= left:
            versions[name] = version
            left -= _version_bytes(name, version)
    return versions


def _version_bytes(name, version):
    """The bytes that a version takes in a trace, with what separates it from the next one."""
    return len(f"{name} {version}, ".encode("utf-8", "backslashreplace"))


def _private_pipes():
    """The input and the output as files of our own. Who reads standard input finds nothing, who prints
    does so to standard error, where each line is at once: a program that fails is ended with what its buffers hold."""
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # What was printed before is no answer either.
    sys.stdout.flush()
    # Python 3.8 buffers standard error, too.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True)
    return questions, answers
