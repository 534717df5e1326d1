#!/usr/bin/env python3
"""Write the reference values of the Bayesian tests, from recorded results of HPO-B.

    git clone https://github.com/releaunifreiburg/HPO-B                       # results/*.json, MIT
    pip install baycomp==1.0.3 pystan==3.10.0
    python tests/python/bayesian_reference.py HPO-B/results    # writes tests/reference/bayesian.json

Both tests are those of baycomp; the hierarchical one is its Stan program. baycomp's correlation of the repetitions is one
over their number, as of cross-validation; independent repetitions give the same program a correlation of 0.
Differences are the regret of the second method minus that of the first; a task is a pair of a search space and
a data set. The values depend on chance: repeating the script changes them within Monte-Carlo error.
"""

import importlib.metadata
import json
import pathlib
import sys

import baycomp
import numpy as np
from scipy import stats

PATH = pathlib.Path(__file__).resolve().parent.parent / "reference" / "bayesian.json"
SIGNED_RANK = [
    ("FSBO", "RGPE", 100, 0.01),
    ("FSBO2", "FSBO", 100, 0.001),
    ("Random", "GP", 100, 0.02),
    ("TAF", "TST", 20, 0.01),
    ("DNGO", "BOHAMIANN", 5, 0.001),
]
# The Stan program takes minutes; every fourth task will do.
EVERY = 4
HIERARCHICAL = [
    ("FSBO", "RGPE", 100, 0.01),
    ("Random", "GP", 100, 0.01),
    ("TAF", "DNGO", 5, 0.01),
    ("GP", "DNGO", 30, 0.005),
]


def regrets(folder, method, trial):
    """Regret after so many trials, one row per task, one column per seed."""
    spaces = json.loads((folder / f"{method}.json").read_text())
    rows = [
        [round(1 - values[trial], 8) for _, values in sorted(seeds.items())]
        for _, data_sets in sorted(spaces.items())
        for _, seeds in sorted(data_sets.items())
    ]
    return np.array(rows)


def signed_rank(folder):
    for first, second, trial, rope in SIGNED_RANK:
        means = [regrets(folder, method, trial).mean(axis=1) for method in (first, second)]
        differences = np.round(means[1] - means[0], 8)
        posterior = baycomp.SignedRankTest(np.zeros_like(differences), differences, rope, random_state=1)
        yield {
            "methods": [first, second],
            "trial": trial,
            "rope": rope,
            "differences": differences.tolist(),
            "probabilities": list(map(float, posterior.probs())),
        }


def with_spread(differences, rope):
    """Tasks whose repetitions agree get random numbers within the rope about 0, as baycomp has it."""
    random, half = np.random.RandomState(1), differences.shape[1] // 2
    for row in differences:
        if np.var(row) == 0:
            row[:half] = random.uniform(-rope, rope, half)
            row[half : 2 * half] = -row[:half]
            row[2 * half :] = 0
    return differences


def independent(differences, rope):
    """baycomp's program with uncorrelated repetitions."""
    import stan

    scale = np.mean(np.std(differences, axis=1))
    rope, scaled = rope / scale, differences / scale
    program = pathlib.Path(baycomp.__file__).with_name("hierarchical-t-test.stan").read_text()
    greatest = float(np.abs(scaled).max())
    data = {
        "x": scaled.tolist(),
        "Nsamples": scaled.shape[1],
        "q": scaled.shape[0],
        "rho": 0.0,
        "deltaLow": -greatest,
        "deltaHi": greatest,
        "lowerAlpha": 1,
        "upperAlpha": 2,
        "lowerBeta": 0.01,
        "upperBeta": 0.1,
        "stdLow": 0,
        "stdHi": float(np.mean(np.std(scaled, axis=1))) * 1000,
        "std0Low": 0,
        "std0Hi": float(np.std(np.mean(scaled, axis=1))) * 1000,
    }
    fit = stan.build(program, data=data, random_seed=1).sample(num_samples=3000, num_chains=4)
    centre, width, degrees = (fit[name][0] for name in ("delta0", "std0", "nu"))
    above = stats.t.sf(rope, degrees, centre, width)
    below = stats.t.cdf(-rope, degrees, centre, width)
    return baycomp.multiple.Posterior(np.stack([below, 1 - below - above, above], axis=1)).probs()


def hierarchical(folder):
    for first, second, trial, rope in HIERARCHICAL:
        differences = regrets(folder, second, trial) - regrets(folder, first, trial)
        differences = with_spread(np.round(differences[::EVERY], 8), rope)
        case = {"methods": [first, second], "trial": trial, "rope": rope, "differences": differences.tolist()}
        yield case | {"correlation": 0.0, "probabilities": list(map(float, independent(differences, rope)))}


def main():
    folder = pathlib.Path(sys.argv[1])
    packages = ["baycomp", "pystan", "numpy", "scipy"]
    reference = {
        "source": "tests/python/bayesian_reference.py",
        "versions": {name: importlib.metadata.version(name) for name in packages},
        "signed_rank": list(signed_rank(folder)),
        "hierarchical": list(hierarchical(folder)),
    }
    PATH.write_text(json.dumps(reference) + "\n")


if __name__ == "__main__":
    main()
