"""Menu files as XML: attributes for single values, elements for lists, described by `schemas/menu.xsd`.

<menu menu_id="lunch" menu_name="Lunch" menu_version="1">
  <location id="1" name="Main Street" .../>
  <item item_id="coffee-001" name="Coffee" category_name="beverages" default_size="small"
        available_sizes="small large">
    <alias>joe</alias>
    <modifier modifier_id="cream" name="Cream" actions="add no"/>
  </item>
</menu>
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.menu_findings import Findings, Record
from orchestrator.models import Item, Location, Menu, Modifier

if TYPE_CHECKING:
    from lxml import etree

SCHEMA = Path(__file__).parent / "schemas" / "menu.xsd"

_CHILDREN = {
    "menu": {"item": "items"},
    "location": {},
    "item": {"alias": "aliases", "modifier": "available_modifiers"},
    "modifier": {"alias": "aliases"},
}
_FIELDS = {
    "menu": frozenset(Menu.model_fields),
    "location": frozenset(Location.model_fields),
    "item": frozenset(Item.model_fields),
    "modifier": frozenset(Modifier.model_fields),
}
_WORD_LISTS = frozenset({"available_sizes", "actions"})
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


def document_from_xml(text: str, findings: Findings) -> Record:
    """The document that an XML text holds; what the schema objects to goes to `findings`.

    Document types and entities are refused before parsing, so nothing is ever expanded or fetched.

    Raises:
        MenuError: it is not XML, or not a `<menu>`.
    """
    from lxml import etree  # noqa: PLC0415 - start-up time

    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise findings.fatal("declares a document type or entities, which a menu file must not")
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        reason = " ".join((error.msg or "nothing in it can be read").split())
        raise findings.fatal(f"is not XML: {reason}") from None
    if root.tag != "menu":
        raise findings.fatal(f"must hold a <menu> element, not <{etree.QName(root).localname}>")
    document = _record(root)
    _validate(root, findings)
    return document


def document_to_xml(document: dict[str, Any], findings: Findings) -> str:
    """An XML text valid against `menu.xsd`. Characters that XML cannot carry go to `findings`."""
    from lxml import etree  # noqa: PLC0415 - start-up time

    root = etree.Element("menu")
    metadata = dict(document["metadata"])
    location = metadata.pop("location")
    unable = "holds a control character, which XML cannot carry"
    try:
        root.attrib.update(metadata)
        _append(root, "location", location)
    except ValueError:
        findings.problem(None, "metadata", unable)
    for index, item in enumerate(document["items"]):
        try:
            _append(root, "item", item)
        except ValueError:
            findings.problem(index, "(item)", unable)
    text = etree.tostring(root, pretty_print=True, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'


def _record(element: "etree._Element") -> Record:
    """An element as a record. What no menu has is kept there for a warning and taken out of the tree."""
    tag = str(element.tag)
    record = Record(where=f"line {element.sourceline}")
    for name, value in element.attrib.items():
        record.put(str(name), _value(str(name), str(value)))
        if name not in _FIELDS[tag]:
            del element.attrib[name]
    for child in list(element):
        name = str(child.tag)
        if listed := _CHILDREN[tag].get(name):
            if not isinstance(record.get(listed), list):
                record.put(listed, [])
            record[listed].append(_record(child) if name in _FIELDS else child.text or "")
        else:
            record.put(name, _record(child) if name in _FIELDS else child.text or "")
            if name not in _FIELDS[tag]:
                element.remove(child)
    return record


def _value(name: str, text: str) -> object:
    if name in _WORD_LISTS:
        return text.split()
    return _TRUTH.get(text.strip(), text) if name == "available" else text


def _validate(root: "etree._Element", findings: Findings) -> None:
    from lxml import etree  # noqa: PLC0415 - start-up time

    schema = etree.XMLSchema(file=str(SCHEMA))
    if schema.validate(root):
        return
    for entry in schema.error_log:
        found = re.match(r"/menu/item(?:\[(\d+)\])?", entry.path or "")
        index = int(found[1] or 1) - 1 if found else None
        findings.objection(index, "(element)", entry.message.rstrip("."), f"line {entry.line}")


def _append(parent: "etree._Element", tag: str, record: dict[str, Any]) -> None:
    children = {name: child for child, name in _CHILDREN[tag].items()}
    attributes = {name: _attribute(value) for name, value in record.items() if name not in children}
    element = parent.makeelement(tag, attributes)
    for name, child in children.items():
        for value in record.get(name, ()):
            if isinstance(value, str):
                leaf = element.makeelement(child)
                leaf.text = value
                element.append(leaf)
            else:
                _append(element, child, value)
    parent.append(element)


def _attribute(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(value) if isinstance(value, list) else str(value)
