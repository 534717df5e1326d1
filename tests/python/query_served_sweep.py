"""Asks a served, finished sweep through loto.client and compares with its report.

    python query_served_sweep.py ADDRESS SWEEP_ID REPORT_FOLDER

REPORT_FOLDER is what `loto run --out` wrote for that sweep. Any difference is an error. The client
and the code generated from the .proto files have to be on PYTHONPATH.
"""

import csv
import datetime
import gzip
import math
import pathlib
import sys
from collections import defaultdict

import grpc
from loto.client import LotoClient


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def assert_close(found, expected, what):
    assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12), (what, found, expected)


def check_progress(client, sweep_id, methods):
    assert sweep_id in [sweep.sweep_id for sweep in client.sweeps()]
    progress = client.progress(sweep_id)
    assert progress.complete and progress.done == progress.planned > 0, progress
    watched = list(client.watch(sweep_id))
    assert len(watched) == 1 and watched[0] == progress, watched
    assert [(m.blackbox, m.method) for m in progress.methods] == methods


def check_improvement(client, sweep_id, scores):
    table = client.improvement(sweep_id)
    assert len(table) == len(scores) > 0
    for found, expected in zip(table, scores, strict=True):
        assert (found["blackbox"], found["method"]) == (expected["blackbox"], expected["method"])
        for figure in ["improvement", "average_rank", "final_adtm"]:
            assert_close(found[figure], float(expected[figure]), (expected, figure))


def check_curves(client, sweep_id, traces, scores_by_task):
    """DTM, computed here from the traces of the report; its end from the scores by task."""
    curves = client.curves(sweep_id)
    best = defaultdict(list)
    for trace in traces:
        key = trace["blackbox"], trace["task"], trace["method"], int(trace["iteration"])
        best[key].append(float(trace["best"]))
    by_task = defaultdict(list)
    for row in curves:
        if row["task"] is not None:
            by_task[row["blackbox"], row["task"], row["method"]].append(row)
    assert len(by_task) == len(scores_by_task)
    for score in scores_by_task:
        key = score["blackbox"], score["task"], score["method"]
        dtm = [row["mean"] for row in by_task[key]]
        assert_close(dtm[-1], float(score["final_dtm"]), key)
        assert all(later <= earlier for earlier, later in zip(dtm, dtm[1:])), (key, dtm)
        assert all(row["lower"] <= row["upper"] for row in by_task[key])
        # DTM is the mean best value, scaled: differences from one iteration on have one ratio.
        means = [math.fsum(values) / len(values) for values in (best[*key, t + 1] for t in range(len(dtm)))]
        assert len(best[*key, len(dtm)]) > 1 and (*key, len(dtm) + 1) not in best
        spread = means[0] - means[-1]
        if spread > 0:
            scale = (dtm[0] - dtm[-1]) / spread
            for value, mean in zip(dtm, means, strict=True):
                assert_close(value - dtm[-1], (mean - means[-1]) * scale, key)


def check_comparison(client, sweep_id, methods):
    """Friedman's chi-square from the ranks, after Demsar (2006), section 3.2.2."""
    comparison = client.compare(sweep_id, alpha=0.1).together
    assert not comparison.impossible, comparison.impossible
    assert list(comparison.methods) == sorted(set(methods), key=methods.index)
    ranks, n, k = comparison.average_ranks, len(comparison.data_sets), len(comparison.methods)
    assert_close(sum(ranks), k * (k + 1) / 2, "ranks")
    chi_square = 12 * n / (k * (k + 1)) * (sum(r * r for r in ranks) - k * (k + 1) ** 2 / 4)
    assert_close(comparison.friedman.chi_square, chi_square, "chi-square")
    # q at 0.10 for three methods: Demsar, table 5(a).
    assert k == 3 and comparison.nemenyi.alpha == 0.1
    critical_difference = 2.052293 * math.sqrt(k * (k + 1) / (6 * n))
    assert abs(comparison.nemenyi.critical_difference - critical_difference) < 1e-5
    pairs = [(pair.first, pair.second) for pair in comparison.wilcoxon]
    assert len(pairs) == k * (k - 1) // 2
    assert all(pair.wins + pair.ties + pair.losses == n for pair in comparison.wilcoxon)
    assert all(pair.p_value <= pair.holm_p_value <= 1 for pair in comparison.wilcoxon)


def check_traces(client, sweep_id, traces):
    reported = [
        (t["blackbox"], t["task"], t["method"], int(t["seed"]), int(t["row"]), float(t["value"]))
        for t in traces
    ]
    streamed = [
        (found.blackbox, found.task, found.method, found.seed, row, value)
        for found in client.traces(sweep_id)
        for row, value in zip(found.trace.rows, found.trace.values, strict=True)
    ]
    assert sorted(streamed) == sorted(reported) and len(streamed) > 0
    last = streamed[-1]
    only = list(client.traces(sweep_id, tasks=[last[1]], methods=[last[2]], seeds=[last[3]]))
    assert [trace.seed for trace in only] == [last[3]]


