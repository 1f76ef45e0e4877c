"""The rules of a menu file, whatever its format: a document in, a menu and everything wrong out.

A *document* is what a file says before it is believed: nested dicts and lists in the JSON file's shape,
`{"metadata": {...}, "items": [...]}`, or with the menu's own fields at the top. Pydantic validates each
field; the rules that join fields are checked here on the raw document, so that one bad field does not
hide another problem.
"""

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from orchestrator.enums import ModifierAction, Size
from orchestrator.menu_findings import Findings, described, place, shortened, stripped
from orchestrator.models import Item, Location, Menu, Modifier

ORDER_FIELDS: dict[type[BaseModel], frozenset[str]] = {
    Item: frozenset({"size", "quantity", "modifiers"}),
    Modifier: frozenset({"action"}),
}
"""Fields that only an order line uses. A menu file may carry them (the seed's do); they say nothing there."""

_MESSAGES = {
    "missing": "is missing",
    "string_type": "must be text, not {shown}",
    "string_too_short": "must not be empty",
    "string_unicode": "holds characters that are not valid text",
    "tuple_type": "must be a list, not {shown}",
    "too_short": "must list at least one",
    "model_type": "must be an object with named fields, not {shown}",
    "greater_than_equal": "must be a whole number of at least 1, not {shown}",
    "int_type": "must be a whole number of at least 1, not {shown}",
    "int_parsing": "must be a whole number of at least 1, not {shown}",
    "int_from_float": "must be a whole number of at least 1, not {shown}",
}
_SAID_BY_OTHERS = frozenset({"default_factory_not_called", "bool_type", "bool_parsing"})

_ALL_FIELDS = {name for model in (Menu, Location, Item, Modifier) for name in model.model_fields}

_Path = tuple[int | str, ...]


def examine(document: object, findings: Findings) -> Menu | None:
    """The menu that a document describes, or None after noting why it is none.

    Raises:
        MenuError: the document is not an object at all.
    """
    if not isinstance(document, dict):
        raise findings.fatal("must be an object with 'metadata' and 'items'")
    fields, prefix, has_metadata = _fields(document, findings)
    _check_items(fields.get("items"), findings)
    try:
        menu = Menu.model_validate(fields)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            if has_metadata or detail["loc"][:1] == ("items",):
                _report(dict(detail), fields, prefix, findings)
        if not findings.problems:
            findings.problem(None, "(file)", f"is not a menu: {error.errors()[0]['msg']}")
        return None
    if findings.problems:
        return None
    return menu.model_copy(update={"items": tuple(menu_entry(item) for item in menu.items)})


def menu_entry(item: Item) -> Item:
    """The item without what only an order line says: chosen size, quantity and modifiers."""
    modifiers = tuple(m.model_copy(update={"action": ModifierAction.ADD}) for m in item.available_modifiers)
    chosen = {"size": item.default_size, "quantity": 1, "modifiers": (), "available_modifiers": modifiers}
    return item.model_copy(update=chosen)


def _fields(document: dict[str, Any], findings: Findings) -> tuple[dict[str, Any], str, bool]:
    """The menu's fields, what to put before the name of a metadata field, and whether there are any."""
    metadata = document.get("metadata")
    own = set(Menu.model_fields)
    if not isinstance(metadata, dict):
        nested = "metadata" in document or not (own - {"items"}) & set(document)
        if nested:
            wrong = f"must be an object with named fields, not {described(metadata)}"
            findings.problem(None, "metadata", wrong if "metadata" in document else "is missing")
        _check_fields(document, own | {"metadata", "$schema"}, (None, ""), findings)
        _check_location(document, "", findings)
        return document, "", not nested
    _check_fields(document, {"metadata", "items", "$schema"}, (None, ""), findings)
    _check_fields(metadata, own - {"items"}, (None, "metadata."), findings)
    _check_location(metadata, "metadata.", findings)
    items = {"items": document["items"]} if "items" in document else {}
    return {**{name: metadata[name] for name in metadata if name != "items"}, **items}, "metadata.", True


def _check_location(metadata: dict[str, Any], prefix: str, findings: Findings) -> None:
    location = metadata.get("location")
    if isinstance(location, dict):
        _check_fields(location, set(Location.model_fields), (None, f"{prefix}location."), findings)


def _check_items(listed: object, findings: Findings) -> None:
    items = listed if isinstance(listed, list) else []
    findings.labels = [_label(index, item) for index, item in enumerate(items)]
    for index, item in enumerate(items):
        if isinstance(item, dict):
            _check_item(index, item, findings)
    _check_ids(items, findings)
    _check_names(items, findings)


def _check_item(index: int, item: dict[str, Any], findings: Findings) -> None:
    where = place(item)
    _check_fields(item, set(Item.model_fields), (index, ""), findings)
    _check_order_fields(item, Item, (index, ""), findings)
    _check_aliases(item, (index, ""), findings)
    if "available" in item and not isinstance(item["available"], bool):
        findings.problem(
            index, "available", f"must be true or false, not {described(item['available'])}", where
        )
    sizes, default = item.get("available_sizes"), item.get("default_size")
    if isinstance(sizes, list) and sizes and default in list(Size) and default not in sizes:
        listed = ", ".join(str(size) for size in sizes)
        findings.problem(
            index, "default_size", f"is '{default}', which is not among available_sizes ({listed})", where
        )
    modifiers = item.get("available_modifiers")
    _check_modifiers(index, modifiers if isinstance(modifiers, list) else [], findings)


