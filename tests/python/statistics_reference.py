#!/usr/bin/env python3
"""Write the reference values that the statistics are tested against.

    python tests/python/statistics_reference.py            # writes tests/reference/statistics.json
    python tests/python/statistics_reference.py --check    # compares with it, exit status 1 on a difference

Every value comes from SciPy, scikit-posthocs or statsmodels, in the versions the file names. All
cases are generated from a fixed seed. The check allows for the last digits (1e-10).
"""

import argparse
import importlib.metadata
import json
import math
import pathlib
import sys

import numpy as np
import scikit_posthocs
from scipy import stats
from statsmodels.stats.multitest import multipletests

PATH = pathlib.Path(__file__).resolve().parent.parent / "reference" / "statistics.json"
PACKAGES = ["numpy", "scipy", "scikit-posthocs", "statsmodels", "pandas"]

DEMSAR_TABLE_6 = """0.763 0.768 0.771 0.798
0.599 0.591 0.590 0.569
0.954 0.971 0.968 0.967
0.628 0.661 0.654 0.657
0.882 0.888 0.886 0.898
0.936 0.931 0.916 0.931
0.661 0.668 0.609 0.685
0.583 0.583 0.563 0.625
0.775 0.838 0.866 0.875
1.000 1.000 1.000 1.000
0.940 0.962 0.965 0.962
0.619 0.666 0.614 0.669
0.972 0.981 0.9751 0.975
0.957 0.978 0.946 0.970"""


def chi_square_survival():
    return [
        {"statistic": x, "degrees_of_freedom": k, "p_value": float(stats.chi2.sf(x, k))}
        for k in (1, 2, 3, 6, 15, 40)
        for x in (1e-6, 0.1, 1.0, 3.84, 9.2786, 15.0, 40.0, 120.0)
    ]


def f_survival():
    return [
        {"statistic": x, "numerator": a, "denominator": b, "p_value": float(stats.f.sf(x, a, b))}
        for a, b in ((1, 1), (1, 9), (3, 39), (6, 60), (15, 375), (15, 3000), (2, 2))
        for x in (1e-6, 0.1, 0.9, 1.0, 1.1, 3.6863, 10.0, 50.0)
    ]


def studentized_range():
    return [
        {"range": q, "variables": k, "p_value": float(stats.studentized_range.sf(q, k, np.inf))}
        for k in (2, 3, 4, 7, 10, 16, 30)
        for q in (0.05, 0.5, 1.0, 2.0, 2.77, 3.3145, 4.0, 5.0, 7.0)
    ]


def friedman_values(chi_square, blocks, methods):
    statistic = (blocks - 1) * chi_square / (blocks * (methods - 1) - chi_square)
    freedom = (methods - 1, (methods - 1) * (blocks - 1))
    return {
        "chi_square": float(chi_square),
        "p_value": float(stats.chi2.sf(chi_square, methods - 1)),
        "iman_davenport": float(statistic),
        "iman_davenport_p_value": float(stats.f.sf(statistic, *freedom)),
    }


def friedman_case(scores):
    """Higher scores are better, so the ranks are those of the negated scores."""
    blocks, methods = scores.shape
    ranks = stats.rankdata(-scores, axis=1)
    corrected = float(stats.friedmanchisquare(*(-scores).T).statistic)
    mean_ranks = ranks.mean(axis=0)
    plain = 12 * blocks / (methods * (methods + 1)) * float((mean_ranks**2).sum() - methods * (methods + 1) ** 2 / 4)
    quantile = float(stats.studentized_range.isf(0.05, methods, np.inf)) / math.sqrt(2)
    return {
        "scores": scores.tolist(),
        "average_ranks": mean_ranks.tolist(),
        "plain": friedman_values(plain, blocks, methods),
        "tie_corrected": friedman_values(corrected, blocks, methods),
        "critical_difference": quantile * math.sqrt(methods * (methods + 1) / (6 * blocks)),
        "nemenyi_p_values": scikit_posthocs.posthoc_nemenyi_friedman(-scores).to_numpy().tolist(),
    }


