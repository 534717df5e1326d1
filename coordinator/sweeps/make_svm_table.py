#!/usr/bin/env python3
"""Make svm-sklearn.csv.zip: an SVM grid on tasks from scikit-learn's bundled data.

The table follows the SVM meta-data set of Wistuba, Schilling and Schmidt-Thieme
(Scalable Gaussian process-based transfer surrogates for hyperparameter
optimization, Machine Learning 107, 2018): the same 288 configurations and the
same 22 meta-features, but tasks that need no download.

    python3 -m venv /tmp/venv-svm
    /tmp/venv-svm/bin/pip install numpy==2.4.6 scipy==1.17.1 \
        scikit-learn==1.9.1 pillow==13.0.0 joblib==1.6.0
    /tmp/venv-svm/bin/python make_svm_table.py             # write the table, 9 minutes
    /tmp/venv-svm/bin/python make_svm_table.py --check     # recompute 3 tasks, compare
    /tmp/venv-svm/bin/python make_svm_table.py --summary   # describe the table

Columns, one row per task and configuration:

hp_kernel_linear, hp_kernel_polynomial, hp_kernel_rbf   one-hot kernel
hp_log2_c         log2(C) / 6, C in 2^-5 .. 2^6
hp_log10_degree   log10(degree), degree in 2 .. 10; 0 unless polynomial
hp_log_gamma      log10(gamma) / 4, 14 values in 1e-4 .. 1e3; 0 unless RBF
metric_error      misclassified fraction, repeated stratified 5-fold
                  cross-validation, pooled over folds and repeats
dataset_meta_*    the 22 meta-features, scaled to [0, 1] over the tasks
blackbox, task    "SVM" and the name of the task

The kernels, on features standardised within each training fold (p features):
linear x.z; polynomial (x.z / p + 1)^degree; RBF exp(-gamma |x - z|^2).
The solver stops after MAX_ITER iterations per binary problem: with a large C and
a high degree it would otherwise run for very long without a better model. The
error of the unfinished model counts, as it would for a user with the same limit.
Times are left out: they differ from run to run. On another kind of processor, an
error may differ by a few predictions.
"""

import argparse
import csv
import io
import os
import sys
import warnings
import zipfile
from importlib.metadata import version
from pathlib import Path

# One thread and one family of BLAS kernels, so that sums are taken in the same order.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")

import joblib
import numpy as np
import sklearn
from scipy.stats import kurtosis, skew, spearmanr
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

VERSIONS = {"numpy": "2.4.6", "scipy": "1.17.1", "scikit-learn": "1.9.1"}
VERSIONS |= {"pillow": "13.0.0", "joblib": "1.6.0"}
TABLE = Path(__file__).resolve().with_name("svm-sklearn.csv.zip")
SEED = 2018
FOLDS = 5
MIN_PREDICTIONS = 1500  # rows x repeats: the resolution of metric_error
MAX_ITER = 20_000

CS = [2.0**e for e in range(-5, 7)]
GAMMAS = [1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.5, 1, 2, 5, 10, 20, 50, 1e2, 1e3]
KERNELS = [("linear", 0)]
KERNELS += [("polynomial", degree) for degree in range(2, 11)]
KERNELS += [("rbf", gamma) for gamma in GAMMAS]
HP_COLUMNS = ["hp_kernel_linear", "hp_kernel_polynomial", "hp_kernel_rbf"]
HP_COLUMNS += ["hp_log2_c", "hp_log10_degree", "hp_log_gamma"]


def above_median(values):
    return (values > np.median(values)).astype(int)


def terciles(values):
    return np.searchsorted(np.quantile(values, [1 / 3, 2 / 3]), values)


def tabular(loader, features=slice(None), classes=None, feature=None, split=None):
    """A bundled table: some features and classes, or the binned target or a binned feature."""

    def load(_rng):
        x, y = loader(return_X_y=True)
        if feature is not None:  # predict it from the other ones
            x, y = np.delete(x, feature, axis=1), x[:, feature]
        rows = slice(None) if classes is None else np.isin(y, classes)
        return x[rows][:, features], split(y) if split else y[rows]

    return load


