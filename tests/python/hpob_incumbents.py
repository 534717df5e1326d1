"""Computes incumbents on HPO-B's files for the choices in a report's traces, and compares them with the report's.

    hpob_incumbents.py FOLDER TRACES.csv.gz

Reads the JSON of the meta-dataset by itself: the incumbent is the greatest accuracy among the rows chosen so far.
"""

import csv
import gzip
import json
import pathlib
import sys

folder, traces = pathlib.Path(sys.argv[1]), sys.argv[2]
test = json.loads((folder / "meta-test-dataset.json").read_text())
compared = 0
accuracies = {}
with gzip.open(traces, "rt", newline="") as file:
    for line in csv.DictReader(file):
        key = line["blackbox"], line["task"], line["method"], line["seed"]
        value = test[line["blackbox"]][line["task"]]["y"][int(line["row"])][0]
        accuracies.setdefault(key, []).append(value)
        if float(line["value"]) != value:
            sys.exit(f"{line}: the file has {value}")
        incumbent = max(accuracies[key])
        if float(line["best"]) != incumbent:
            sys.exit(f"{line}: the incumbent is {incumbent}")
        compared += 1
print("compared", compared)
