"""The files of a report as pandas data frames."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


class Results:
    """The folder that `loto run` or `loto report --out` wrote. Each data frame is read when it is first asked for; what its
    columns mean is in `about["files"]`."""

    def __init__(self, folder: "str | os.PathLike[str]") -> None:
        self.folder: str = os.fspath(folder)
        #: What was measured, with which versions, and what each column means.
        self.about: "dict[str, Any]" = self._about()

    def _about(self) -> "dict[str, Any]":
        path = os.path.join(self.folder, "about.json")
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"{path} is not there: {self.folder} is no folder of a report; `loto run` and `loto report --out` write one"
            ) from None

    def _frame(self, name: str, needs: "str | None" = None) -> "pandas.DataFrame":
        """A file as a data frame. Some are there only where a black box has what they need."""
        if needs is not None and name not in self.about["files"]:
            raise FileNotFoundError(f"the report in {self.folder} has no {name}: the sweep has no black box with {needs}")
        try:
            import pandas
        except ModuleNotFoundError as error:
            if error.name != "pandas":
                raise
            raise ImportError(
                "data frames need pandas, which is not installed: `python3 -m pip install pandas`, or the extra `results` of the "
                "wheel (`pip install 'loto[results]'`)"
            ) from error

        # Names stay texts, also those that spell a number or a missing value.
        names = dict.fromkeys(("blackbox", "task", "method"), str)
        return pandas.read_csv(os.path.join(self.folder, name), converters=names)

    @cached_property
    def traces(self) -> "pandas.DataFrame":
        """Every evaluation: a row per black box, task, method, seed and iteration."""
        return self._frame("traces.csv.gz")

    @cached_property
    def scores(self) -> "pandas.DataFrame":
        """The scores: a row per black box and method."""
        return self._frame("scores.csv")

    @cached_property
    def scores_by_task(self) -> "pandas.DataFrame":
        """The scores: a row per black box, task and method."""
        return self._frame("scores_by_task.csv")

    @cached_property
    def curves(self) -> "pandas.DataFrame":
        """Statistics over the evaluations: a row per black box, method and iteration."""
        return self._frame("curves.csv")

    @cached_property
    def curves_by_task(self) -> "pandas.DataFrame":
        """Statistics over the evaluations: a row per black box, task, method and iteration."""
        return self._frame("curves_by_task.csv")

    @cached_property
    def curves_over_cost(self) -> "pandas.DataFrame":
        """What is averaged over the tasks at every cost: a row per black box, method and cost. Only where a black box has costs."""
        return self._frame("curves_over_cost.csv", needs="a cost")

    @cached_property
    def fronts(self) -> "pandas.DataFrame":
        """The front of each table and what methods attain of it: a row per point. Only where a black box has two objectives."""
        return self._frame("fronts.csv", needs="two objectives")


def read(folder: "str | os.PathLike[str]") -> Results:
    """Reads the results of a sweep from the folder of its report. Needs pandas.

        results = loto.read("loto-results/demo")
        best = results.scores.sort_values("average_rank")
    """
    return Results(folder)
