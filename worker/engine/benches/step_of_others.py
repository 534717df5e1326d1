"""Times the step of the benchmark `step` in scikit-learn, Optuna's GPSampler and BoTorch, each on one thread.

    cargo bench -p loto-engine --bench step -- /tmp/step.csv
    python3 worker/engine/benches/step_of_others.py /tmp/step.csv

The first run makes a virtual environment beside the step and installs the packages there, which takes minutes and 6 GB.
A step is a fit of a Gaussian process (Matern-5/2, a lengthscale per coordinate, noise) to the observations and the candidate of
greatest expected improvement; Optuna's sampler searches the cube in place of the candidates, which is how it is used.
Prints the median processor time in milliseconds.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

PACKAGES = ["numpy", "scikit-learn", "optuna", "botorch"]
REPEATS = 11


def median_time(prepare, step):
    """The median processor time of a step in milliseconds, after one that does not count, and what it chose."""
    times = []
    for _ in range(REPEATS + 1):
        prepared = prepare()
        start = time.process_time()
        choice = step(prepared)
        times.append(1e3 * (time.process_time() - start))
    return statistics.median(times[1:]), choice


def scikit_learn(points, targets, candidates):
    import numpy
    from scipy.stats import norm
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    def step(_):
        kernel = ConstantKernel(1.0) * Matern([0.5] * 6, nu=2.5) + WhiteKernel(1e-2)
        process = GaussianProcessRegressor(kernel, normalize_y=True).fit(points, targets)
        mean, std = process.predict(candidates, return_std=True)
        v = (targets.min() - mean) / std
        return len(targets) + int(numpy.argmax(std * (norm.pdf(v) + v * norm.cdf(v))))

    return lambda: None, step


def optuna_sampler(points, targets, candidates):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    names = "abcdef"
    ranges = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in names}

    def prepare():
        study = optuna.create_study(sampler=optuna.samplers.GPSampler(seed=0))
        for point, target in zip(points, targets):
            values = dict(zip(names, map(float, point)))
            study.add_trial(optuna.trial.create_trial(params=values, distributions=ranges, value=float(target)))
        return study

    def step(study):
        trial = study.ask(ranges)
        return [round(trial.params[name], 2) for name in names]

    return prepare, step


def botorch_step(points, targets, candidates):
    import torch
    from botorch.acquisition import LogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from gpytorch.kernels import MaternKernel, ScaleKernel
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    inputs = torch.tensor(points, dtype=torch.double)
    outputs = -torch.tensor(targets, dtype=torch.double)[:, None]
    pool = torch.tensor(candidates, dtype=torch.double)

    def step(_):
        kernel = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=6))
        model = SingleTaskGP(inputs, outputs, covar_module=kernel)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        with torch.no_grad():
            improvement = LogExpectedImprovement(model, best_f=outputs.max())
            return len(targets) + int(improvement(pool[:, None, :]).argmax())

    return lambda: None, step


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: step_of_others.py STEP.csv, a file that the benchmark step writes")
    path = Path(sys.argv[1]).resolve()
    environment = path.parent / "step-environment"
    python = environment / "bin" / "python"
    if Path(sys.prefix) != environment:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
        sys.exit(subprocess.run([str(python), __file__, str(path)], env=os.environ | threads).returncode)

    import warnings

    import numpy

    warnings.simplefilter("ignore")
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    candidates = numpy.array([[float(field) for field in row[:6]] for row in rows])
    targets = numpy.array([float(row[6]) for row in rows if row[6]])
    points = candidates[: len(targets)]
    for name, make in [("scikit-learn", scikit_learn), ("Optuna", optuna_sampler), ("BoTorch", botorch_step)]:
        milliseconds, choice = median_time(*make(points, targets, candidates[len(targets) :]))
        print(f"{name}: {milliseconds:.0f} ms, chooses {choice}", flush=True)


main()
