"""The jobs of a recorded sweep: how long each computed, in seconds.

icml-table2.csv is the sweep of coordinator/sweeps/icml-table2.toml as it ran on two cores of an
AMD EPYC (2.6 GHz): 16 methods, 4 tables, 30 seeds, 10,410 jobs, 3451 s of CPU time.
"""

import csv
from pathlib import Path

FILE = Path(__file__).with_name("icml-table2.csv")


def job_seconds(times: int = 1, average: float | None = None) -> list[float]:
    """Seconds of every job in the order of publication: the costly series first within a seed.

    `times` repeats the sweep, as more seeds would; `average` stretches all jobs to that average.
    """
    with FILE.open(newline="") as file:
        series = [
            [int(milliseconds) / 1000 for milliseconds in row["milliseconds"].split()]
            for row in csv.DictReader(file)
        ]
    series.sort(key=lambda seconds: -sum(seconds) / len(seconds))
    seeds = 30
    jobs = []
    for seed in range(seeds):
        for seconds in series:
            tasks = len(seconds) // seeds
            jobs.extend(seconds[seed * tasks : (seed + 1) * tasks])
    factor = 1 if average is None else average * len(jobs) / sum(jobs)
    return [seconds * factor for seconds in jobs] * times
