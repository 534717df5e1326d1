"""Random search, from the rows that it is given."""

import loto


@loto.method(parameters={"unused": 1})
class RandomSearch:
    def __init__(self, problem):
        print("this goes to standard error")
        self.problem = problem
        # Sources with values, a target without.
        assert all(len(source.values) == source.rows for source in problem.sources)
        assert problem.target.values is None and len(problem.configurations) == problem.rows

    def next(self, observations):
        return self.problem.random_rows[len(observations)]


if __name__ == "__main__":
    loto.serve(RandomSearch)
