#!/usr/bin/env python3
"""Makes three synthetic tables with many hyperparameters: wide20.csv, wide20few.csv and wide40.csv.

Each has five tasks of 1500 random configurations. The objective is a bowl with interactions and waves around
a centre that differs by task, on a scale that differs by task, with a little noise; in wide20few only five of the
twenty hyperparameters matter. The prior on lengthscales in wide spaces was chosen on them.
"""

import csv
import math
import random

TASKS = 5
ROWS = 1500


def make_table(name, width, relevant, seed):
    draw = random.Random(seed)
    weights = [draw.uniform(0.3, 1) if i < relevant else 0 for i in range(width)]
    with open(f"{name}.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow([f"hp_{i}" for i in range(width)] + ["metric_error", "task", "blackbox"])
        for task in range(TASKS):
            centre = [min(0.95, max(0.05, 0.5 + 0.2 * draw.gauss(0, 1))) for _ in range(width)]
            scale = 10 ** draw.uniform(-1, 1)
            interactions = [
                (draw.randrange(relevant), draw.randrange(relevant), draw.uniform(-0.5, 0.5))
                for _ in range(relevant // 2)
            ]
            for _ in range(ROWS):
                point = [draw.random() for _ in range(width)]
                offset = [x - c for x, c in zip(point, centre)]
                value = sum(w * o**2 for w, o in zip(weights, offset))
                value += sum(a * offset[i] * offset[j] for i, j, a in interactions)
                value += 0.15 * sum(math.sin(6 * offset[i]) ** 2 for i in range(0, relevant, 3))
                error = scale * (math.exp(value) - 1) + 0.001 * draw.gauss(0, 1)
                table.writerow([f"{x:.6f}" for x in point] + [repr(error), f"t{task}", name])


make_table("wide20", 20, 20, 1)
make_table("wide20few", 20, 5, 2)
make_table("wide40", 40, 40, 3)
