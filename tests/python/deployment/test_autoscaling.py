"""The ScaledJob of production-keda over a recorded sweep, with KEDA's documented semantics."""

import sys
import unittest

import rendering

sys.path.insert(0, str(rendering.REPOSITORY / "deploy/sizing"))

import autoscaling  # noqa: E402
from recorded_sweep import job_seconds  # noqa: E402


def manifest_scaler(**changes):
    """The scaler as the manifest has it."""
    objects = rendering.overlay("production-keda")
    scaled_job = next(item for item in objects if item["kind"] == "ScaledJob")["spec"]
    trigger = scaled_job["triggers"][0]["metadata"]
    container = scaled_job["jobTargetRef"]["template"]["spec"]["containers"][0]
    idle = next(item for item in container["env"] if item["name"] == "LOTO_EXIT_WHEN_IDLE")
    assert trigger["mode"] == "QueueLength" and trigger["queueName"] == "loto.jobs"
    # What KEDA does without a word on a strategy is the default strategy.
    assert scaled_job.get("scalingStrategy", {}).get("strategy", "default") == "default"
    found = {
        "polling_interval": scaled_job["pollingInterval"],
        "max_replicas": scaled_job["maxReplicaCount"],
        "value": int(trigger["value"]),
        "exit_when_idle": int(idle["value"]),
        # protocol amqp would not count what workers hold; nor would http with excludeUnacknowledged.
        "counts_unacknowledged": trigger["protocol"] == "http" and "excludeUnacknowledged" not in trigger,
    }
    return autoscaling.Scaler(**{**found, **changes})


def sweep(average=None, at=0.0):
    """The recorded sweep, published at once."""
    return [(at, seconds) for seconds in job_seconds(average=average)]


class Autoscaling(unittest.TestCase):
    def test_the_queue_drains_no_busy_worker_is_ended_and_the_cluster_ends_empty(self):
        for average in [None, 10, 100]:
            with self.subTest(average=average):
                scaler, jobs = manifest_scaler(), sweep(average)
                found = autoscaling.simulate(jobs, scaler)
                self.assertEqual(found.ended_busy, 0)
                self.assertAlmostEqual(found.busy_seconds, sum(seconds for _, seconds in jobs))
                self.assertEqual(found.started, scaler.max_replicas)
                # All are at work until the last jobs: no faster than that, and little slower.
                least = found.busy_seconds / scaler.max_replicas
                longest = max(seconds for _, seconds in jobs)
                self.assertGreaterEqual(found.drained, least)
                self.assertLess(found.drained, least + longest + scaler.pod_start + scaler.polling_interval)
                self.assertEqual(found.pods[-1][1], 0)
                self.assertLessEqual(found.empty, found.drained + scaler.exit_when_idle + 1)

    def test_a_second_sweep_finds_the_workers_that_are_still_there(self):
        scaler = manifest_scaler()
        first = autoscaling.simulate(sweep(), scaler)
        soon = first.drained + scaler.exit_when_idle / 2
        both = autoscaling.simulate([*sweep(), *sweep(at=soon)], scaler)
        self.assertEqual(both.started, first.started)
        later = first.empty + 100
        both = autoscaling.simulate([*sweep(), *sweep(at=later)], scaler)
        self.assertEqual(both.started, 2 * first.started)
        self.assertEqual(both.ended_busy, 0)

    def test_what_the_other_ways_would_do(self):
        ending = autoscaling.simulate(sweep(10), manifest_scaler(ends_pods=True))
        self.assertGreater(ending.ended_busy, 0, "a Deployment's pods are ended whatever they do")
        few = [(0.0, 100.0)] * 20 + [(20.0, 100.0)] * 20
        blind = autoscaling.simulate(few, manifest_scaler(counts_unacknowledged=False))
        seeing = autoscaling.simulate(few, manifest_scaler())
        self.assertEqual(seeing.started, 40)
        self.assertLess(blind.started, 40, "busy pods count as if they were free")
        self.assertLess(seeing.drained, blind.drained)


if __name__ == "__main__":
    unittest.main()
