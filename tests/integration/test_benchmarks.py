"""The benchmarks run and print what they promise. How fast they are is for a quiet machine to say."""

import json
import subprocess
import sys
from functools import cache
from typing import Any

import pytest
from orchestrator.catalog import PROJECT_ROOT

pytestmark = pytest.mark.slow


@cache
def rows_of(name: str) -> dict[str, dict[str, Any]]:
    """Run a benchmark quickly and give its rows by case."""
    script = PROJECT_ROOT / "benchmarks" / f"{name}.py"
    run = subprocess.run(
        [sys.executable, str(script), "--json", "--quick"],
        capture_output=True,
        text=True,
        check=True,
        timeout=110,
    )
    rows: list[dict[str, Any]] = json.loads(run.stdout)
    return {row["case"]: row for row in rows}


@pytest.mark.parametrize("name", ["start_up", "turn"])
def test_a_benchmark_prints_rows(name: str) -> None:
    """Every row has a case, our figure, the baseline's of the same run, their ratio and the unit."""
    rows = rows_of(name)

    assert rows
    for row in rows.values():
        assert set(row) == {"case", "ours", "baseline", "ratio", "unit"}
        assert row["ours"] > 0
        assert row["ratio"] == pytest.approx(row["ours"] / row["baseline"], abs=1e-3)


def test_a_checkpoint_is_small_and_does_not_grow_with_the_menu() -> None:
    """A turn's checkpoint has at most 15 % of the seed design's bytes, as many for 5,000 items as for 21."""
    sizes = [row for case, row in rows_of("turn").items() if case.startswith("checkpoint")]

    assert len(sizes) == 3
    assert all(row["ratio"] <= 0.15 for row in sizes)
    assert max(row["ours"] for row in sizes) == pytest.approx(min(row["ours"] for row in sizes), rel=0.01)
