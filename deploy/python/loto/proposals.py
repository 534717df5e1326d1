"""What a method proposes: the number of a row, or a configuration. What cannot be evaluated is refused, here and in a sweep
in the same words."""

from __future__ import annotations

import math
import numbers

from .problem import is_row

#: Most levels that a refusal lists.
LISTED_LEVELS = 20


class ProposalError(ValueError):
    """A proposal that cannot be evaluated: its text says which ones can."""


def checked(proposal, problem):
    """A proposal as a number of a row, or as a list of one number per hyperparameter."""
    if is_row(proposal):
        row = int(proposal)
        if not 0 <= row < problem.rows:
            raise ProposalError(f"it chose row {row}, but the target has rows 0 to {problem.rows - 1}")
        return row
    return configuration_of(proposal, problem.space)


def configuration_of(proposal, space):
    """A proposal as one number per hyperparameter; it is a sequence, or a dictionary by name."""
    if isinstance(proposal, dict):
        missing = [hyperparameter.name for hyperparameter in space if hyperparameter.name not in proposal]
        if missing or len(proposal) != len(space):
            raise ProposalError(f"a configuration must have the hyperparameters {[h.name for h in space]}, not {list(proposal)}")
        proposal = [proposal[hyperparameter.name] for hyperparameter in space]
    try:
        if isinstance(proposal, (str, bytes)):
            raise TypeError
        values = list(proposal)
    except TypeError:
        raise ProposalError(
            f"a proposal must be the number of a row, or a configuration as a sequence of {len(space)} numbers or a dictionary, "
            f"not {proposal!r}" + (": does `next` return it?" if proposal is None else "")
        ) from None
    if len(values) != len(space):
        raise ProposalError(f"a configuration must have {len(space)} values, not {len(values)}")
    return [coordinate(hyperparameter, value) for hyperparameter, value in zip(space, values)]


def coordinate(hyperparameter, value):
    """A value as a coordinate from 0 to 1, or as the number of a level."""
    levels = hyperparameter.levels
    if hyperparameter.is_categorical and isinstance(value, str):
        number = float(levels.index(value)) if value in levels else math.nan
    else:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        except OverflowError:
            number = value = math.inf
    # Comparisons with NaN are false.
    if hyperparameter.is_categorical:
        is_inside = 0 <= number < len(levels) and number.is_integer()
    else:
        is_inside = 0 <= number <= 1
    if not is_inside:
        raise ProposalError(f"it chose {in_words(value)} for {hyperparameter.name}, allowed are {allowed(levels)}")
    return number


def in_words(value):
    """A value for a reader: whole numbers without a point, what is no number as Python writes it."""
    if not isinstance(value, numbers.Real):
        return repr(value)[:100]
    number = float(value)
    return str(int(number)) if number.is_integer() else str(number)


def allowed(levels):
    """The values that a hyperparameter may have; it is numeric if there are no levels."""
    if levels is None:
        return "0 to 1: a coordinate on the scale of its column, not a value of the table"
    listed = ", ".join(repr(level) for level in levels[:LISTED_LEVELS])
    rest = f" and {len(levels) - LISTED_LEVELS} more" if len(levels) > LISTED_LEVELS else ""
    return f"whole numbers 0 to {len(levels) - 1}, or the levels {listed}{rest}"
