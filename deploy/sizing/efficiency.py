#!/usr/bin/env python3
"""What part of their time workers spend on jobs, by simulation with measured costs.

    deploy/sizing/efficiency.py                      the recorded sweep on 10, 100, 1000 workers
    deploy/sizing/efficiency.py --times 10           ten times as many seeds
    deploy/sizing/efficiency.py --job-seconds 10     jobs as long as that on average

A worker here is one slot for a job (`--jobs 1`). It takes a job from the broker, notes in the store
that it begins, computes, stores the trace, confirms. Broker and store serve one request at a time,
each for the CPU time that was measured; a message needs the time of the network to get there.
"""

import argparse
import heapq
from dataclasses import dataclass

from recorded_sweep import job_seconds


@dataclass(frozen=True)
class Costs:
    """Seconds; README.md says how they were measured."""

    #: CPU time of the broker for one job: delivery and confirmation.
    broker: float = 0.33e-3
    #: CPU time of the store for one job, half of it before and half after computing.
    store: float = 0.15e-3
    #: The worker's own CPU time for one job.
    worker: float = 0.38e-3
    #: From one host to another and back, in a data centre.
    network: float = 0.5e-3
    #: From the start of a worker until it takes its first job.
    start: float = 2.0


@dataclass(frozen=True)
class Outcome:
    """What a simulated sweep came to."""

    #: Seconds from its begin to its last trace.
    makespan: float
    #: Seconds of computing.
    computed: float
    workers: int
    jobs: int
    #: Busy part of the broker's and the store's time.
    broker: float
    store: float

    @property
    def efficiency(self) -> float:
        """Part of the workers' time that went into computing."""
        return self.computed / (self.workers * self.makespan)


class Server:
    """Serves one request after the other."""

    def __init__(self) -> None:
        self.free_at = 0.0
        self.busy = 0.0

    def serve(self, now: float, seconds: float) -> float:
        """When a request that comes now is done."""
        self.free_at = max(self.free_at, now) + seconds
        self.busy += seconds
        return self.free_at


def simulate(jobs: list[float], workers: int, costs: Costs = Costs()) -> Outcome:
    """Runs the jobs, in seconds, on so many workers."""
    broker, store = Server(), Server()
    waiting = iter(jobs)
    end = 0.0
    # (time, worker, what it does then, the job's seconds)
    events = [(costs.start, worker, "take", 0.0) for worker in range(workers)]
    heapq.heapify(events)
    while events:
        now, worker, step, seconds = heapq.heappop(events)
        if step == "take":
            job = next(waiting, None)
            if job is None:
                continue
            given = broker.serve(now, costs.broker) + costs.network
            heapq.heappush(events, (given, worker, "begin", job))
        elif step == "begin":
            noted = store.serve(now, costs.store / 2) + costs.network
            heapq.heappush(events, (noted + costs.worker + seconds, worker, "store", seconds))
        else:
            stored = store.serve(now, costs.store / 2) + costs.network
            end = max(end, stored)
            heapq.heappush(events, (stored, worker, "take", 0.0))
    return Outcome(end, sum(jobs), workers, len(jobs), broker.busy / end, store.busy / end)


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--job-seconds", type=float)
    options = parser.parse_args()
    jobs = job_seconds(options.times, options.job_seconds)
    print(f"{len(jobs)} jobs of {sum(jobs) / len(jobs):.2f} s, the longest {max(jobs):.1f} s")
    print("workers  makespan s   jobs/s  efficiency  broker busy  store busy")
    for workers in options.workers:
        found = simulate(jobs, workers)
        print(
            f"{workers:7} {found.makespan:11.1f} {found.jobs / found.makespan:8.0f} "
            f"{found.efficiency:10.0%} {found.broker:12.0%} {found.store:11.0%}"
        )


if __name__ == "__main__":
    main()
