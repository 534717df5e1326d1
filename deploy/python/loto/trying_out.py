"""Runs a method in this process, for a debugger."""

from __future__ import annotations

import csv
import gzip
import io
import math
import random
import zipfile

from .problem import Hyperparameter, Problem, Task, numpy
from .serving import Search

#: The directions of an objective in a sweep file, and whether large values are good.
DIRECTIONS = {"minimise": False, "minimize": False, "maximise": True, "maximize": True}


def open_table(table):
    """The text of a table, unpacked if need be."""
    with open(table, "rb") as file:
        beginning = file.read(4)
    if beginning[:2] == b"\x1f\x8b":
        return gzip.open(table, "rt", encoding="utf-8-sig", newline="")
    if beginning == b"PK\x03\x04":
        packed = zipfile.ZipFile(table)
        return io.TextIOWrapper(packed.open(packed.namelist()[0]), encoding="utf-8-sig", newline="")
    return open(table, encoding="utf-8-sig", newline="")


def read_table(table):
    """The rows of a table as dictionaries without spaces around names and texts, each with where it is in words."""
    with open_table(table) as file:
        reader = csv.DictReader(file)
        reader.fieldnames = [name.strip() for name in reader.fieldnames or []]
        records = []
        for record in reader:
            place = f"{table}, line {reader.line_num}"
            if None in record or None in record.values():
                raise ValueError(f"{place}: it has more or fewer fields than the header")
            records.append((place, {name: text.strip() for name, text in record.items()}))
    if not records:
        raise ValueError(f"{table} has no rows")
    return records


def cell_number(place, column, text, advice=""):
    """The number in a cell."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{place}, column {column}: {text!r} is not a finite number{advice}")
    return number


def is_maximised(direction, objectives):
    """Whether large values are good, by the direction as in a sweep file."""
    if direction is None:
        return False
    if objectives:
        raise ValueError(
            "direction cannot be with several objectives, all of which are minimised: take it out, and where large values are "
            "good, give the table a column of their negatives"
        )
    if direction not in DIRECTIONS:
        raise ValueError(f"direction is {direction!r}, expected one of {', '.join(DIRECTIONS)}")
    return DIRECTIONS[direction]


def try_out(
    chosen, table, *, target, objective, direction=None, categorical=(), iterations=20, seed=0, parameters=None
):
    """Runs a method on one task of a table in a CSV file, which may be packed by gzip or zip; returns the rows and values, in order.

    Columns `hp_*` are hyperparameters: those in `categorical` (a list, one name, or "all") are categorical, all others numeric
    and linear. A row that is evaluated already, or a configuration that the table lacks, becomes the nearest row that is left;
    what lies outside of the space is refused, as in a sweep. `objective` is a column or a list of several. It is minimised unless
    `direction` is "maximise": then the method sees negative values, as in a sweep, and those of the table are returned. The
    rows are in the order of the file, and the random rows are not loto's: the results of a sweep come from `loto run`.
    """
    objectives = () if isinstance(objective, str) else tuple(objective)
    maximised = is_maximised(direction, objectives)
    records = read_table(table)
    header = records[0][1]
    names = [name for name in header if name.startswith("hp_")]
    if isinstance(categorical, str):
        categorical = names if categorical == "all" else [categorical]
    needed = ["task", *(objectives or [objective]), *categorical]
    missing = [name for name in needed if name not in header]
    if missing:
        raise ValueError(f"{table} has no column {missing[0]}, only {', '.join(header)}")
    columns = {}
    space = []
    for name in names:
        texts = [record[name] for _, record in records]
        if name in categorical:
            levels = tuple(sorted(set(texts)))
            columns[name] = [float(levels.index(text)) for text in texts]
            space.append(Hyperparameter(name, levels))
        else:
            advice = "; categorical columns are to be listed"
            numbers = [cell_number(where, name, record[name], advice) for where, record in records]
            least, range_ = min(numbers), (max(numbers) - min(numbers)) or 1.0
            columns[name] = [(number - least) / range_ for number in numbers]
            space.append(Hyperparameter(name))
    tasks = {}
    for row, (where, record) in enumerate(records):
        configurations, values = tasks.setdefault(record["task"], ([], []))
        configurations.append([columns[name][row] for name in names])
        if objectives:
            values.append([cell_number(where, name, record[name]) for name in objectives])
        else:
            value = cell_number(where, objective, record[objective])
            values.append(-value if maximised else value)
    if target not in tasks:
        raise ValueError(f"the table has no task {target}, only {', '.join(tasks)}")

    rows = len(tasks[target][0])
    if iterations > rows:
        raise ValueError(f"the task {target} has {rows} rows, fewer than the {iterations} iterations")

    def task(name, with_values):
        configurations, values = tasks[name]
        if numpy is not None:
            configurations, values = numpy.array(configurations), numpy.array(values)
        return Task(name, len(configurations), configurations, values if with_values else None)

    own = task(target, False)
    order = random.Random(seed).sample(range(own.rows), own.rows)
    declared = getattr(chosen, "loto_parameters", None)
    defaults = declared or {}
    unknown = [name for name in parameters or {} if declared is not None and name not in declared]
    if unknown:
        raise ValueError(f"the method has no parameter {unknown[0]}, only {', '.join(declared) or 'none'}")
    problem = Problem(
        tuple(space),
        own,
        tuple(task(name, True) for name in tasks if name != target),
        seed,
        iterations,
        {**defaults, **(parameters or {})},
        order[:iterations],
        objectives,
    )
    search = Search(chosen, problem)
    observations = []
    left = set(range(own.rows))
    for _ in range(iterations):
        proposal = search.next()
        wanted = own.configurations[proposal] if isinstance(proposal, int) else proposal

        def distance(row):
            pairs = zip(space, wanted, own.configurations[row])
            return sum((2.0 * (a != b)) if it.is_categorical else (a - b) ** 2 for it, a, b in pairs)

        row = proposal if isinstance(proposal, int) and proposal in left else min(sorted(left), key=distance)
        left.remove(row)
        value = tasks[target][1][row]
        observations.append((row, -value if maximised else value))
        search.tell(row, value)
    return observations