def _check_modifiers(index: int, modifiers: Sequence[Any], findings: Findings) -> None:
    first: dict[str, int] = {}
    for position, modifier in enumerate(modifiers):
        if not isinstance(modifier, dict):
            continue
        site = (index, f"available_modifiers[{position}].")
        _check_fields(modifier, set(Modifier.model_fields), site, findings)
        _check_order_fields(modifier, Modifier, site, findings)
        _check_aliases(modifier, site, findings)
        identity = stripped(modifier.get("modifier_id"))
        if identity and first.setdefault(identity, position) != position:
            message = f"'{identity}' is already the modifier_id of available_modifiers[{first[identity]}]"
            findings.problem(index, f"{site[1]}modifier_id", message, place(modifier))


def _check_aliases(record: dict[str, Any], site: tuple[int, str], findings: Findings) -> None:
    aliases = record.get("aliases")
    seen: set[str] = set()
    for position, alias in enumerate(aliases if isinstance(aliases, list) else []):
        if not isinstance(alias, str):
            continue
        spoken = alias.strip().casefold()
        if not spoken:
            findings.problem(site[0], f"{site[1]}aliases[{position}]", "must not be empty", place(record))
        elif spoken in seen:
            findings.warning(
                site[0], f"{site[1]}aliases[{position}]", f"'{alias}' is listed twice", place(record)
            )
        seen.add(spoken)


def _check_ids(items: Sequence[Any], findings: Findings) -> None:
    first: dict[str, int] = {}
    for index, item in enumerate(items):
        identity = stripped(item.get("item_id")) if isinstance(item, dict) else ""
        if identity and first.setdefault(identity, index) != index:
            message = f"'{identity}' is already the item_id of items[{first[identity]}]"
            name = stripped(items[first[identity]].get("name"))
            findings.problem(index, "item_id", f"{message} ('{name}')" if name else message, place(item))


def _check_names(items: Sequence[Any], findings: Findings) -> None:
    """Warn where two items answer to the same words: a customer saying them is asked which one."""
    owners: dict[str, int] = {}
    for index, item in enumerate(items):
        for path, name in _spoken_names(item):
            owner = owners.setdefault(name.strip().casefold(), index)
            if owner != index and name.strip():
                findings.warning(index, path, f"'{name}' also names {findings.labels[owner]}", place(item))


def _spoken_names(item: object) -> Iterator[tuple[str, str]]:
    if not isinstance(item, dict):
        return
    if isinstance(item.get("name"), str):
        yield "name", item["name"]
    aliases = item.get("aliases")
    for position, alias in enumerate(aliases if isinstance(aliases, list) else []):
        if isinstance(alias, str):
            yield f"aliases[{position}]", alias


def _check_fields(
    record: dict[str, Any], known: set[str], site: tuple[int | None, str], findings: Findings
) -> None:
    index, prefix = site
    for name in getattr(record, "doubled", ()):
        findings.problem(index, f"{prefix}{name}", "is written twice", place(record))
    for name in record:
        if name not in known:
            close = difflib.get_close_matches(name, sorted(known), n=1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            findings.warning(
                index, f"{prefix}{shortened(name)}", f"is unknown here and ignored{hint}", place(record)
            )


def _check_order_fields(
    record: dict[str, Any], model: type[BaseModel], site: tuple[int, str], findings: Findings
) -> None:
    unsaid: dict[str, tuple[object, ...]] = {
        "size": (None, record.get("default_size")),
        "quantity": (1,),
        "modifiers": ([],),
        "action": (ModifierAction.ADD,),
    }
    for name in sorted(ORDER_FIELDS[model] & set(record)):
        if record[name] not in unsaid[name]:
            message = "is ignored: it belongs on an order, not on a menu"
            findings.warning(site[0], f"{site[1]}{name}", message, place(record))


def _report(detail: dict[str, Any], fields: dict[str, Any], prefix: str, findings: Findings) -> None:
    """Note one of pydantic's errors in plain words, unless a check of this module says it better."""
    location: _Path = detail["loc"]
    is_item = len(location) > 1 and location[0] == "items"
    index = int(location[1]) if is_item else None
    path = _dotted(location[2:]) or "(item)" if is_item else _dotted(location)
    joins_fields = detail["type"] == "value_error" and len(location) == (2 if is_item else 0)
    emptied = detail["type"] == "too_short" and bool(detail["input"])  # by its own bad entries
    if detail["type"] in _SAID_BY_OTHERS or joins_fields or emptied:
        return
    parent, where = _nearest(fields, location)
    message = _message(detail)
    if detail["type"] == "missing":
        message += _meant(str(location[-1]), parent)
    findings.problem(index, path if is_item or location[0] == "items" else f"{prefix}{path}", message, where)


def _message(detail: dict[str, Any]) -> str:
    shown = described(detail["input"])
    if detail["type"] == "enum":
        return f"is {shown}; it must be one of: {str(detail['ctx']['expected']).replace(chr(39), '')}"
    plain = _MESSAGES.get(detail["type"])
    return plain.format(shown=shown) if plain else str(detail["msg"]).removeprefix("Value error, ")


def _meant(name: str, parent: dict[str, Any]) -> str:
    strangers = [key for key in parent if key not in _ALL_FIELDS]
    close = difflib.get_close_matches(name, strangers, n=1)
    return f"; is '{close[0]}' meant to be it?" if close else ""


def _nearest(fields: dict[str, Any], location: _Path) -> tuple[dict[str, Any], str]:
    """The object that holds what `location` points to, and where the innermost placed one stands."""
    node: Any = fields
    holder, where = fields, place(fields)
    for step in location[:-1]:
        node = node[step]
        if isinstance(node, dict):
            holder, where = node, place(node) or where
    return holder, where


def _dotted(location: _Path) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in location)
    return "".join(steps).removeprefix(".")


def _label(index: int, item: object) -> str:
    known = item if isinstance(item, dict) else {}
    return stripped(known.get("item_id")) or stripped(known.get("name")) or f"items[{index}]"
