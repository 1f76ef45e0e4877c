"""The words, as Markdown: the system prompt and the sentences said to customers. One loader for both."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from orchestrator.catalog import Catalog
from orchestrator.models import Order

_FOLDER: Final = Path(__file__).parent
_VARIABLE: Final = re.compile(r"\{\{(\w+)\}\}")
_HEADING: Final = re.compile(r"^## (\S+)\s*$", re.MULTILINE)


@lru_cache(maxsize=8)
def text(name: str) -> str:
    """The Markdown file of that name, without its ending."""
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()


@lru_cache(maxsize=8)
def phrases(name: str) -> dict[str, tuple[str, ...]]:
    """A file of phrases: each `## key` with its list of equivalent sentences."""
    parts = _HEADING.split(text(name))
    return {
        key: tuple(line[2:].strip() for line in body.splitlines() if line.startswith("- "))
        for key, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def sentence(key: str, turn: int, *, file: str = "sentences", **values: str) -> str:
    """One of the sentences under a key: another each turn, the same when the turn is replayed.

    `file` is a file of phrases beside this module, or a path without its ending.
    """
    variants = phrases(file)[key]
    return fill(variants[turn % len(variants)], **values)


def fill(template: str, **values: str) -> str:
    """The template with each `{{name}}` replaced. Values are data: a `{{name}}` inside one stays as it is.

    Raises:
        KeyError: the template names a variable that was not given.
    """
    return _VARIABLE.sub(lambda found: values[found.group(1)], template)


def system_prompt(catalog: Catalog, order: Order) -> str:
    """The orchestrator's instructions with the location, the menu and the order filled in."""
    location = catalog.menu.location
    return fill(
        text("orchestrator"),
        location_name=location.name,
        location_address=f"{location.address}, {location.city}, {location.state} {location.zip}",
        menu_items=_menu_lines(catalog),
        current_order=order_lines(order) or "Empty",
    )


def order_lines(order: Order) -> str:
    """The order as a list, a line each, in the seed's form; empty for an empty order."""
    return "\n".join(
        f"- {line.quantity}x {line.name} ({line.size})"
        + (f" [{', '.join(_modifier(m.name, m.action) for m in line.modifiers)}]" if line.modifiers else "")
        for line in order.items
    )


@lru_cache(maxsize=8)
def _menu_lines(catalog: Catalog) -> str:
    return "\n".join(
        f"- {item.name} [{item.category_name}] (default size: {item.default_size})"
        for item in catalog.menu.items
        if item.available
    )


def _modifier(name: str, action: str) -> str:
    return name if action == "add" else f"{action} {name}"
