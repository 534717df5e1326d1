"""The tree-structured Parzen estimator of hyperopt."""

import logging

import hyperopt
import loto
import numpy
from hyperopt import hp, tpe

logging.disable(logging.WARNING)


class HyperoptTpe:
    def __init__(self, problem):
        self.problem = problem
        space = {
            it.name: hp.choice(it.name, range(len(it.levels))) if it.is_categorical else hp.uniform(it.name, 0, 1)
            for it in problem.space
        }
        self.domain = hyperopt.base.Domain(lambda _: 0.0, space)
        self.trials = hyperopt.Trials()
        self.random = numpy.random.default_rng(problem.seed)

    def ask(self):
        ids = self.trials.new_trial_ids(1)
        self.trials.refresh()
        self.trial = tpe.suggest(ids, self.domain, self.trials, int(self.random.integers(2**31 - 1)))[0]
        return [float(self.trial["misc"]["vals"][it.name][0]) for it in self.problem.space]

    def tell(self, row, value):
        # Of a proposal that was moved: where it was moved to.
        for it, number in zip(self.problem.space, self.problem.configurations[row]):
            self.trial["misc"]["vals"][it.name] = [int(number) if it.is_categorical else float(number)]
        self.trial["state"] = hyperopt.JOB_STATE_DONE
        self.trial["result"] = {"loss": value, "status": hyperopt.STATUS_OK}
        self.trials.insert_trial_doc(self.trial)
        self.trials.refresh()


if __name__ == "__main__":
    loto.serve(HyperoptTpe)
