r"""Menu files as CSV, for a spreadsheet: a heading row, then one row for each fact.

The `record` column says what a row is; a row about the menu or its location has its value under `name`:

    record         name         item_id     modifier_id  ...  available_sizes       aliases
    menu_id        lunch-menu
    location.city  Springfield
    item           Coffee       coffee-001                     small; medium; large  joe
    modifier       Cream        coffee-001  cream                                    creamer

A modifier names its item, so rows may be sorted. Lists are separated by `;`, where `\;` is a semicolon in a
name and `\\` a backslash. An empty cell leaves a field at its default. Columns may come in any order.
"""

import csv
import io
import re
from typing import Any

from orchestrator.menu_findings import Findings, Record
from orchestrator.models import Location, Menu

HEADINGS = (
    "record",
    "name",
    "item_id",
    "modifier_id",
    "category_name",
    "default_size",
    "available_sizes",
    "aliases",
    "actions",
    "available",
)
REQUIRED_HEADINGS = frozenset({"record", "name", "item_id", "category_name", "default_size"})

_MENU_ROWS = tuple(name for name in Menu.model_fields if name not in {"location", "items"})
_LOCATION_ROWS = tuple(f"location.{name}" for name in Location.model_fields)
_RECORDS = (*_MENU_ROWS, *_LOCATION_ROWS, "item", "modifier")
_TEXTS = frozenset({"name", "item_id", "modifier_id"})
_LISTS = frozenset({"available_sizes", "aliases", "actions"})
_TRUTH = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def document_from_csv(text: str, findings: Findings) -> Record:
    """The document that a CSV text holds; rows that say nothing about a menu go to `findings`.

    The separator is the one most frequent in the heading row: comma, semicolon or tab.

    Raises:
        MenuError: it is not CSV, or its heading row is not a menu's.
    """
    first = text.lstrip().split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise findings.fatal(f"is not CSV: {error}") from None
    top = next((number for number, row in enumerate(rows) if any(row)), 0)
    headings = _headings(rows[top], findings)
    document = Record([("items", [])])
    modifiers: list[tuple[str, Record]] = []
    for number, row in enumerate(rows[top + 1 :], start=top + 2):
        if any(cell.strip() for cell in row):
            _read_row(_cells(headings, row, f"row {number}", findings), document, modifiers, findings)
    _attach(document["items"], modifiers, findings)
    return document


def document_to_csv(document: dict[str, Any]) -> str:
    """A CSV text (RFC 4180: commas, CRLF) that a spreadsheet opens as it is."""
    metadata = document["metadata"]
    rows = [{"record": name, "name": metadata[name]} for name in _MENU_ROWS]
    rows += [{"record": f"location.{name}", "name": text} for name, text in metadata["location"].items()]
    for item in document["items"]:
        rows.append(_row("item", item))
        rows += [
            _row("modifier", modifier) | {"item_id": item["item_id"]}
            for modifier in item.get("available_modifiers", ())
        ]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, HEADINGS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _headings(row: list[str], findings: Findings) -> list[str]:
    headings = [cell.strip().lower() for cell in row]
    if lacking := sorted(REQUIRED_HEADINGS - set(headings)):
        raise findings.fatal(
            f"is not a menu: the first row must hold the headings, and lacks {', '.join(lacking)}"
        )
    for name in HEADINGS:
        if headings.count(name) > 1:
            raise findings.fatal(f"has two columns headed '{name}'")
    for name in headings:
        if name and name not in HEADINGS:
            findings.warning(
                None, name, f"is unknown here and ignored; the headings are: {', '.join(HEADINGS)}"
            )
    return headings


def _cells(headings: list[str], row: list[str], where: str, findings: Findings) -> Record:
    if any(cell.strip() for cell in row[len(headings) :]):
        message = "has more cells than there are headings; put quotes around a name that holds the separator"
        findings.problem(None, "(row)", message, where)
    named = zip(headings, row, strict=False)
    return Record(((name, cell) for name, cell in named if name in HEADINGS), where)


def _read_row(
    cells: Record, document: Record, modifiers: list[tuple[str, Record]], findings: Findings
) -> None:
    record = cells.pop("record", "").strip()
    if record in _MENU_ROWS:
        document.put(record, cells.get("name", ""))
    elif record in _LOCATION_ROWS:
        location = document.setdefault("location", Record())
        location.put(record.removeprefix("location."), cells.get("name", ""))
    elif record == "item":
        document["items"].append(_fields(cells))
    elif record == "modifier":
        owner = cells.pop("item_id", "").strip()
        modifiers.append((owner, _fields(cells)))
    else:
        message = f"is '{record[:40]}'; it must be one of: {', '.join(_RECORDS)}"
        findings.problem(None, "record", message, cells.where)


def _fields(cells: Record) -> Record:
    """The fields that a row sets, its lists taken apart."""
    fields = Record(where=cells.where)
    for name, cell in cells.items():
        if name in _TEXTS:
            if cell:
                fields.put(name, cell)
        elif word := cell.strip():
            fields.put(name, _value(name, word))
    return fields


def _value(name: str, cell: str) -> object:
    if name == "aliases":
        return _split(cell)
    if name in _LISTS:
        return [part.strip() for part in _split(cell)]
    return _TRUTH.get(cell.lower(), cell) if name == "available" else cell


def _attach(items: list[Record], modifiers: list[tuple[str, Record]], findings: Findings) -> None:
    owners: dict[str, Record] = {}
    for item in items:
        owners.setdefault(str(item.get("item_id", "")).strip(), item)
    for owner, modifier in modifiers:
        if owner in owners:
            owners[owner].setdefault("available_modifiers", []).append(modifier)
        else:
            message = (
                f"is '{owner}', which no item row has"
                if owner
                else "is missing: which item does this modifier change?"
            )
            findings.problem(None, "item_id", message, modifier.where)


def _row(record: str, fields: dict[str, Any]) -> dict[str, str]:
    return {"record": record} | {name: _cell(value) for name, value in fields.items() if name in HEADINGS}


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(re.sub(r"([\\;])", r"\\\1", part) for part in value)
    return str(value)


def _split(cell: str) -> list[str]:
    parts = [
        re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL)
        for part in re.findall(r"(?:\\.|[^;\\]|\\$)+", cell, re.DOTALL)
    ]
    return [part for part in parts if part.strip()]
