"""A client of loto's gRPC service (`loto serve`). It needs Python 3.10 or newer, grpcio and protobuf.

Set up once, from the root of the repository, or with a wheel of deploy/python/build-wheel and its extra `client`:

    python -m pip install -r deploy/python/requirements.txt
    export PYTHONPATH=deploy/python
    python -m grpc_tools.protoc -I proto --python_out=deploy/python \\
        --grpc_python_out=deploy/python loto/v1/job.proto loto/v1/aggregator.proto

As a program, it lists the sweeps, or sums one up:

    python -m loto.client localhost:50051 [SWEEP]

A service with TLS and tokens takes the same files as the other programs (`--help` lists them):

    LOTO_TOKEN=... python -m loto.client loto.example:50051 --ca ca.pem

A sweep is given by its name, its id or the first digits of the id. Of several sweeps of one name the newest is meant,
and a warning says so.

As a module, it gives lists of dictionaries, ready for `pandas.DataFrame`:

    import pandas
    from loto.client import LotoClient

    with LotoClient("localhost:50051") as client:
        sweeps = pandas.DataFrame(client.sweep_rows())
        progress = pandas.DataFrame(client.progress_rows("demo"))
        curves = pandas.DataFrame(client.curves("demo"))
        improvement = pandas.DataFrame(client.improvement("demo"))
        pairs = pandas.DataFrame(client.comparison_rows("demo"))
        traces = pandas.DataFrame(client.trace_rows("demo"))

`sweeps`, `progress`, `watch`, `compare` and `traces` give the messages of the service instead, which hold more. Every message and field is documented in proto/loto/v1/aggregator.proto.
"""

import argparse
import collections
import datetime
import os
import pathlib
import random
import sys
import time
import warnings

from loto.generated_code import AggregatorStub, grpc, messages

# The service's own limit; gRPC's default of 4 MB is short for the curves of a large sweep.
MAX_ANSWER_BYTES = 64 << 20

# Hexadecimal digits of a sweep's id.
ID_DIGITS = 32

# Delays between two tries to reach a service, in seconds: they double from the first to the longest.
FIRST_DELAY = 0.2
LONGEST_DELAY = 5.0


