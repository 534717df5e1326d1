"""The forms that a method in Python may have, each run in this process on a small table."""

import gzip
import pathlib
import sys
import tempfile
import zipfile

import loto

LINES = ["hp_kind,hp_rate,metric_error,task"]
for task, offset in (("one", 0), ("two", 10)):
    for row in range(12):
        LINES.append(f"{'xyz'[row % 3]},{row},{abs(row - 7) + offset},{task}")


def run(chosen, **options):
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder, "table.csv")
        table.write_text("\n".join(LINES))
        observations = loto.try_out(
            chosen, table, target="one", objective="metric_error", categorical=["hp_kind"], iterations=6, **options
        )
    assert len({row for row, _ in observations}) == 6, observations
    assert all(value == abs(row - 7) for row, value in observations), observations
    return [row for row, _ in observations]


@loto.method
def by_function(problem, observations):
    return problem.random_rows[len(observations)]


@loto.method(parameters={"first": 3})
class ByClass:
    def __init__(self, problem):
        self.problem = problem
        assert [source.name for source in problem.sources] == ["two"]
        assert problem.target.values is None and len(problem.sources[0].values) == 12

    def next(self, observations):
        if not observations:
            return self.problem.parameters["first"]
        # The best row again: the nearest other row is taken.
        return self.problem.configuration(observations.best)


class ByAskTell:
    def __init__(self, problem):
        self.problem, self.told = problem, []

    def ask(self):
        return len(self.told)

    def tell(self, row, value):
        self.told.append((row, value))


class Coordinates:
    """As scikit-optimize: configurations in, configurations out."""

    def __init__(self):
        self.told = []

    def ask(self):
        return [float(len(self.told) % 3), 0.5]

    def tell(self, x, y):
        assert len(x) == 2 and 0 <= x[1] <= 1 and x[0] in (0.0, 1.0, 2.0)
        self.told.append((x, y))


class Suggestions:
    """As in HPO-B."""

    def observe_and_suggest(self, X_obs, y_obs, X_pen):
        assert X_obs.shape[1] == X_pen.shape[1] == 4 and y_obs.shape == (len(X_obs), 1)
        assert len(X_obs) + len(X_pen) == 12 and (y_obs <= 0).all()
        return len(X_pen) - 1


# Each of them begins again for another job.
assert run(by_function) == run(by_function)
rows = run(ByClass)
assert rows[0] == 3 and run(ByClass, parameters={"first": 0})[0] == 0
assert run(ByAskTell) == [0, 1, 2, 3, 4, 5]
run(loto.from_ask_tell(lambda problem: Coordinates()))
assert run(loto.from_hpob(lambda problem: Suggestions()))[1:] != []
for wrong in ([1.0], {"hp_rate": 1.0}, "x"):
    try:
        run(lambda problem, observations, wrong=wrong: wrong)
    except ValueError as error:
        print(f"refused: {error}", file=sys.stderr)
    else:
        raise AssertionError(wrong)


class OfTwoObjectives:
    def __init__(self, problem):
        assert problem.objectives == ("metric_error", "metric_time")
        assert len(problem.sources[0].values[0]) == 2

    def next(self, observations):
        assert all(len(value) == 2 for value in observations.values)
        try:
            assert not observations or observations.best is None
        except ValueError as error:
            assert "no best row" in str(error)
        return len(observations)


with tempfile.TemporaryDirectory() as folder:
    table = pathlib.Path(folder, "table.csv")
    table.write_text("\n".join([LINES[0] + ",metric_time", *(f"{line},{place}" for place, line in enumerate(LINES[1:]))]))
    chosen = loto.method(OfTwoObjectives, objectives="several")
    assert chosen.loto_objectives == "several" and by_function.loto_objectives == "one"
    found = loto.try_out(
        chosen, table, target="one", objective=["metric_error", "metric_time"], categorical=["hp_kind"], iterations=3
    )
assert found == [(0, [7.0, 0.0]), (1, [6.0, 1.0]), (2, [5.0, 2.0])], found


def refused(*parts, chosen=by_function, **options):
    """Runs with options that are wrong, and looks for these parts in what is said."""
    try:
        run(chosen, **options)
    except ValueError as error:
        assert all(part in str(error) for part in parts), error
    else:
        raise AssertionError(f"{options} are taken")


refused("no parameter frist", "first", chosen=ByClass, parameters={"frist": 1})
refused("a proposal must be", "does `next` return it?", chosen=loto.method(lambda problem, observations: None))
refused("a proposal must be", "not nan", chosen=loto.method(lambda problem, observations: float("nan")))

