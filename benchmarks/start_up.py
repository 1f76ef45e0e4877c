"""A cold start: `drive-thru --help` and the first reply, beside importing LangGraph alone.

Medians of fresh processes. Every round runs each command once, so that a slow moment of the machine meets
them all. The targets are half a second for the help and three seconds for the first reply.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from measure import Row, arguments, report

DRIVE_THRU = str(Path(sys.executable).with_name("drive-thru"))
SAY = (DRIVE_THRU, "chat", "--json", "--model", "embedded")
COMMANDS: dict[str, tuple[str, ...]] = {
    "help": (DRIVE_THRU, "--help"),
    "first reply, nothing kept": (*SAY, "--ephemeral"),
    "first reply, SQLite": SAY,
}
IMPORT = (sys.executable, "-c", "import langgraph.graph")


def main() -> None:
    """Measure, and print the rows."""
    chosen = arguments((__doc__ or "").splitlines()[0])
    rounds = 1 if chosen.quick else 9
    seconds: dict[Sequence[str], list[float]] = {command: [] for command in (IMPORT, *COMMANDS.values())}
    for _ in range(rounds + 1):  # the first round fills the caches of files and bytecode
        for command, times in seconds.items():
            times.append(_seconds(command))
    medians = {command: statistics.median(times[1:]) for command, times in seconds.items()}
    rows = [Row(case, medians[command], medians[IMPORT], "s") for case, command in COMMANDS.items()]
    report("A cold start, beside `import langgraph.graph`", rows, as_json=chosen.json)


def _seconds(command: Sequence[str]) -> float:
    """How long a fresh process takes, with an order on its stdin and a data folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "DATA_DIR": folder}
        started = time.perf_counter()
        subprocess.run(command, input=b"a coffee\n", stdout=subprocess.PIPE, env=environment, check=True)
        return time.perf_counter() - started


if __name__ == "__main__":
    main()
