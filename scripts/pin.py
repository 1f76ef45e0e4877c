"""Pin every version that the workspace resolves to, in the root's `constraint-dependencies`.

    just pin

A lock file would do the same, but it records download hosts and so fails behind a mirror.
"""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PINS = re.compile(r"(?<!-)constraint-dependencies = \[\n.*?\]", re.DOTALL)
BUILD_PINS = re.compile(r"build-constraint-dependencies = \[\n.*?\]", re.DOTALL)
BUILD = {"hatchling", "packaging", "pathspec", "pluggy", "trove-classifiers"}  # hatchling and what it needs


def resolve() -> list[str]:
    """The newest versions that fit together on every Python the workspace supports, a requirement each."""
    export = ["uv", "export", "--quiet", "--all-packages", "--all-groups", "--no-hashes", "--no-annotate"]
    subprocess.run(["uv", "lock", "--quiet", "--upgrade"], cwd=ROOT, check=True)
    listed = subprocess.run(
        [*export, "--no-header", "--no-emit-workspace"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [line.strip() for line in listed.stdout.splitlines() if "==" in line]


def write(pins: list[str]) -> None:
    """Put the pins into the root's project file, in place of the old ones."""
    project = ROOT / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    text = PINS.sub(lambda _: _table("constraint-dependencies", pins), text)
    needed = [pin for pin in pins if pin.partition("==")[0] in BUILD]
    text = BUILD_PINS.sub(lambda _: _table("build-constraint-dependencies", needed), text)
    project.write_text(text, encoding="utf-8")


def _table(name: str, pins: list[str]) -> str:
    rows = "".join(f'    "{pin}",\n' for pin in pins)
    return f"{name} = [\n{rows}]"


def main() -> None:
    """Forget the old pins, resolve anew, write the new ones; on failure the old ones stay."""
    project = ROOT / "pyproject.toml"
    before = project.read_text(encoding="utf-8")
    write([])
    try:
        pins = resolve()
    except subprocess.CalledProcessError:
        project.write_text(before, encoding="utf-8")
        raise
    write([pin.replace('"', "'") for pin in pins])
    print(f"{len(pins)} versions pinned")


if __name__ == "__main__":
    main()