VIEWS = {  # of 8 x 8 images, flattened afterwards
    "pixels": lambda images: images,
    "coarse": lambda images: images.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)),
    "upper half": lambda images: images[:, :4],
    "right part": lambda images: images[:, :, 5:],
    "central rows": lambda images: images[:, 3:5],
    "row sums": lambda images: images.sum(axis=2),
    "column sums": lambda images: images.sum(axis=1),
    "sums": lambda images: np.hstack([images.sum(axis=2), images.sum(axis=1)]),
}


def digits(view, keep=range(10), label=lambda digit: digit):
    """Some digits, seen through a view, with `label` of the digit as the class."""

    def load(_rng):
        data = datasets.load_digits()
        rows = np.isin(data.target, list(keep))
        return VIEWS[view](data.images[rows]).reshape(rows.sum(), -1), label(data.target[rows])

    return load


def patches(name, rng, count=400, size=1):
    """Flat random square patches of a photo, and where their upper left corners are."""
    image = datasets.load_sample_image(name + ".jpg") / 255.0
    r = rng.integers(0, image.shape[0] - size + 1, count)
    c = rng.integers(0, image.shape[1] - size + 1, count)
    x = np.array([image[i : i + size, j : j + size] for i, j in zip(r, c)])
    return x.reshape(count, size * size, 3), r / image.shape[0], c / image.shape[1]


def pixel_source(rng):
    """Which of the two photos is a pixel from, by its colour?"""
    x = [patches(name, rng, 200)[0] for name in ("china", "flower")]
    return np.concatenate(x)[:, 0], np.repeat([0, 1], 200)


def texture_source(rng):
    """Which photo is a grey 4 x 4 patch from, with its brightness removed?"""
    x = [patches(name, rng, 200, 4)[0] for name in ("china", "flower")]
    x = np.concatenate(x).mean(axis=2)
    return x - x.mean(axis=1, keepdims=True), np.repeat([0, 1], 200)


def pixel_height(rng):
    """Which third of the temple's photo is a pixel from, by its colour?"""
    x, r, _ = patches("china", rng)
    return x[:, 0], terciles(r)


def pixel_centre(rng):
    """Is a pixel of the flower in the middle of the photo, by its colour?"""
    x, r, c = patches("flower", rng)
    return x[:, 0], (np.hypot(r - 0.5, c - 0.5) < 0.3).astype(int)


def bright_position(rng):
    """Is the temple's photo bright at a position? Two features only."""
    x, r, c = patches("china", rng)
    return np.column_stack([r, c]), above_median(x.mean(axis=(1, 2)))


CANCER, DIABETES = datasets.load_breast_cancer, datasets.load_diabetes
IRIS, WINE = datasets.load_iris, datasets.load_wine

# name: (function of a generator for features and classes, most rows, flipped labels)
TASKS = {
    "breast-cancer-mean": (tabular(CANCER, range(0, 10)), 300, 0),
    "breast-cancer-standard-error": (tabular(CANCER, range(10, 20)), 300, 0),
    "breast-cancer-surface": (tabular(CANCER, [1, 4, 8, 9]), 300, 0),
    "breast-cancer-texture": (tabular(CANCER, feature=1, split=above_median), 300, 0),
    "breast-cancer-worst-noisy": (tabular(CANCER, range(20, 30)), 300, 0.1),
    "diabetes-blood-pressure": (tabular(DIABETES, feature=3, split=above_median), 300, 0),
    "diabetes-median": (tabular(DIABETES, split=above_median), 300, 0),
    "diabetes-serum-terciles": (tabular(DIABETES, range(4, 10), split=terciles), 300, 0),
    "diabetes-sex": (tabular(DIABETES, feature=1, split=above_median), 300, 0),
    "digits-1-vs-7-noisy": (digits("coarse", (1, 7)), 300, 0.05),
    "digits-1-vs-8": (digits("central rows", (1, 8)), 300, 0),
    "digits-3-vs-8": (digits("right part", (3, 8)), 300, 0),
    "digits-3-vs-8-noisy": (digits("pixels", (3, 8)), 300, 0.1),
    "digits-4-vs-9": (digits("column sums", (4, 9)), 300, 0),
    "digits-5-vs-9": (digits("row sums", (5, 9)), 300, 0),
    "digits-at-least-five": (digits("coarse", label=lambda d: (d >= 5).astype(int)), 300, 0),
    "digits-coarse": (digits("coarse"), 300, 0),
    "digits-parity-coarse": (digits("coarse", label=lambda d: d % 2), 300, 0),
    "digits-parity-noisy": (digits("pixels", label=lambda d: d % 2), 300, 0.1),
    "digits-sums": (digits("sums"), 300, 0),
    "digits-upper-half": (digits("upper half"), 300, 0),
    "iris-sepal": (tabular(IRIS, [0, 1]), 150, 0),
    "iris-versicolor-vs-virginica": (tabular(IRIS, classes=(1, 2)), 100, 0),
    "photo-china-bright-position": (bright_position, 300, 0),
    "photo-china-pixel-height": (pixel_height, 300, 0),
    "photo-flower-pixel-centre": (pixel_centre, 300, 0),
    "photo-pixel-source": (pixel_source, 300, 0),
    "photo-texture-source": (texture_source, 300, 0),
    "wine-alcohol": (tabular(WINE, feature=0, split=above_median), 178, 0),
    "wine-four-features": (tabular(WINE, [1, 2, 3, 4]), 178, 0),
    "wine-noisy": (tabular(WINE), 178, 0.1),
}


