"""Small menus, built in a line each: what a test needs to see stands in the test."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from orchestrator.catalog import Catalog
from orchestrator.enums import CategoryName, ModifierAction, Size
from orchestrator.models import Item, Location, Menu, Modifier

CORNER = Location(
    id="corner",
    name="The Corner",
    address="1 Elm Street",
    city="Springfield",
    state="IL",
    zip="62701",
    country="USA",
)
SML = (Size.SMALL, Size.MEDIUM, Size.LARGE)


def slug(name: str) -> str:
    """An id for a name: "Hot Wings" is "hot-wings"."""
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())


def extra(name: str, *aliases: str, actions: Iterable[ModifierAction] = tuple(ModifierAction)) -> Modifier:
    """A modifier as a menu lists it."""
    return Modifier(modifier_id=slug(name), name=name, aliases=aliases, actions=tuple(actions))


def dish(  # noqa: PLR0913 - every part of a menu item, named
    name: str,
    *modifiers: str | Modifier,
    sizes: tuple[Size, ...] = (Size.REGULAR,),
    default: Size | None = None,
    aliases: tuple[str, ...] = (),
    category: CategoryName = CategoryName.SNACKS_SIDES,
    available: bool = True,
) -> Item:
    """A menu item. Its default size is the first one unless another is given."""
    return Item(
        item_id=slug(name),
        name=name,
        category_name=category,
        default_size=default or sizes[0],
        available_sizes=sizes,
        available_modifiers=tuple(extra(m) if isinstance(m, str) else m for m in modifiers),
        aliases=aliases,
        available=available,
    )


def menu_of(*items: Item, menu_id: str = "corner-menu") -> Menu:
    """A menu of these items."""
    return Menu(menu_id=menu_id, menu_name="Corner Menu", menu_version="1", location=CORNER, items=items)


def shop(*items: Item) -> Catalog:
    """The catalogue of a shop that sells these items."""
    return Catalog(menu_of(*items))


def menu_dict(menu: Menu) -> dict[str, Any]:
    """The menu as a menu file has it."""
    return menu.model_dump(mode="json")


def write_menu(folder: Path, *items: Item, name: str = "menu.json") -> str:
    """Write a menu file and give its path."""
    from orchestrator.menu_files import save_menu

    path = folder / name
    save_menu(menu_of(*items), path)
    return str(path)


def as_json(data: Any) -> str:
    """Data as a tool's message carries it."""
    return json.dumps(data, ensure_ascii=False)
