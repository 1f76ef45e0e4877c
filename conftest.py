"""README and docs are executed: Python blocks run, console blocks print what they say ("..." is anything)."""

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sybil import Example, Sybil
from sybil.integration.pytest import SybilItem
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

ROOT = Path(__file__).parent


def run_console(example: Example) -> str | None:
    """Run each `$ command` of a block from the project's root; None when all printed what stands below."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MISTRAL_", "LANGFUSE_"))}
    environment |= {"PATH": f"{Path(sys.executable).parent}:{environment['PATH']}", "COLUMNS": "80"}
    environment["DATA_DIR"] = str(example.namespace["data_dir"])
    for part in f"\n{example.parsed}".split("\n$ ")[1:]:
        command, _, expected = part.partition("\n")
        command = command.replace("uv run ", "")
        done = subprocess.run(  # noqa: S602 - the commands are our own documents'
            command,
            shell=True,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        printed = done.stdout + done.stderr
        if not doctest.OutputChecker().check_output(f"{expected.strip()}\n", printed, doctest.ELLIPSIS):
            return f"$ {command}\nexpected:\n{expected}\nprinted:\n{printed}"
    return None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The examples of a document build on each other: they run in its order, whatever else is shuffled."""
    examples = sorted(
        (item for item in items if isinstance(item, SybilItem)), key=lambda i: (i.path, i.example.line)
    )
    items[:] = [*(item for item in items if not isinstance(item, SybilItem)), *examples]


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """A place of its own for what a document's commands keep."""
    return tmp_path


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), CodeBlockParser(language="console", evaluator=run_console)],
    patterns=["README.md", "docs/**/*.md", "menus/README.md"],
    fixtures=["data_dir"],
).pytest()
