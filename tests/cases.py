"""Reads the conversations in `tests/dialogues` and holds one against the real graph."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from orchestrator.catalog import DEFAULT_MENU
from orchestrator.context import Context
from orchestrator.enums import CategoryName, ModifierAction, Size
from orchestrator.graph import build_graph
from orchestrator.models import Item, Order

from tests.shops import dish, write_menu
from tests.talk import Talk, new_saver

FOLDER = Path(__file__).parent / "dialogues"
TURN_FIELDS = {"customer", "order", "status", "tools", "says", "never"}
CASE_FIELDS = {"name", "menu", "known_issue", "turns"}


@dataclass(frozen=True)
class Case:
    """One conversation, as its file has it."""

    name: str
    turns: list[dict[str, Any]]
    menu: str = ""
    known_issue: bool = False


def read_cases(name: str) -> list[Case]:
    """The conversations of a file; a misspelled field is an error, not a check that never runs."""
    cases = _read(name)
    for case in cases:
        assert case.keys() <= CASE_FIELDS, case
        assert all(turn.keys() <= TURN_FIELDS for turn in case["turns"]), case
    return [Case(**{**case, "known_issue": case.get("known_issue") == "true"}) for case in cases]


def menu_file(shop: str, folder: Path) -> str:
    """The path of a shop's menu file; the default menu without a name."""
    if not shop:
        return DEFAULT_MENU
    return write_menu(folder, *map(_dish, _read("menus")[shop]), name=f"{shop}.json")


def hold(case: Case, menu: str) -> list[str]:
    """Hold a conversation and check each turn; what the crew said."""
    context = Context(menu=menu)
    talk = Talk(build_graph(checkpointer=new_saver()), context)
    expected: list[str] = []
    replies = []
    for turn in case.turns:
        reply = talk.say(turn["customer"])
        expected = turn.get("order", expected)
        heard = f'"{turn["customer"]}" → "{reply}"'
        assert order_lines(talk.order, context) == expected, heard
        assert talk.order.status == turn.get("status", "open"), heard
        _check_reply(reply, turn, heard)
        _check_tools(talk, turn, heard)
        replies.append(reply)
    return replies


def order_lines(order: Order, context: Context) -> list[str]:
    """The order as the files write it: "2 large Coffee with extra Cream, no Ice"."""
    return [_line(line, context.catalog.item(line.item_id)) for line in order.items]


def _line(line: Item, item: Item | None) -> str:
    assert item is not None, "what is ordered is on the menu"
    size = f"{line.size} " if len(item.available_sizes) > 1 else ""
    changes = [
        m.name if m.action is ModifierAction.ADD else f"{m.action} {m.name}"
        for m in sorted(line.modifiers, key=lambda m: m.name)
    ]
    return f"{line.quantity} {size}{line.name}" + (f" with {', '.join(changes)}" if changes else "")


def _check_reply(reply: str, turn: dict[str, Any], heard: str) -> None:
    said = reply.lower()
    for wanted in turn.get("says", ()):
        assert any(words.strip().lower() in said for words in wanted.split(" | ")), (
            f"{heard}: lacks {wanted!r}"
        )
    for unwanted in (*turn.get("never", ()), "<reasoning>", "{{", "}}", "none", "  "):
        assert unwanted.lower() not in said, f"{heard}: has {unwanted!r}"


def _check_tools(talk: Talk, turn: dict[str, Any], heard: str) -> None:
    assert talk.tool_calls == turn.get("tools", talk.tool_calls), heard
    if "add_item_to_order" in talk.tool_calls:
        assert talk.tool_calls[0] == "lookup_menu_item", f"{heard}: added without looking it up"
    assert all(entry.partition("] ")[2].strip() for entry in talk.reasoning), "the engine says why"


def _read(name: str) -> Any:
    """A file's data, in which every value is text: a customer who says "yes" is not True."""
    return yaml.load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - makes text only


def _dish(listed: dict[str, Any]) -> Item:
    return dish(
        listed["name"],
        *listed.get("modifiers", ()),
        sizes=tuple(map(Size, listed.get("sizes", ["regular"]))),
        aliases=tuple(listed.get("aliases", ())),
        category=CategoryName(listed.get("category", "snacks-sides")),
        available=listed.get("available") != "false",
    )
