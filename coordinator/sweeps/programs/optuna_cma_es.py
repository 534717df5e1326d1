"""Optuna's CMA-ES, which searches numeric hyperparameters and draws the others at random."""

import warnings

import loto
import optuna

warnings.filterwarnings("ignore")

if __name__ == "__main__":
    loto.serve(loto.optuna(lambda problem: optuna.samplers.CmaEsSampler(seed=problem.seed)))