def load_task(name):
    """The rows and classes of a task; features constant on its rows are dropped."""
    loader, count, noise = TASKS[name]
    rng = np.random.default_rng([SEED, *name.encode("ascii")])  # tasks are independent
    x, y = loader(rng)
    rows = rng.permutation(len(y))[:count]
    x, y = x[rows].astype(float), y[rows].copy()
    classes = np.unique(y)
    for i in rng.choice(len(y), round(noise * len(y)), replace=False):
        y[i] = rng.choice(classes[classes != y[i]])
    return np.ascontiguousarray(x[:, np.ptp(x, axis=0) > 0]), y


def meta_features(x, y):
    """The 22 meta-features of the paper's Table 1, unscaled."""
    n, p = x.shape
    share = np.unique(y, return_counts=True)[1] / n
    meta = {"number_of_classes": len(share)}
    sizes = {"number_of_instances": n, "number_of_features": p}
    sizes |= {"dimensionality": p / n, "inverse_dimensionality": n / p}
    for key, size in sizes.items():
        meta |= {key: size, f"log_{key}": np.log(size)}
    meta["class_cross_entropy"] = -np.sum(share * np.log(share))
    groups = {"class_probability": share, "kurtosis": kurtosis(x), "skewness": skew(x)}
    for key, values in groups.items():
        meta |= {f"{key}_min": values.min(), f"{key}_max": values.max()}
        meta |= {f"{key}_mean": values.mean(), f"{key}_standard_deviation": values.std()}
    return meta


def encode(kernel, parameter, c):
    """One configuration as the values of HP_COLUMNS."""
    degree = np.log10(parameter) if kernel == "polynomial" else 0.0
    gamma = np.log10(parameter) / 4 if kernel == "rbf" else 0.0
    return [*(kernel == k for k in ("linear", "polynomial", "rbf")), np.log2(c) / 6, degree, gamma]


def kernel_matrix(kernel, parameter, x, z):
    dot = x @ z.T
    if kernel == "polynomial":
        return (dot / x.shape[1] + 1) ** parameter
    if kernel == "rbf":
        square = (x**2).sum(axis=1)[:, None] + (z**2).sum(axis=1) - 2 * dot
        return np.exp(-parameter * np.maximum(square, 0))
    return dot


def run_task(name):
    """The error of every configuration, in the order of KERNELS x CS."""
    x, y = load_task(name)
    repeats = -(-MIN_PREDICTIONS // len(y))  # rounded up
    splits = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=repeats, random_state=SEED)
    wrong = np.zeros((len(KERNELS), len(CS)), dtype=int)
    fast = sklearn.config_context(assume_finite=True, skip_parameter_validation=True)
    with warnings.catch_warnings(), fast:
        warnings.simplefilter("ignore", ConvergenceWarning)
        for train, test in splits.split(x, y):
            scaler = StandardScaler().fit(x[train])
            a, b = scaler.transform(x[train]), scaler.transform(x[test])
            for i, kernel in enumerate(KERNELS):
                fit, predict = kernel_matrix(*kernel, a, a), kernel_matrix(*kernel, b, a)
                for j, c in enumerate(CS):
                    svm = SVC(kernel="precomputed", C=c, max_iter=MAX_ITER).fit(fit, y[train])
                    wrong[i, j] += np.sum(svm.predict(predict) != y[test])
    return wrong.ravel() / (len(y) * repeats)


