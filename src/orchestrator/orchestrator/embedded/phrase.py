"""Facts → spoken sentences. The words stand in `phrases.md`; this module only puts names and numbers in."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from orchestrator import prompts
from orchestrator.catalog import Catalog
from orchestrator.models import Item

_PHRASES: Final = str(Path(__file__).parent / "phrases")
_COUNTS: Final = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_LISTED: Final = 4  # more names than this nobody remembers at a speaker


class Speaker:
    """Says things about one menu, in a voice that varies with the turn and repeats when it is replayed."""

    def __init__(self, catalog: Catalog, turn: int) -> None:
        self._catalog = catalog
        self._turn = turn

    def say(self, key: str, **values: str) -> str:
        """One of the sentences under a key, starting with a capital letter."""
        said = prompts.sentence(key, self._turn, file=_PHRASES, **values)
        return said[:1].upper() + said[1:]

    def lines(self, lines: Iterable[dict[str, Any]]) -> str:
        """Order lines as a crew member reads them: "two Hash Browns and one large Coffee with Cream"."""
        return listed([self.line(line) for line in lines])

    def line(self, line: dict[str, Any]) -> str:
        """One order line: how many, the size where there is a choice, the name, the changes."""
        name = str(line.get("name") or line.get("item_name"))
        item = self._catalog.item(line["item_id"])
        sized = item is not None and len(item.available_sizes) > 1
        count = int(line["quantity"])
        parts = [counted(count), str(line["size"]) if sized else "", plural(name) if count > 1 else name]
        return " ".join(filter(None, parts)) + changes(line.get("modifiers", ()))

    def names(self, items: Sequence[Item], conjunction: str = "and") -> str:
        """Item names, the first few of many."""
        shown = [item.name for item in items[:_LISTED]]
        if len(items) > _LISTED:
            return f"{', '.join(shown)}, and {len(items) - _LISTED} more"
        return listed(shown, conjunction)


def listed(parts: Sequence[str], conjunction: str = "and") -> str:
    """Join names: "a and b", "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {conjunction} {parts[-1]}"


def indefinite(name: str) -> str:
    """A name with its article: "an Iced Latte", "a Big Breakfast"; a plural has none."""
    if name.endswith("s"):
        return name
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def counted(count: int) -> str:
    """A number as it is spoken."""
    return _COUNTS[count] if count < len(_COUNTS) else str(count)


def plural(name: str) -> str:
    """Several of a menu item: the noun before "with" gets the ending."""
    head, joiner, rest = name.partition(" with ")
    if head.endswith(("s", "x", "Z")):
        return name
    many = head[:-1] + "ies" if head.endswith("y") and head[-2:-1] not in "aeiou" else head + "s"
    return many + joiner + rest


def changes(modifiers: Iterable[dict[str, Any]]) -> str:
    """What is changed, to be said behind a name: "with no cheese and extra bacon" or nothing."""
    said = [
        str(m["name"]).lower() if m["action"] == "add" else f"{m['action']} {str(m['name']).lower()}"
        for m in modifiers
    ]
    return f" with {listed(said)}" if said else ""
