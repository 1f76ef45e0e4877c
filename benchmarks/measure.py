"""What every benchmark needs: arguments, percentiles, and rows of ours, the baseline and the ratio."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One measurement. `baseline` was measured in the same run; `ratio` is ours over the baseline."""

    case: str
    ours: float
    baseline: float
    unit: str

    @property
    def ratio(self) -> float:
        """Ours over the baseline: below 1 is less than the baseline."""
        return self.ours / self.baseline


def arguments(description: str) -> argparse.Namespace:
    """The command line of a benchmark: `json` for programs, `quick` for a test that only wants it to run."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of a table")
    parser.add_argument("--quick", action="store_true", help="few repetitions: does it run, not how fast")
    return parser.parse_args()


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that `percent` of the values do not exceed (nearest rank)."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(len(ranked) * percent / 100))]


def report(title: str, rows: Sequence[Row], *, as_json: bool) -> None:
    """Print the rows."""
    if as_json:
        print(json.dumps([{**asdict(row), "ratio": round(row.ratio, 4)} for row in rows], indent=2))
        return
    table = Table(title=title)
    table.add_column("case")
    for heading in ("ours", "baseline", "ratio"):
        table.add_column(heading, justify="right")
    table.add_column("unit")
    for row in rows:
        table.add_row(row.case, _figure(row.ours), _figure(row.baseline), f"{row.ratio:.2f}", row.unit)
    Console().print(table)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