def friedman(random):
    cases = [friedman_case(np.array([[float(v) for v in row.split()] for row in DEMSAR_TABLE_6.split("\n")]))]
    for blocks, methods in ((2, 3), (4, 3), (9, 7), (10, 7), (26, 7), (26, 16), (50, 10), (3, 4)):
        # Whole numbers tie often; normal ones never. Methods differ a little in the mean.
        shift = 0.3 * np.arange(methods)
        cases.append(friedman_case(random.normal(size=(blocks, methods)) + shift))
        cases.append(friedman_case(np.round(random.normal(size=(blocks, methods)) * 1.5 + shift)))
    return cases


def wilcoxon_case(first, second):
    found = stats.wilcoxon(first, second, zero_method="wilcox", correction=False, method="auto")
    differences = first - second
    sizes = np.abs(differences[differences != 0])
    regular = len(sizes) == len(differences) and len(np.unique(sizes)) == len(sizes)
    return {
        "first": first.tolist(),
        "second": second.tolist(),
        "statistic": float(found.statistic),
        "p_value": float(found.pvalue),
        "exact": bool(len(differences) <= (50 if regular else 13)),
    }


def wilcoxon(random):
    cases = []
    for pairs in (2, 3, 5, 9, 10, 13, 14, 26, 50, 51, 80):
        first, second = random.normal(size=(2, pairs))
        cases.append(wilcoxon_case(first + 0.4, second))
        # Quarters are exact in binary, so that ties and zeros are exact.
        tied = np.round(4 * random.normal(size=(2, pairs))) / 4
        tied[0, 0] = tied[1, 0] + 0.25
        cases.append(wilcoxon_case(tied[0], tied[1]))
        without_zeros = np.where(tied[0] == tied[1], tied[0] + 0.5, tied[0])
        cases.append(wilcoxon_case(without_zeros, tied[1]))
    return cases


def holm(random):
    cases = []
    for count in (1, 2, 6, 21, 120):
        p_values = random.uniform(size=count) ** 3
        p_values[count // 2] = p_values[0]
        adjusted = multipletests(p_values, method="holm")[1]
        cases.append({"p_values": p_values.tolist(), "adjusted": adjusted.tolist()})
    return cases


def reference():
    random = np.random.default_rng(20260101)
    return {
        "source": "tests/python/statistics_reference.py",
        "versions": {name: importlib.metadata.version(name) for name in PACKAGES},
        "chi_square_survival": chi_square_survival(),
        "f_survival": f_survival(),
        "studentized_range": studentized_range(),
        "friedman": friedman(random),
        "wilcoxon": wilcoxon(random),
        "holm": holm(random),
    }


def one_case_per_line(found):
    sections = []
    for name, content in found.items():
        if isinstance(content, list):
            text = "[\n" + ",\n".join(json.dumps(case) for case in content) + "\n]"
        else:
            text = json.dumps(content)
        sections.append(f"{json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def differences(found, expected, place=""):
    if isinstance(expected, dict) and isinstance(found, dict) and found.keys() == expected.keys():
        for key in expected:
            yield from differences(found[key], expected[key], f"{place}.{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        for index, (left, right) in enumerate(zip(found, expected)):
            yield from differences(left, right, f"{place}[{index}]")
    elif isinstance(expected, float) and isinstance(found, float):
        if not math.isclose(found, expected, rel_tol=1e-10, abs_tol=1e-10):
            yield f"{place}: {found} now, {expected} in the file"
    elif found != expected:
        yield f"{place}: {found} now, {expected} in the file"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed file instead of writing it")
    arguments = parser.parse_args()
    found = json.loads(json.dumps(reference()))
    if not arguments.check:
        PATH.parent.mkdir(exist_ok=True)
        PATH.write_text(one_case_per_line(found))
        return 0
    problems = list(differences(found, json.loads(PATH.read_text())))
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{PATH.name}: {len(problems)} differences")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