def check_rows(client, sweep_id, traces, name):
    """Every answer as rows with the same keys each, for a sweep by its name or the beginning of its id."""
    assert client.sweep_id(sweep_id[:9].upper()) == sweep_id == client.sweep_id(sweep_id)
    assert client.sweep_id(name) == sweep_id
    sweeps = client.sweep_rows()
    (listed,) = [row for row in sweeps if row["sweep_id"] == sweep_id]
    assert listed["name"] == name and not listed["cancelled"] and not listed["problem"], listed
    age = datetime.datetime.now(datetime.timezone.utc) - listed["recorded"]
    assert datetime.timedelta(0) <= age < datetime.timedelta(hours=1), age
    answers = {
        "sweep_rows": sweeps,
        "progress_rows": client.progress_rows(name),
        "curves": client.curves(name),
        "improvement": client.improvement(name),
        "comparison_rows": client.comparison_rows(name),
        "trace_rows": client.trace_rows(name),
    }
    for answer, rows in answers.items():
        assert rows and all(row.keys() == rows[0].keys() for row in rows), answer
    assert sum(row["done"] for row in answers["progress_rows"]) == listed["jobs"]
    keys = ["blackbox", "task", "method"]
    found = [(*(row[key] for key in keys), row["seed"], row["iteration"], row["best"]) for row in answers["trace_rows"]]
    reported = [
        (*(t[key] for key in keys), int(t["seed"]), int(t["iteration"]), float(t["best"])) for t in traces
    ]
    assert sorted(found) == sorted(reported)
    together = [row for row in answers["comparison_rows"] if row["blackbox"] is None]
    pairs = client.compare(sweep_id).together.nemenyi.pairs
    assert len(together) == len(pairs) > 0
    for row, pair in zip(together, pairs, strict=True):
        assert (row["first"], row["second"]) == (pair.first, pair.second)
        assert row["nemenyi_p"] == pair.p_value, (row, pair)
    for unknown in ["nobody", "", "0" * 31]:
        try:
            client.sweep_id(unknown)
        except LookupError as error:
            assert name in str(error), error
        else:
            raise AssertionError(f"{unknown!r} was found")


def check_selections(client, sweep_id):
    """One name is as good as a list of one."""
    curves = client.curves(sweep_id, methods="gp")
    assert {row["method"] for row in curves} == {"gp"} and curves == client.curves(sweep_id, methods=["gp"])
    assert client.improvement(sweep_id, blackboxes="SVM") == client.improvement(sweep_id, blackboxes=["SVM"]) != []
    traces = client.trace_rows(sweep_id, blackboxes="SVM", tasks="wine-alcohol", methods="rs")
    assert {(row["task"], row["method"]) for row in traces} == {("wine-alcohol", "rs")}


class WithoutPractical(LotoClient):
    """Asks a service that says of no pair whether its difference matters."""

    def compare(self, *arguments):
        answer = super().compare(*arguments)
        for comparison in [answer.together, *answer.blackboxes]:
            comparison.ClearField("practical")
        return answer


def check_practical(address, client, sweep_id):
    figures = ["first_better", "equivalent", "second_better"]
    for row in client.comparison_rows(sweep_id):
        assert_close(sum(row[figure] for figure in figures), 1, row)
    with WithoutPractical(address) as other:
        rows = other.comparison_rows(sweep_id)
    assert rows and all(row[figure] is None for row in rows for figure in figures), rows


def check_refusals(client, sweep_id):
    cases = [
        (lambda: client.progress("0" * 32), grpc.StatusCode.NOT_FOUND, "0" * 32),
        (lambda: client.compare(sweep_id, alpha=2.0), grpc.StatusCode.INVALID_ARGUMENT, "alpha"),
        (lambda: client.curves(sweep_id, methods=["x"]), grpc.StatusCode.INVALID_ARGUMENT, "`x`"),
    ]
    for ask, code, part in cases:
        try:
            ask()
        except grpc.RpcError as error:
            assert error.code() == code and part in error.details(), error
        else:
            raise AssertionError(f"nothing was refused where {code} was due")
    try:
        client.improvement(sweep_id, baseline="EXCAT")
    except ValueError as error:
        assert str(error) == "there is no baseline 'EXCAT', allowed are EXACT, EXACT_WITH_REPLACEMENT, SAMPLED", error
    else:
        raise AssertionError("an unknown baseline is taken")


def main():
    address, sweep_id, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    scores = rows_of(folder / "scores.csv")
    methods = [(score["blackbox"], score["method"]) for score in scores]
    with gzip.open(folder / "traces.csv.gz", "rt", newline="") as file:
        traces = list(csv.DictReader(file))
    with LotoClient(address) as client:
        check_progress(client, sweep_id, methods)
        check_improvement(client, sweep_id, scores)
        check_curves(client, sweep_id, traces, rows_of(folder / "scores_by_task.csv"))
        check_comparison(client, sweep_id, [method for _, method in methods])
        check_traces(client, sweep_id, traces)
        check_rows(client, sweep_id, traces, client.progress(sweep_id).name)
        check_selections(client, sweep_id)
        check_practical(address, client, sweep_id)
        check_refusals(client, sweep_id)
    print(f"{len(traces)} evaluations, {len(scores)} scores: the service agrees with the report")


if __name__ == "__main__":
    main()
