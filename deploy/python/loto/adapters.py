"""Optimisers of other packages as methods."""

from __future__ import annotations


def _factory(make):
    """Marks a function that makes a search for a problem."""
    make.loto_is_factory = True
    return make


def from_ask_tell(make, *, parameters=None, spaces="all"):
    """A method from `make(problem)`, whose objects have `ask()` and `tell(x, y)` as in scikit-optimize: `ask` gives a
    configuration, `tell` gets the one that was evaluated, one number per hyperparameter, and its value."""

    @_factory
    def start(problem):
        optimiser = make(problem)

        class AskTell:
            def ask(self):
                return optimiser.ask()

            def tell(self, row, value):
                optimiser.tell([float(number) for number in problem.configurations[row]], value)

        return AskTell()

    start.loto_parameters, start.loto_spaces = parameters, spaces
    return start


def optuna(make_sampler, *, parameters=None):
    """A method from an Optuna sampler: `make_sampler(problem)` gives one, seeded with `problem.seed`.

    Numeric hyperparameters are searched from 0 to 1, on the scale that the sweep file declares. Where loto evaluates another
    row than the proposed one, the study is told of that row.
    """

    @_factory
    def start(problem):
        import optuna as package

        package.logging.set_verbosity(package.logging.WARNING)
        study = package.create_study(direction="minimize", sampler=make_sampler(problem))
        distributions = {
            hyperparameter.name: package.distributions.CategoricalDistribution(hyperparameter.levels)
            if hyperparameter.is_categorical
            else package.distributions.FloatDistribution(0.0, 1.0)
            for hyperparameter in problem.space
        }

        class Study:
            def ask(self):
                self.trial = study.ask(distributions)
                return dict(self.trial.params)

            def tell(self, row, value):
                evaluated = problem.configuration(row)
                if evaluated == self.trial.params:
                    study.tell(self.trial, value)
                    return
                study.tell(self.trial, state=package.trial.TrialState.FAIL)
                study.add_trial(
                    package.trial.create_trial(params=evaluated, distributions=distributions, value=value)
                )

        return Study()

    start.loto_parameters, start.loto_spaces = parameters, "all"
    return start


def from_hpob(make, *, parameters=None):
    """A method from an optimiser for HPO-B: `make(problem)` gives an object with
    `observe_and_suggest(X_obs, y_obs, X_pen)`, which returns the index of a row of `X_pen`.

    Categorical hyperparameters are one-hot encoded. HPO-B maximises: `y_obs` are negative values, and they are not
    normalised, since the target's least and greatest values are not known.
    """

    @_factory
    def start(problem):
        import numpy

        optimiser = make(problem)
        columns = []
        configurations = numpy.asarray(problem.configurations)
        for place, hyperparameter in enumerate(problem.space):
            column = configurations[:, place : place + 1]
            if hyperparameter.is_categorical:
                column = (column == numpy.arange(len(hyperparameter.levels))).astype(float)
            columns.append(column)
        encoded = numpy.concatenate(columns, axis=1)

        class Suggestions:
            def next(self, observations):
                pending = numpy.setdiff1d(numpy.arange(problem.rows), observations.rows)
                if not observations.rows:
                    return int(problem.random_rows[0])
                values = -numpy.asarray(observations.values).reshape(-1, 1)
                place = optimiser.observe_and_suggest(encoded[observations.rows], values, encoded[pending])
                return int(pending[int(place)])

        return Suggestions()

    start.loto_parameters, start.loto_spaces = parameters, "all"
    return start