class LotoClient:
    """Asks one `loto serve`. Errors are `grpc.RpcError`, whose `details()` say what is wrong.

    Where answers are for some black boxes, tasks or methods only, these are lists of names, or one name.
    """

    def __init__(
        self, address, timeout=120.0, *, tls=False, ca=None, certificate=None, key=None, token=None
    ):
        """`address` is HOST:PORT; `timeout` is in seconds per question, streams excepted.

        `tls` speaks TLS and trusts the system's authorities; `ca`, the path of a PEM file, speaks it and
        trusts the authorities in there. `certificate` and `key` are paths of PEM files, to be shown to a
        service that demands them. `token` is the token itself; it goes with every request.
        """
        options = [
            ("grpc.max_receive_message_length", MAX_ANSWER_BYTES),
            # By itself gRPC waits for up to two minutes before it knocks again, and takes
            # a host that vanished for a silent one.
            ("grpc.initial_reconnect_backoff_ms", int(FIRST_DELAY * 1000)),
            ("grpc.max_reconnect_backoff_ms", int(LONGEST_DELAY * 1000)),
            ("grpc.keepalive_time_ms", 30_000),
        ]
        if (certificate is None) != (key is None):
            raise ValueError("certificate and key go together")
        if tls or ca is not None or certificate is not None:
            credentials = grpc.ssl_channel_credentials(
                root_certificates=_content(ca),
                private_key=_content(key),
                certificate_chain=_content(certificate),
            )
            self._channel = grpc.secure_channel(address, credentials, options=options)
        else:
            self._channel = grpc.insecure_channel(address, options=options)
        if token is not None:
            self._channel = grpc.intercept_channel(self._channel, _Authorization(token))
        self._stub = AggregatorStub(self._channel)
        self._timeout = timeout

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        self._channel.close()

    def sweeps(self):
        """All sweeps in the store (SweepSummary), oldest first."""
        token = ""
        while True:
            request = messages.ListSweepsRequest(page_size=100, page_token=token)
            page = self._stub.ListSweeps(request, timeout=self._timeout)
            yield from page.sweeps
            token = page.next_page_token
            if not token:
                return

    def sweep_rows(self):
        """All sweeps in the store, one row each; None where the plan is damaged."""
        return [
            {
                "sweep_id": sweep.sweep_id,
                "name": sweep.plan.name if sweep.HasField("plan") else None,
                "recorded": _time(sweep.recorded_seconds),
                "cancelled": sweep.cancelled,
                "blackboxes": len(sweep.plan.blackboxes) if sweep.HasField("plan") else None,
                "seeds": sweep.plan.seeds if sweep.HasField("plan") else None,
                "jobs": sweep.jobs if sweep.HasField("plan") else None,
                "problem": sweep.problem,
            }
            for sweep in self.sweeps()
        ]

    def sweep_id(self, sweep):
        """The id of the sweep with this name, id or beginning of an id."""
        wanted = sweep.lower()
        if len(wanted) == ID_DIGITS and all(digit in "0123456789abcdef" for digit in wanted):
            return wanted
        known = list(self.sweeps())
        by_id = [one.sweep_id for one in known if wanted and one.sweep_id.startswith(wanted)]
        if len(by_id) > 1:
            raise LookupError(f"several sweeps begin with {sweep!r}: {_listed(by_id)}")
        if by_id:
            return by_id[0]
        by_name = [one.sweep_id for one in known if one.plan.name == sweep]
        if not by_name:
            names = {one.plan.name for one in known if one.HasField("plan")}
            raise LookupError(f"no sweep has the id or name {sweep!r}; known are {_listed(sorted(names))}")
        if len(by_name) > 1:
            others = _listed(by_name[:-1])
            warnings.warn(f"of the sweeps named {sweep!r}, {by_name[-1]} is the newest; others: {others}", stacklevel=3)
        return by_name[-1]

    def progress(self, sweep):
        """How far a sweep is (Progress)."""
        request = messages.GetProgressRequest(sweep_id=self.sweep_id(sweep))
        return self._stub.GetProgress(request, timeout=self._timeout)

    def progress_rows(self, sweep):
        """How far a sweep is, one row per black box and method: the number of jobs by state."""
        states = ["planned", "queued", "running", "done", "failed", "poisoned"]
        return [
            {
                "blackbox": method.blackbox,
                "method": method.method,
                **{state: getattr(method, state) for state in states},
            }
            for method in self.progress(sweep).methods
        ]

    def watch(self, sweep, patience=300.0):
        """Progress now and whenever it changes, until the sweep is complete.

        If the connection breaks, or the service restarts, it goes on where it was; a service that
        is out of reach for `patience` seconds is an error.
        """
        sweep_id = self.sweep_id(sweep)
        token, delay, out_of_reach_since = "", FIRST_DELAY, None
        while True:
            request = messages.WatchProgressRequest(sweep_id=sweep_id, resume_token=token)
            stream = self._stub.WatchProgress(request)
            try:
                stream.initial_metadata()  # Waits for the service.
                if stream.is_active():
                    delay, out_of_reach_since = FIRST_DELAY, None
                for progress in stream:
                    token = progress.resume_token
                    yield progress
                return
            except grpc.RpcError as error:
                if error.code() != grpc.StatusCode.UNAVAILABLE:
                    raise
                now = time.monotonic()
                out_of_reach_since = out_of_reach_since or now
                if now - out_of_reach_since > patience:
                    raise
            finally:
                stream.cancel()
            time.sleep(delay * random.uniform(0.5, 1.0))
            delay = min(2 * delay, LONGEST_DELAY)

    def curves(self, sweep, blackboxes=(), methods=(), baseline="EXACT"):
        """Curves with their bands, one row per iteration.

        ADTM of a black box has the task None; the rest is DTM per task. With one seed `lower` and `upper` are None.
        """
        request = messages.GetCurvesRequest(
            sweep_id=self.sweep_id(sweep),
            selection=_selection(blackboxes, methods),
            baseline=_baseline(baseline),
        )
        answer = self._stub.GetCurves(request, timeout=self._timeout)
        rows = []
        for blackbox in answer.blackboxes:
            curves = [(None, curve) for curve in blackbox.adtm]
            curves += [(task.task, curve) for task in blackbox.tasks for curve in task.dtm]
            for task, curve in curves:
                # With one seed there are no limits.
                unknown = [None] * len(curve.mean)
                limits = zip(curve.lower or unknown, curve.upper or unknown, strict=True)
                points = zip(curve.mean, limits, strict=True)
                for iteration, (mean, (lower, upper)) in enumerate(points, start=1):
                    rows.append(
                        {
                            "blackbox": blackbox.blackbox,
                            "task": task,
                            "method": curve.method,
                            "iteration": iteration,
                            "mean": mean,
                            "lower": lower,
                            "upper": upper,
                        }
                    )
        return rows

    def improvement(self, sweep, blackboxes=(), methods=(), baseline="EXACT"):
        """The improvement table, one row per black box and method; None where there is no figure."""
        request = messages.GetImprovementRequest(
            sweep_id=self.sweep_id(sweep),
            selection=_selection(blackboxes, methods),
            baseline=_baseline(baseline),
        )
        answer = self._stub.GetImprovement(request, timeout=self._timeout)
        figures = [
            "improvement",
            "improvement_standard_error",
            "median_improvement",
            "interquartile_mean_improvement",
            "average_rank",
            "final_adtm",
            "relative_improvement",
        ]
        return [
            {
                "blackbox": blackbox.blackbox,
                "method": method.method,
                "finished_traces": method.finished_traces,
                **{name: _optional(method, name) for name in figures},
            }
            for blackbox in answer.blackboxes
            for method in blackbox.methods
        ]

    def compare(self, sweep, blackboxes=(), methods=(), baseline="EXACT", alpha=0.05):
        """Friedman, Iman-Davenport, Nemenyi, Wilcoxon and Holm, and which differences matter (CompareMethodsResponse)."""
        request = messages.CompareMethodsRequest(
            sweep_id=self.sweep_id(sweep),
            selection=_selection(blackboxes, methods),
            baseline=_baseline(baseline),
            alpha=alpha,
        )
        return self._stub.CompareMethods(request, timeout=self._timeout)

    def comparison_rows(self, sweep, blackboxes=(), methods=(), baseline="EXACT", alpha=0.05):
        """The comparisons of all pairs of methods, one row each: over all black boxes together, whose blackbox is
        None, and on each of them. A comparison that is impossible has no rows; probabilities of differences that matter, which
        the service did not compute, are None."""
        answer = self.compare(sweep, blackboxes, methods, baseline, alpha)
        posteriors = ["first_better", "equivalent", "second_better"]
        rows = []
        comparisons = [(None, answer.together)]
        comparisons += [(comparison.blackbox, comparison) for comparison in answer.blackboxes]
        for blackbox, comparison in comparisons:
            ranks = dict(zip(comparison.methods, comparison.average_ranks, strict=True))
            nemenyi = {(pair.first, pair.second): pair.p_value for pair in comparison.nemenyi.pairs}
            practical = {(pair.first, pair.second): pair for pair in comparison.practical}
            for pair in comparison.wilcoxon:
                posterior = practical.get((pair.first, pair.second))
                rows.append(
                    {
                        "blackbox": blackbox,
                        "first": pair.first,
                        "second": pair.second,
                        "first_rank": ranks[pair.first],
                        "second_rank": ranks[pair.second],
                        "wins": pair.wins,
                        "ties": pair.ties,
                        "losses": pair.losses,
                        "wilcoxon_p": pair.p_value,
                        "wilcoxon_holm_p": pair.holm_p_value,
                        "nemenyi_p": nemenyi[pair.first, pair.second],
                        "friedman_p": _friedman(comparison).p_value,
                        **{name: None if posterior is None else getattr(posterior, name) for name in posteriors},
                    }
                )
        return rows

    def traces(self, sweep, blackboxes=(), tasks=(), methods=(), seeds=()):
        """The finished traces (FinishedTrace), one by one."""
        request = messages.StreamTracesRequest(
            sweep_id=self.sweep_id(sweep),
            blackboxes=_names(blackboxes),
            tasks=_names(tasks),
            methods=_names(methods),
            seeds=seeds,
        )
        yield from self._stub.StreamTraces(request)

    def trace_rows(self, sweep, blackboxes=(), tasks=(), methods=(), seeds=()):
        """The evaluations of the finished traces, one row each; best is the best value so far.

        With several objectives, value and best are of the first, and value_2 and so on of the others.
        """
        selected = {"blackboxes": blackboxes, "tasks": tasks, "methods": methods, "seeds": seeds}
        rows = []
        for found in self.traces(sweep, **selected):
            best = None
            pairs = zip(found.trace.rows, found.trace.values, strict=True)
            further_values = list(found.trace.further_values)
            per_row = len(further_values) // max(1, len(found.trace.rows))
            for iteration, (row, value) in enumerate(pairs, start=1):
                further = further_values[(iteration - 1) * per_row : iteration * per_row]
                improves = best is None or (value > best if found.maximised else value < best)
                best = value if improves else best
                rows.append(
                    {
                        "blackbox": found.blackbox,
                        "task": found.task,
                        "method": found.method,
                        "seed": found.seed,
                        "iteration": iteration,
                        "row": row,
                        "value": value,
                        "best": best,
                        **{f"value_{number}": further_value for number, further_value in enumerate(further, start=2)},
                    }
                )
        return rows


