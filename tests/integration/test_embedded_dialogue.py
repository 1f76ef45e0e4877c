"""Whole conversations with the embedded engine, through the real graph and a checkpointer."""

from pathlib import Path

import pytest
from orchestrator.catalog import DEFAULT_MENU

from tests.cases import Case, hold, menu_file, read_cases

FOLDER = Path(__file__).parents[1] / "dialogues"
FILES = sorted(file.stem for file in FOLDER.glob("*.yaml") if file.stem != "menus")


def _params(*files: str) -> list[object]:
    cases = [(file, case) for file in files for case in read_cases(file)]
    known = pytest.mark.xfail(raises=AssertionError, strict=True, reason="known_issue")
    return [
        pytest.param(case, id=f"{file}: {case.name}", marks=[known] if case.known_issue else [])
        for file, case in cases
    ]


@pytest.mark.parametrize("case", _params(*FILES))
def test_a_conversation_goes_as_a_cashier_expects(case: Case, tmp_path: Path) -> None:
    """After each turn the order, the tools and the words are what the conversation's file says."""
    hold(case, menu_file(case.menu, tmp_path))


@pytest.mark.parametrize("ending", ["xml", "csv"])
@pytest.mark.parametrize("case", _params("diagrams"))
def test_the_diagrams_conversations_do_not_depend_on_the_menus_format(case: Case, ending: str) -> None:
    """On the breakfast menu as XML and as CSV every reply is the one given on the JSON menu."""
    menu = str(Path(DEFAULT_MENU).with_suffix(f".{ending}"))
    assert hold(case, menu) == hold(case, DEFAULT_MENU)


@pytest.mark.parametrize("case", _params("closing"))
def test_the_engine_is_deterministic(case: Case, tmp_path: Path) -> None:
    """The same conversation held twice has the same replies."""
    menu = menu_file(case.menu, tmp_path)
    assert hold(case, menu) == hold(case, menu)
