"""What a method knows of its job."""

from __future__ import annotations

import array
import ast
import os
import sys
from dataclasses import dataclass, field
from typing import Any, Optional, Sequence

try:
    import numpy
except ImportError:
    numpy = None


@dataclass(frozen=True)
class Hyperparameter:
    """A coordinate of a configuration: a number from 0 to 1, or the number of a level."""

    name: str
    #: The levels' texts; None if it is numeric.
    levels: Optional[tuple] = None

    @property
    def is_categorical(self) -> bool:
        return self.levels is not None


@dataclass
class Task:
    """A task: its configurations, one row each, and their values if it is a source. Small values are good. With several
    objectives the values are rows times objectives."""

    name: str
    rows: int
    configurations: Any
    values: Any = None
    #: What describes the task, each number from 0 to 1 over all tasks; empty unless the sweep file declares `features`.
    features: Sequence = ()


@dataclass
class Observations:
    """What was evaluated so far, in order. With several objectives each value is a list of one number for each."""

    rows: list = field(default_factory=list)
    values: list = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def best(self) -> Optional[int]:
        """The row with the smallest value, of one objective."""
        if self.rows and isinstance(self.values[0], list):
            raise ValueError("with several objectives there is no best row: compare the lists in `values`")
        return min(zip(self.values, self.rows))[1] if self.rows else None


@dataclass
class Problem:
    """A job: the space, the target's configurations, the sources, and what the sweep file says."""

    space: tuple
    target: Task
    sources: tuple
    #: A number for the method's random numbers; the only thing that two jobs on one target differ in.
    seed: int
    #: Number of evaluations to come.
    iterations: int
    parameters: dict
    #: The first rows of random search. Methods that begin with them have the same first rows as those of loto.
    random_rows: Sequence
    #: The names of the objectives if there are several, all of them minimised; empty if there is one.
    objectives: Sequence = ()

    @property
    def rows(self) -> int:
        """Number of rows of the target, which are 0 to rows - 1."""
        return self.target.rows

    @property
    def configurations(self):
        """The configurations of the target: rows times hyperparameters."""
        return self.target.configurations

    def configuration(self, row: int) -> dict:
        """A row's configuration by the names of the hyperparameters, categorical ones as texts."""
        if not is_row(row) or not 0 <= row < self.rows:
            raise IndexError(f"there is no row {row}: the target has rows 0 to {self.rows - 1}")
        values = self.configurations[row]
        return {
            hyperparameter.name: hyperparameter.levels[int(value)] if hyperparameter.is_categorical else float(value)
            for hyperparameter, value in zip(self.space, values)
        }


def of_messages(table: dict, start: dict, parameters: dict) -> Problem:
    """The problem that the messages `table` and `start` tell of."""
    folder = table["folder"]

    def task(message):
        values = message.get("values")
        return Task(
            message["task"],
            message["rows"],
            read_npy(os.path.join(folder, message["configurations"])),
            read_npy(os.path.join(folder, values)) if values else None,
            tuple(message.get("features", ())),
        )

    space = tuple(
        Hyperparameter(entry["name"], tuple(entry["levels"]) if entry["kind"] == "categorical" else None)
        for entry in table["space"]
    )
    return Problem(
        space,
        task(table["target"]),
        tuple(task(source) for source in table["sources"]),
        start["seed"],
        start["iterations"],
        {**parameters, **start["parameters"]},
        start["random_rows"],
        tuple(table.get("objectives", ())),
    )


def read_npy(path: str):
    """An array of doubles from a file, as NumPy's array or else as lists."""
    if numpy is not None:
        return numpy.load(path)
    with open(path, "rb") as file:
        if file.read(8) != b"\x93NUMPY\x01\x00":
            raise ValueError(f"{path} is no .npy file of version 1.0")
        header = ast.literal_eval(file.read(int.from_bytes(file.read(2), "little")).decode())
        if header["descr"] != "<f8" or header["fortran_order"]:
            raise ValueError(f"{path} holds other than rows of doubles")
        numbers = array.array("d", file.read())
    if sys.byteorder != "little":
        numbers.byteswap()
    if len(header["shape"]) == 1:
        return list(numbers)
    rows, columns = header["shape"]
    return [list(numbers[row * columns : (row + 1) * columns]) for row in range(rows)]


def is_row(proposal) -> bool:
    """Whether a proposal is the number of a row."""
    if numpy is not None and isinstance(proposal, numpy.integer):
        return True
    return isinstance(proposal, int) and not isinstance(proposal, bool)
