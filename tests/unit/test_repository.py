"""What must hold for the files of the project themselves."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOSTS = {
    "127.0.0.1",
    "www.w3.org",
    "json-schema.org",
    "semver.org",
}  # schemas and standards; none serves packages


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """The files that git tracks."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_host_that_serves_packages(tracked: list[Path]) -> None:
    """A project that names a registry's host fails behind a mirror: hosts are listed, and few."""
    named = {
        (host, path.name)
        for path in tracked
        for host in re.findall(
            r"https?://([A-Za-z0-9.-]+)", path.read_text(encoding="utf-8", errors="replace")
        )
    }
    assert {pair for pair in named if pair[0] not in HOSTS} == set()


def test_no_lock_file_is_tracked(tracked: list[Path]) -> None:
    """Lock files record download hosts; versions are pinned in the root project file instead."""
    assert [path.name for path in tracked if path.name in {"uv.lock", "package-lock.json"}] == []


def test_brand_names_stay_in_data(tracked: list[Path]) -> None:
    """The program knows no brand: their names are in menus, and where documents explain the example."""
    source = ROOT / "src"
    branded = [
        path.relative_to(ROOT).as_posix()
        for path in tracked
        if source in path.parents
        and re.search(r"mcdonald|mcmuffin|big mac", path.read_text(encoding="utf-8"), re.I)
    ]
    assert branded == ["src/orchestrator/orchestrator/catalog.py"]  # the default menu's path
