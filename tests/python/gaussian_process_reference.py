"""Reference optimum of the Gaussian process fit, by SciPy on dense matrices.

Writes worker/engine/src/surrogate/fit_reference.csv: the points and targets, then the
logarithms of lengthscales, signal variance and noise variance at the optimum.

    python tests/python/gaussian_process_reference.py
"""

from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.stats import gamma

OUTPUT = Path(__file__).parents[2] / "worker/engine/src/surrogate/fit_reference.csv"
PRIORS = [(3.0, 6.0), (3.0, 6.0), (2.0, 0.15), (1.1, 0.05)]
BOUNDS = [(1e-3, 100.0)] * 3 + [(1e-4, 1.0)]


def objective(logarithms, points, targets):
    values = np.exp(logarithms)
    distance = np.sqrt(5) * cdist(points / values[:2], points / values[:2])
    kernel = values[2] * (1 + distance + distance**2 / 3) * np.exp(-distance)
    kernel += values[3] * np.eye(len(points))
    inverse = np.linalg.inv(kernel)
    ones = np.ones(len(points))
    centred = targets - (ones @ inverse @ targets) / (ones @ inverse @ ones)
    likelihood = 0.5 * centred @ inverse @ centred + 0.5 * np.linalg.slogdet(kernel)[1]
    prior = sum(gamma.logpdf(v, a, scale=1 / b) for v, (a, b) in zip(values, PRIORS))
    return likelihood - prior


def main():
    generator = np.random.default_rng(4)
    points = generator.uniform(size=(30, 2)).round(3)
    targets = np.sin(5 * points[:, 0]) + points[:, 1] ** 2 + 0.1 * generator.normal(size=30)
    targets = ((targets - targets.mean()) / targets.std()).round(4)
    bounds = np.log(BOUNDS)
    starts = generator.uniform([-2, -2, -2, -5], [1, 1, 2, -1], size=(20, 4))
    fits = [minimize(objective, s, (points, targets), bounds=bounds, tol=1e-12) for s in starts]
    best = min(fits, key=lambda fit: fit.fun)
    rows = [*np.column_stack([points, targets]), best.x]
    OUTPUT.write_text("".join(",".join(repr(float(v)) for v in row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
