"""Watches a sweep through loto.client and prints each change: done jobs of planned ones.

    python watch_served_sweep.py ADDRESS SWEEP_ID

The client and the code generated from the .proto files have to be on PYTHONPATH.
"""

import sys

from loto.client import LotoClient


def main():
    address, sweep_id = sys.argv[1:]
    with LotoClient(address) as client:
        for progress in client.watch(sweep_id, patience=60.0):
            print(f"{progress.done} of {progress.planned}", flush=True)
    print("complete", flush=True)


if __name__ == "__main__":
    main()