class _Authorization(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    """Adds the token to every request, over TLS or not."""

    def __init__(self, token):
        self._entry = ("authorization", f"Bearer {token}")

    def _with_token(self, details):
        metadata = [*(details.metadata or ()), self._entry]
        return _CallDetails(
            details.method,
            details.timeout,
            metadata,
            details.credentials,
            details.wait_for_ready,
            details.compression,
        )

    def intercept_unary_unary(self, continuation, details, request):
        return continuation(self._with_token(details), request)

    def intercept_unary_stream(self, continuation, details, request):
        return continuation(self._with_token(details), request)


class _CallDetails(
    collections.namedtuple(
        "_CallDetails", "method timeout metadata credentials wait_for_ready compression"
    ),
    grpc.ClientCallDetails,
):
    pass


def _content(path):
    return None if path is None else pathlib.Path(path).read_bytes()


def _names(names):
    """A list of names, also of one that is given as a text."""
    return [names] if isinstance(names, str) else names


def _selection(blackboxes, methods):
    return messages.Selection(blackboxes=_names(blackboxes), methods=_names(methods))


def _baseline(name):
    if f"BASELINE_{name}" not in messages.Baseline.keys():
        known = [key[len("BASELINE_") :] for key, number in messages.Baseline.items() if number > 0]
        raise ValueError(f"there is no baseline {name!r}, allowed are {', '.join(known)}")
    return messages.Baseline.Value(f"BASELINE_{name}")


def _optional(message, field):
    return getattr(message, field) if message.HasField(field) else None


def _time(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc) if seconds else None


def _listed(names, most=20):
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def _text(number, decimals):
    return "-" if number is None else f"{number:.{decimals}f}"


def _escaped(text):
    """The text without anything that could command a terminal: names in a store are written by others."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _print(line):
    print(_escaped(line))


def _print_sweeps(client):
    for sweep in client.sweeps():
        recorded = _time(sweep.recorded_seconds)
        date = f"{recorded:%Y-%m-%d %H:%M} UTC" if recorded else "-"
        cancelled = "  cancelled" if sweep.cancelled else ""
        _print(f"{sweep.sweep_id}  {sweep.plan.name}  {date}  {sweep.jobs} jobs{cancelled} {sweep.problem}".rstrip())


def _print_summary(client, sweep):
    sweep_id = client.sweep_id(sweep)
    progress = client.progress(sweep_id)
    as_of = datetime.datetime.fromtimestamp(progress.as_of_milliseconds / 1000)
    _print(
        f"{progress.name}: {progress.done} of {progress.planned} traces done"
        f" as of {as_of:%Y-%m-%d %H:%M:%S}"
    )
    _print(f"{'black box':<16} {'method':<12} improvement  average rank  final ADTM")
    for row in client.improvement(sweep_id):
        _print(
            f"{row['blackbox']:<16} {row['method']:<12}"
            f" {_text(row['improvement'], 2):>11}"
            f"  {_text(row['average_rank'], 2):>12}"
            f"  {_text(row['final_adtm'], 4):>10}"
        )
    comparison = client.compare(sweep_id).together
    if comparison.impossible:
        _print(f"no comparison: {comparison.impossible}")
        return
    friedman, nemenyi = _friedman(comparison), comparison.nemenyi
    _print(
        f"{len(comparison.data_sets)} tasks:"
        f" Friedman chi-square {friedman.chi_square:.3f} (p {friedman.p_value:.3g}),"
        f" critical difference {nemenyi.critical_difference:.3f} at {nemenyi.alpha}"
    )
    for group in nemenyi.groups:
        _print(f"no significant difference: {', '.join(group.methods)}")


def _friedman(comparison):
    """Friedman's test corrected for ties, as SciPy and the report have it; if all methods tie on every task, the plain one."""
    corrected = comparison.HasField("friedman_tie_corrected")
    return comparison.friedman_tie_corrected if corrected else comparison.friedman


def _token(file):
    """The token in a file or in LOTO_TOKEN, never an argument: those show in process lists."""
    if file is not None:
        return pathlib.Path(file).read_text().strip()
    return os.environ.get("LOTO_TOKEN") or None


def main():
    parser = argparse.ArgumentParser(description="Lists the sweeps of a loto service, or sums one up.")
    parser.add_argument("address", help="HOST:PORT of `loto serve`")
    parser.add_argument("sweep", nargs="?", help="name or id of the sweep to sum up; all are listed without it")
    parser.add_argument("--tls", action="store_true", help="speak TLS, trusting the system's authorities")
    for option, what in [
        ("ca", "PEM file of the authorities to trust instead; speaks TLS"),
        ("certificate", "PEM file of the certificate to show"),
        ("key", "PEM file of that certificate's key"),
        ("token-file", "file with the token; LOTO_TOKEN may hold it instead"),
    ]:
        variable = "LOTO_" + option.replace("-", "_").upper()
        parser.add_argument(
            f"--{option}", metavar="FILE", default=os.environ.get(variable), help=f"{what} [{variable}]"
        )
    arguments = parser.parse_args()
    try:
        client = LotoClient(
            arguments.address,
            tls=arguments.tls,
            ca=arguments.ca,
            certificate=arguments.certificate,
            key=arguments.key,
            token=_token(arguments.token_file),
        )
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    with client:
        try:
            if arguments.sweep is None:
                _print_sweeps(client)
            else:
                _print_summary(client, arguments.sweep)
        except LookupError as error:
            sys.exit(_escaped(str(error)))
        except grpc.RpcError as error:
            sys.exit(_escaped(f"{error.code().name}: {error.details()}"))


if __name__ == "__main__":
    main()
