"""The simulation of many workers, where its answer is known."""

import sys
import unittest

import rendering

sys.path.insert(0, str(rendering.REPOSITORY / "deploy/sizing"))

from efficiency import Costs, simulate  # noqa: E402
from recorded_sweep import job_seconds  # noqa: E402

FREE = Costs(broker=0, store=0, worker=0, network=0, start=0)


class Efficiency(unittest.TestCase):
    def test_the_recorded_sweep_is_whole(self):
        jobs = job_seconds()
        self.assertEqual(len(jobs), 10_410)
        self.assertAlmostEqual(sum(jobs), 3451, delta=5)
        self.assertAlmostEqual(sum(job_seconds(2, 10)), 10 * 2 * 10_410)

    def test_without_costs_equal_jobs_keep_all_workers_busy(self):
        found = simulate([2.0] * 100, 10, FREE)
        self.assertAlmostEqual(found.makespan, 20)
        self.assertAlmostEqual(found.efficiency, 1)

    def test_a_long_job_at_the_end_is_waited_for(self):
        found = simulate([1.0] * 10 + [5.0], 10, FREE)
        self.assertAlmostEqual(found.makespan, 6)
        self.assertAlmostEqual(found.efficiency, 15 / 60)

    def test_the_broker_bounds_the_rate(self):
        costs = Costs(broker=0.01, store=0, worker=0, network=0, start=0)
        found = simulate([0.01] * 5000, 1000, costs)
        self.assertAlmostEqual(found.jobs / found.makespan, 100, delta=1)
        self.assertAlmostEqual(found.broker, 1, delta=0.01)

    def test_what_one_job_costs_is_the_sum_of_its_costs(self):
        costs = Costs(broker=1, store=2, worker=4, network=8, start=16)
        found = simulate([32.0], 1, costs)
        self.assertAlmostEqual(found.makespan, 16 + 1 + 8 + 1 + 8 + 4 + 32 + 1 + 8)


if __name__ == "__main__":
    unittest.main()
