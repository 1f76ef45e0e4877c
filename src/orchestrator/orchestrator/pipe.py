"""Lines from a pipe, whatever comes through it."""

import io
import sys
from collections.abc import Iterator
from typing import BinaryIO


def standard_input() -> BinaryIO:
    """Standard input as bytes; empty when it was closed.

    It is opened once more, because at exit Python wants the lock of `sys.stdin`, which a thread that waits
    for a line would hold.
    """
    return open(0, "rb", closefd=False) if sys.stdin else io.BytesIO()


def read_lines(stream: BinaryIO, longest: int) -> Iterator[bytes]:
    """The lines of a stream as they arrive, without blank ones, each cut off after `longest` bytes."""
    while line := stream.readline(longest):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(longest)
        if line := line.strip():
            yield line
