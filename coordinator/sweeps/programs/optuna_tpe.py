"""Optuna's tree-structured Parzen estimator."""

import loto
import optuna

if __name__ == "__main__":
    loto.serve(loto.optuna(lambda problem: optuna.samplers.TPESampler(seed=problem.seed)))
