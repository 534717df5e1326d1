"""What loto is told of an exception in a method."""

from __future__ import annotations

import os
import traceback

from .proposals import ProposalError

#: Longest text of an error, in characters: a line has two of them and at most 64 KiB, and JSON takes up to 12 bytes for one.
LONGEST_TEXT = 2600

OUT_OF_MEMORY = "out of memory: a method may use what `--memory` (LOTO_MEMORY) gives a job"

PACKAGE = os.path.dirname(os.path.abspath(__file__))
STANDARD_LIBRARY = os.path.dirname(os.path.abspath(os.__file__))


def told_of(error):
    """The message and the traceback of an exception, each of them short enough."""
    if isinstance(error, MemoryError):
        # What the method's variables hold goes first, so that there is room for the rest.
        traceback.clear_frames(error.__traceback__)
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    return message_of(error), "".join(lines)[-LONGEST_TEXT:]


def message_of(error):
    """Where in the user's program something happened, and what. The place comes first, since loto shows the beginning."""
    if isinstance(error, ProposalError):
        return str(error)[:LONGEST_TEXT]
    name, text = type(error).__name__, str(error)
    if isinstance(error, MemoryError):
        message = OUT_OF_MEMORY
    else:
        message = f"{name}: {text}" if text else name
    return (place_of(error) + message)[:LONGEST_TEXT]


def place_of(error):
    """The file and the line of the user's program in which an exception was raised, or which called what raised it; of a program
    without a file the last frame outside of this package. Empty if there is none."""
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    others = [(path, line) for path, line in frames if not is_below(path, PACKAGE)]
    own = [(path, line) for path, line in others if is_own(path)]
    if not others:
        return ""
    path, line = (own or others)[-1]
    return f"{os.path.basename(path)}, line {line}: "


def is_own(path):
    """Whether a file is one of the user's, and neither of the standard library nor of a package that is installed."""
    is_installed = "site-packages" in path or "dist-packages" in path or is_below(path, STANDARD_LIBRARY)
    return not is_installed and os.path.isfile(path)


def is_below(path, folder):
    return os.path.abspath(path).startswith(folder + os.sep)
