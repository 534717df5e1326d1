"""Methods for loto, written in Python.

    import loto

    @loto.method
    def first_free_row(problem, observations):
        return next(row for row in range(problem.rows) if row not in observations.rows)

    if __name__ == "__main__":
        loto.serve(first_free_row)

`serve` speaks the protocol that PROTOCOL.md describes; `try_out` runs a method in this process, on a table
in a CSV file, so that a debugger can follow it. Methods need nothing but the standard library of Python 3.8; where NumPy is
installed, arrays are NumPy's. `read` gives the results of a sweep as pandas data frames, and `loto.client`, which needs Python
3.10, asks a running `loto serve`.
"""

from pkgutil import extend_path

# The code that is generated for the client may lie in another folder of the path, as loto/v1.
__path__ = extend_path(__path__, __name__)

from .adapters import from_ask_tell, from_hpob, optuna  # noqa: E402
from .problem import Hyperparameter, Observations, Problem, Task  # noqa: E402
from .results import Results, read  # noqa: E402
from .serving import method, serve  # noqa: E402
from .trying_out import try_out  # noqa: E402

__all__ = [
    "Hyperparameter",
    "Observations",
    "Problem",
    "Results",
    "Task",
    "from_ask_tell",
    "from_hpob",
    "method",
    "optuna",
    "read",
    "serve",
    "try_out",
]