# What a sweep refuses is refused in its words.
for proposal, message in (
    ("ab", "a proposal must be the number of a row"),
    (-1, "it chose row -1, but the target has rows 0 to 11"),
    (10**6, "it chose row 1000000, but the target has rows 0 to 11"),
    ([0, float("nan")], "it chose nan for hp_rate, allowed are 0 to 1"),
    ({"hp_kind": "x", "hp_rate": float("inf")}, "it chose inf for hp_rate, allowed are 0 to 1"),
    ([0, 1.5], "it chose 1.5 for hp_rate, allowed are 0 to 1"),
    ([0, "fast"], "it chose 'fast' for hp_rate, allowed are 0 to 1"),
    ([99.0, 0.5], "it chose 99 for hp_kind, allowed are whole numbers 0 to 2, or the levels 'x', 'y', 'z'"),
    (["w", 0.5], "it chose 'w' for hp_kind, allowed are whole numbers 0 to 2, or the levels 'x', 'y', 'z'"),
    ([0.5, 0.5], "it chose 0.5 for hp_kind, allowed are whole numbers 0 to 2, or the levels 'x', 'y', 'z'"),
):
    refused(message, chosen=loto.method(lambda problem, observations, proposal=proposal: proposal))
try:
    run(lambda problem, observations: problem.configuration(12))
except IndexError as error:
    assert str(error) == "there is no row 12: the target has rows 0 to 11", error
else:
    raise AssertionError("row 12 is there")

with tempfile.TemporaryDirectory() as folder:
    text = "\n".join(LINES)
    zipped, gzipped = pathlib.Path(folder, "table.csv.zip"), pathlib.Path(folder, "table.csv.gz")
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("table.csv", text)
    gzipped.write_bytes(gzip.compress(text.encode()))
    of_table = dict(target="one", objective="metric_error", categorical=["hp_kind"], iterations=6)
    assert loto.try_out(by_function, zipped, **of_table) == loto.try_out(by_function, gzipped, **of_table)
    assert loto.try_out(by_function, zipped, **{**of_table, "categorical": "hp_kind"}) == loto.try_out(
        by_function, zipped, **of_table
    )

    class AllCategorical(ByClass):
        def __init__(self, problem):
            super().__init__(problem)
            assert all(hyperparameter.is_categorical for hyperparameter in problem.space)

    loto.try_out(AllCategorical, zipped, **{**of_table, "categorical": "all"})

    class Maximised(ByAskTell):
        def __init__(self, problem):
            super().__init__(problem)
            # Small values are good for the method.
            assert min(problem.sources[0].values) == -17 and max(problem.sources[0].values) == -10

        def tell(self, row, value):
            assert value == row - 7
            super().tell(row, value)

    found = loto.try_out(Maximised, zipped, direction="maximise", **of_table)
    assert found == [(0, 7), (1, 6), (2, 5), (3, 4), (4, 3), (5, 2)], found
    for wrong, part in (
        (dict(objective="metric_er"), "no column metric_er"),
        (dict(categorical=[]), "column hp_kind: 'x' is not a finite number"),
        (dict(iterations=13), "12 rows"),
        (dict(categorical="hp_kin"), "no column hp_kin,"),
        (dict(direction="max"), "direction is 'max', expected one of minimise, minimize, maximise, maximize"),
        (dict(direction="minimise", objective=["metric_error"]), "direction cannot be with several objectives"),
    ):
        try:
            loto.try_out(by_function, zipped, **{**of_table, **wrong})
        except ValueError as error:
            assert part in str(error), error
        else:
            raise AssertionError(f"{wrong} is taken")
    damaged = pathlib.Path(folder, "damaged.csv")
    for cell, shown in (("nan", "'nan'"), ("", "''"), ("1e999", "'1e999'")):
        damaged.write_text("\n".join([*LINES, f"x,1,{cell},two"]))
        try:
            loto.try_out(by_function, damaged, **of_table)
        except ValueError as error:
            expected = f"{damaged}, line {len(LINES) + 1}, column metric_error: {shown} is not a finite number"
            assert str(error) == expected, error
        else:
            raise AssertionError(f"{cell!r} is taken")
    # As a spreadsheet may write it, and with a row that is cut.
    spaced = "\r\n".join(line.replace(",", " , ") for line in LINES)
    damaged.write_text("\ufeff" + spaced, newline="")
    assert loto.try_out(by_function, damaged, **of_table) == loto.try_out(by_function, zipped, **of_table)
    damaged.write_text("\n".join([*LINES, "x,1"]))
    try:
        loto.try_out(by_function, damaged, **of_table)
    except ValueError as error:
        assert f"line {len(LINES) + 1}: it has more or fewer fields" in str(error), error
    else:
        raise AssertionError("a row that is cut is taken")
print("every form is a method")
