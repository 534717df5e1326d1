#!/usr/bin/env python3
"""How many workers KEDA's ScaledJob starts for a recorded sweep, and what that costs.

    deploy/sizing/autoscaling.py

KEDA as its documentation has it: every pollingInterval it asks for the length of the queue (protocol
http: with the messages that workers hold) and starts, with the default strategy,

    min(maxReplicaCount, ceil(length / value)) - pods that run

pods, if that is more than none. It never ends one; a worker ends by itself after LOTO_EXIT_WHEN_IDLE
seconds without a job. For comparison: a Deployment of which the scaler ends what it has too many, whatever
they do, as a HorizontalPodAutoscaler does.
"""

import argparse
import heapq
import math
import random
from dataclasses import dataclass, field

from recorded_sweep import job_seconds


@dataclass(frozen=True)
class Scaler:
    """What the ScaledJob says; times in seconds."""

    polling_interval: float = 15
    max_replicas: int = 50
    value: int = 1
    exit_when_idle: float = 60
    #: From the pod's creation until the worker takes its first job.
    pod_start: float = 10
    #: False: what the scaler does with protocol amqp, which sees only messages that nobody holds.
    counts_unacknowledged: bool = True
    #: True: a Deployment, of which pods are ended when there are too many.
    ends_pods: bool = False


@dataclass
class Outcome:
    """What a simulated sweep came to; times in seconds."""

    #: When the last job was done.
    drained: float = 0.0
    #: When the last pod ended.
    empty: float = 0.0
    #: Pods that were started, and the most that ran at once.
    started: int = 0
    most: int = 0
    #: Sum over the pods of the time they ran, and of the time they computed.
    pod_seconds: float = 0.0
    busy_seconds: float = 0.0
    #: Pods that ended while they held a job.
    ended_busy: int = 0
    #: The number of pods after every look of the scaler: (time, pods).
    pods: list[tuple[float, int]] = field(default_factory=list)

    @property
    def idle_share(self) -> float:
        """Part of the pods' time in which they computed nothing."""
        return 1 - self.busy_seconds / self.pod_seconds


def simulate(arrivals: list[tuple[float, float]], scaler: Scaler) -> Outcome:
    """Runs jobs, (time of publication, seconds), in the order of publication."""
    outcome = Outcome()
    coming = sorted(arrivals, key=lambda arrival: arrival[0])
    next_coming = 0
    waiting: list[float] = []
    held = 0
    # Pods: when started, since when idle (None: busy). Each has one slot.
    started_at: dict[int, float] = {}
    idle_since: dict[int, float | None] = {}
    done = 0
    events: list[tuple[float, int, str, int]] = [(0.0, 0, "look", -1)]
    order = 1
    # The seconds of the job that a pod holds.
    holds: dict[int, float] = {}
    chance = random.Random(1)

    def push(time: float, what: str, pod: int) -> None:
        nonlocal order
        heapq.heappush(events, (time, order, what, pod))
        order += 1

    def publish(until: float) -> None:
        nonlocal next_coming
        while next_coming < len(coming) and coming[next_coming][0] <= until:
            waiting.append(coming[next_coming][1])
            next_coming += 1

    def take(now: float, pod: int) -> None:
        nonlocal held
        if not waiting:
            if idle_since[pod] is None:
                idle_since[pod] = now
                push(now + scaler.exit_when_idle, "leave", pod)
            # A message that comes is delivered at once; looks each second stand for that.
            push(now + 1, "wake", pod)
            return
        idle_since[pod] = None
        seconds = waiting.pop(0)
        held += 1
        holds[pod] = seconds
        outcome.busy_seconds += seconds
        push(now + seconds, "done", pod)

    while events:
        now, _, what, pod = heapq.heappop(events)
        publish(now)
        if what == "look":
            length = len(waiting) + (held if scaler.counts_unacknowledged else 0)
            wanted = min(scaler.max_replicas, math.ceil(length / scaler.value))
            for _ in range(max(0, wanted - len(started_at))):
                new = outcome.started
                outcome.started += 1
                started_at[new] = now
                idle_since[new] = None
                push(now + scaler.pod_start, "ready", new)
            if scaler.ends_pods and wanted < len(started_at):
                for ended in chance.sample(sorted(started_at), len(started_at) - wanted):
                    outcome.pod_seconds += now - started_at.pop(ended)
                    outcome.empty = now
                    if ended in holds:
                        # The broker delivers the job again.
                        outcome.ended_busy += 1
                        waiting.insert(0, holds.pop(ended))
                        held -= 1
            outcome.most = max(outcome.most, len(started_at))
            outcome.pods.append((now, len(started_at)))
            if done < len(coming) or started_at:
                push(now + scaler.polling_interval, "look", -1)
            continue
        if pod not in started_at:
            continue
        if what == "done":
            held -= 1
            done += 1
            del holds[pod]
            outcome.drained = now
            take(now, pod)
        elif what == "ready":
            take(now, pod)
        elif what == "wake" and idle_since[pod] is not None:
            take(now, pod)
        elif what == "leave":
            since = idle_since[pod]
            if scaler.ends_pods:
                continue
            if since is not None and now >= since + scaler.exit_when_idle:
                outcome.pod_seconds += now - started_at.pop(pod)
                outcome.empty = now
    return outcome


def main() -> None:
    """Prints what becomes of the recorded sweep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--max-replicas", type=int, nargs="+", default=[10, 50, 200])
    parser.add_argument("--times", type=int, default=10, help="as many times as many seeds (10)")
    parser.add_argument("--job-seconds", type=float, help="make jobs as long as that on average")
    options = parser.parse_args()
    arrivals = [(0.0, seconds) for seconds in job_seconds(options.times, options.job_seconds)]
    print("            at most  started  drained s  empty s  pod hours  idle part  ended busy")
    for max_replicas in options.max_replicas:
        for name, ends_pods in [("ScaledJob", False), ("Deployment", True)]:
            found = simulate(arrivals, Scaler(max_replicas=max_replicas, ends_pods=ends_pods))
            print(
                f"{name:10} {max_replicas:8} {found.started:8} {found.drained:10.0f} {found.empty:8.0f} "
                f"{found.pod_seconds / 3600:10.2f} {found.idle_share:10.0%} {found.ended_busy:11}"
            )


if __name__ == "__main__":
    main()
