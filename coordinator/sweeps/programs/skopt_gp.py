"""The Gaussian process of scikit-optimize."""

import warnings

import loto
import skopt

warnings.filterwarnings("ignore")


def optimiser(problem):
    dimensions = [
        skopt.space.Categorical([float(level) for level in range(len(it.levels))])
        if it.is_categorical
        else skopt.space.Real(0.0, 1.0)
        for it in problem.space
    ]
    return skopt.Optimizer(dimensions, base_estimator="GP", n_initial_points=5, random_state=problem.seed)


if __name__ == "__main__":
    loto.serve(loto.from_ask_tell(optimiser))