def make_rows(names, jobs):
    """The header and the rows of some tasks, all cells formatted as text."""
    meta = {name: meta_features(*load_task(name)) for name in TASKS}
    raw = np.array([list(m.values()) for m in meta.values()])
    low, width = raw.min(axis=0), np.ptp(raw, axis=0)
    scaled = dict(zip(TASKS, (raw - low) / np.where(width > 0, width, 1)))
    columns = [f"dataset_meta_{key}" for key in meta[names[0]]]
    yield [*HP_COLUMNS, "metric_error", *columns, "blackbox", "task"]
    grid = [encode(*kernel, c) for kernel in KERNELS for c in CS]
    results = joblib.Parallel(n_jobs=jobs, verbose=10)(joblib.delayed(run_task)(n) for n in names)
    for name, errors in zip(names, results):
        for hp, error in zip(grid, errors):
            yield [*(f"{v:.6f}" for v in (*hp, error, *scaled[name])), "SVM", name]


def write_table(rows):
    """Write the zip; the same rows give the same bytes."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    entry = zipfile.ZipInfo("svm-sklearn.csv", date_time=(1980, 1, 1, 0, 0, 0))
    entry.create_system, entry.external_attr = 3, 0o644 << 16
    with zipfile.ZipFile(TABLE, "w") as archive:
        archive.writestr(entry, text.getvalue(), zipfile.ZIP_DEFLATED, compresslevel=9)


def read_table():
    with zipfile.ZipFile(TABLE) as archive:
        text = archive.read(archive.infolist()[0]).decode("ascii")
    return list(csv.reader(io.StringIO(text)))


def check_table(names, jobs):
    """Recompute some tasks and compare every cell with the table."""
    header, *rows = read_table()
    stored = [header] + [row for name in names for row in rows if row[-1] == name]
    fresh = list(make_rows(names, jobs))
    if stored != fresh:
        sys.exit(f"differs: {sorted({n[-1] for o, n in zip(stored, fresh) if o != n})}")
    print(f"{len(fresh) - 1} rows of {', '.join(names)}: equal")


def print_summary():
    """Describe the table and stop if it breaks the rules it promises."""
    header, *rows = read_table()
    numbers = np.array([[float(v) for v in row[:-2]] for row in rows])
    names = [row[-1] for row in rows[:: len(KERNELS) * len(CS)]]
    numbers = numbers.reshape(len(names), len(KERNELS) * len(CS), -1)
    grids, errors = numbers[:, :, : len(HP_COLUMNS)], numbers[:, :, header.index("metric_error")]
    assert names == sorted(TASKS) and np.isfinite(numbers).all()
    assert (grids == grids[0]).all() and len(np.unique(grids[0], axis=0)) == 288
    ranks = spearmanr(errors, axis=1).statistic
    others = ~np.eye(len(names), dtype=bool)
    print(f"{'task':30}{'min':>9}{'median':>9}{'max':>9}{'ties':>6}{'values':>8}{'rank corr.':>12}")
    for name, e, rank, other in zip(names, errors, ranks, others):
        ties, values = np.sum(e == e.min()), len(np.unique(e))
        assert ties <= 0.05 * len(e), f"{name}: too many ties at the optimum"
        print(f"{name:30}{e.min():9.4f}{np.median(e):9.4f}{e.max():9.4f}", end="")
        print(f"{ties:6d}{values:8d}{rank[other].mean():12.2f}")
    print(f"{len(names)} tasks, mean rank corr. {ranks[others].mean():.2f}")


def main():
    parser = argparse.ArgumentParser(description="Make or check the demo's SVM table.")
    parser.add_argument("--check", action="store_true", help="recompute tasks and compare")
    parser.add_argument("--only", action="append", choices=TASKS, help="check this task")
    parser.add_argument("--summary", action="store_true", help="describe the table and stop")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    arguments = parser.parse_args()
    if arguments.summary:
        return print_summary()
    for package, wanted in VERSIONS.items():
        if version(package) != wanted:
            sys.exit(f"{package} {wanted} is needed, found {version(package)}")
    if arguments.check or arguments.only:
        sample = ["iris-versicolor-vs-virginica", "digits-coarse", "photo-china-bright-position"]
        return check_table(arguments.only or sample, arguments.jobs)
    write_table(make_rows(sorted(TASKS), arguments.jobs))
    print_summary()


if __name__ == "__main__":
    main()
