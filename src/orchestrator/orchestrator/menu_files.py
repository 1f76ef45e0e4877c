"""Menu files: JSON, XML and CSV, told apart by the file's ending and all giving equal `Menu`s.

    load_menu(path)      the menu, or one `MenuError` with every problem
    check_menu(path)     every problem, for a person; empty when the file can be used
    menu_warnings(path)  what loading ignores but was hardly meant, such as a misspelt field
    save_menu(menu, path)

The JSON file holds `{"metadata": {...}, "items": [...]}`; see `menu_xml` and `menu_csv` for the others.
"""

import json
from pathlib import Path
from typing import Any

from orchestrator.errors import MenuError, MenuProblem
from orchestrator.menu_check import ORDER_FIELDS, examine, menu_entry
from orchestrator.menu_csv import document_from_csv, document_to_csv
from orchestrator.menu_findings import Findings, Record
from orchestrator.menu_xml import document_from_xml, document_to_xml
from orchestrator.models import ALL_ACTIONS, Item, Menu, Modifier

MAX_BYTES = 32 * 1024 * 1024
"""A larger file is no menu: 5,000 items with their modifiers take about 5 MB."""

JSON_WIDTH = 140
FORMATS = (".json", ".xml", ".csv")


def load_menu(path: str | Path) -> Menu:
    """The menu that a JSON, XML or CSV file describes. Fields that no menu has are ignored.

    Raises:
        MenuError: the file cannot be read or breaks a rule; it lists every problem.
    """
    findings = Findings(str(path))
    menu = _read(Path(path), findings)
    if menu is None:
        raise MenuError(findings.problems)
    return menu


def check_menu(path: str | Path) -> list[MenuProblem]:
    """Everything that forbids the use of a menu file, in file order; empty when `load_menu` accepts it."""
    findings = Findings(str(path))
    try:
        _read(Path(path), findings)
    except MenuError as error:
        return error.problems
    return findings.problems


def menu_warnings(path: str | Path) -> list[MenuProblem]:
    """What a usable menu file says in vain or in two voices.

    Unknown fields (with the one probably meant), fields that only an order uses, words that name two items.
    Empty when the file cannot be taken apart at all: `check_menu` says why.
    """
    findings = Findings(str(path))
    try:
        _read(Path(path), findings)
    except MenuError:
        return []
    return findings.warnings


def save_menu(menu: Menu, path: str | Path) -> None:
    """Write a menu in the format of the file's ending; `load_menu` gives an equal one back.

    Fields at their default are left out.

    Raises:
        MenuError: the menu would not survive the journey, or the file cannot be written.
    """
    target, findings = Path(path), Findings(str(path))
    ending = _ending(target, findings)
    document = menu_document(menu)
    if examine(document, findings) != menu:
        _refuse_order_fields(menu, findings)
    text = ""
    if not findings.problems:
        text = _write(document, ending, findings)
    if findings.problems:
        raise MenuError(findings.problems)
    try:
        target.write_bytes(text.encode())
    except (OSError, ValueError) as error:
        raise findings.fatal(f"cannot be written: {_reason(error)}") from None


def menu_document(menu: Menu) -> dict[str, Any]:
    """The menu in the JSON file's shape, without the fields that equal their default."""
    metadata = menu.model_dump(mode="json", exclude={"items"})
    return {"metadata": metadata, "items": [_item_document(item) for item in menu.items]}


def menu_json_schema() -> dict[str, Any]:
    """The JSON Schema of a menu file, from the domain model (`schemas/menu.schema.json` is its copy)."""
    schema = Menu.model_json_schema()
    fields, definitions = schema["properties"], schema["$defs"]
    for model in (Item, Modifier):
        for name in ORDER_FIELDS[model]:
            del definitions[model.__name__]["properties"][name]
    for definition in definitions.values():
        del definition["title"], definition["description"]
    items = fields.pop("items")
    required = [name for name in schema["required"] if name != "items"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Menu file",
        "type": "object",
        "properties": {
            "metadata": {"type": "object", "properties": fields, "required": required},
            "items": items,
        },
        "required": ["metadata", "items"],
        "$defs": definitions,
    }


def _read(path: Path, findings: Findings) -> Menu | None:
    ending = _ending(path, findings)
    text = _text(path, findings)
    document: object
    if ending == ".json":
        document = _document_from_json(text, findings)
    else:
        document = (document_from_xml if ending == ".xml" else document_from_csv)(text, findings)
    return examine(document, findings)


def _write(document: dict[str, Any], ending: str, findings: Findings) -> str:
    if ending == ".xml":
        return document_to_xml(document, findings)
    return document_to_csv(document) if ending == ".csv" else f"{_json(document, 0, expand=True)}\n"


def _ending(path: Path, findings: Findings) -> str:
    if path.suffix.lower() not in FORMATS:
        raise findings.fatal(f"must end in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    return path.suffix.lower()


def _text(path: Path, findings: Findings) -> str:
    try:
        if path.is_dir():
            raise findings.fatal("is a directory, not a file")
        if path.exists() and not path.is_file():
            raise findings.fatal("is not a regular file")
        if path.stat().st_size > MAX_BYTES:
            raise findings.fatal(f"is larger than {MAX_BYTES // 2**20} MB, too large for a menu")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise findings.fatal(f"is not UTF-8 text (at byte {error.start + 1}); save it as UTF-8") from None
    except FileNotFoundError:
        raise findings.fatal("does not exist") from None
    except (OSError, ValueError) as error:
        raise findings.fatal(f"cannot be read: {_reason(error)}") from None
    if not text.strip():
        raise findings.fatal("is empty")
    return text


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def _document_from_json(text: str, findings: Findings) -> object:
    try:
        return json.loads(text, object_pairs_hook=Record, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise findings.fatal(
            f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None
    except ValueError as error:
        raise findings.fatal(f"is not JSON: {error}") from None
    except RecursionError:
        raise findings.fatal("is nested too deeply to be a menu") from None


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON value")


def _json(value: Any, indent: int, *, expand: bool = False) -> str:
    """JSON that reads well: what fits on a line stays on one."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or (not expand and indent + len(flat) < JSON_WIDTH):
        return flat
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(name, ensure_ascii=False)}: {_json(part, indent + 2)}"
            for name, part in value.items()
        ]
    else:
        parts = [_json(part, indent + 2) for part in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(parts) + f"\n{' ' * indent}{closing}"


def _item_document(item: Item) -> dict[str, Any]:
    document: dict[str, Any] = item.model_dump(
        mode="json", include={"item_id", "name", "category_name", "default_size"}
    )
    if item.available_sizes != (item.default_size,):
        document["available_sizes"] = [str(size) for size in item.available_sizes]
    if item.aliases:
        document["aliases"] = list(item.aliases)
    if not item.available:
        document["available"] = False
    return document | {
        "available_modifiers": [_modifier_document(modifier) for modifier in item.available_modifiers]
    }


def _modifier_document(modifier: Modifier) -> dict[str, Any]:
    document: dict[str, Any] = {"modifier_id": modifier.modifier_id, "name": modifier.name}
    if modifier.actions != ALL_ACTIONS:
        document["actions"] = [str(action) for action in modifier.actions]
    if modifier.aliases:
        document["aliases"] = list(modifier.aliases)
    return document


def _refuse_order_fields(menu: Menu, findings: Findings) -> None:
    for index, item in enumerate(menu.items):
        if item != menu_entry(item):
            message = "chooses a size, quantity or modifiers, which belong on an order, not on a menu"
            findings.problem(index, "(item)", message)
    if not findings.problems:
        findings.problem(None, "(menu)", "cannot be written so that it reads back equal")
