"""Reading, checking and writing menu files."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from orchestrator.enums import CategoryName, ModifierAction, Size
from orchestrator.errors import MenuError, MenuProblem
from orchestrator.menu_files import (
    MAX_BYTES,
    check_menu,
    load_menu,
    menu_document,
    menu_json_schema,
    menu_warnings,
    save_menu,
)
from orchestrator.menu_xml import SCHEMA
from orchestrator.models import Item, Location, Menu, Modifier

FORMATS = ["json", "xml", "csv"]
LOCATION = {
    "id": "1",
    "name": "Harbour",
    "address": "1 Quay",
    "city": "Port",
    "state": "ME",
    "zip": "04101",
    "country": "USA",
}
METADATA = {"menu_id": "toast-bar", "menu_name": "Toast Bar", "menu_version": "1", "location": LOCATION}
TOAST: dict[str, Any] = {
    "item_id": "toast-001",
    "name": "Toast",
    "category_name": "breakfast",
    "default_size": "regular",
    "available_modifiers": [{"modifier_id": "jam", "name": "Jam"}, {"modifier_id": "honey", "name": "Honey"}],
}
COCOA: dict[str, Any] = {
    "item_id": "cocoa-001",
    "name": "Cocoa",
    "category_name": "beverages",
    "default_size": "small",
    "available_sizes": ["small", "large"],
    "aliases": ["hot cocoa"],
}
CSV_TOP = (
    "record,name,item_id,modifier_id,category_name,default_size,available_sizes,aliases,actions,available\n"
    "menu_id,toast-bar\nmenu_name,Toast Bar\nmenu_version,1\nlocation.id,1\nlocation.name,Harbour\n"
    "location.address,1 Quay\nlocation.city,Port\nlocation.state,ME\nlocation.zip,04101\n"
    "location.country,USA\n"
)
XML_TOP = '<menu menu_id="toast-bar" menu_name="Toast Bar" menu_version="1">\n<location {}/>\n'.format(
    " ".join(f"{name}={quoteattr(value)}" for name, value in LOCATION.items())
)


def document(*items: Any, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {**METADATA, **metadata}, "items": list(items)}


def written(folder: Path, content: Any, name: str = "menu.json") -> Path:
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def found(path: Path) -> list[tuple[str, str, str]]:
    return [(problem.item, problem.field, problem.message) for problem in check_menu(path)]


def warned(path: Path) -> list[tuple[str, str, str]]:
    return [(warning.item, warning.field, warning.message) for warning in menu_warnings(path)]


# What can be read


def test_seed_format_loads_as_the_domain_reads_it(tmp_path: Path) -> None:
    """A file of the seed's shape, with order fields at their defaults, gives what Menu.from_dict gives."""
    seed = document({**TOAST, "size": None, "quantity": 1, "modifiers": []}, COCOA)
    path = written(tmp_path, seed)
    assert load_menu(path) == Menu.from_dict(seed)
    assert check_menu(path) == []
    assert menu_warnings(path) == []


def test_a_menu_of_its_own_fields_loads(tmp_path: Path) -> None:
    """Metadata may stand at the top of the file, as Menu.from_dict allows."""
    assert load_menu(written(tmp_path, {**METADATA, "items": [TOAST]})) == Menu.from_dict(document(TOAST))


def test_a_path_may_be_a_string(tmp_path: Path) -> None:
    """A path given as text works and is named in problems as it was given."""
    path = str(written(tmp_path, "[]"))
    assert check_menu(path) == [
        MenuProblem(path, "(menu)", "(file)", "must be an object with 'metadata' and 'items'")
    ]


@pytest.mark.parametrize("ending", FORMATS)
def test_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path, ending: str) -> None:
    """What Windows programs add to a text file changes nothing."""
    menu = Menu.from_dict(document(TOAST, COCOA))
    path = tmp_path / f"menu.{ending.upper()}"
    save_menu(menu, path)
    text = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + text)
    assert load_menu(path) == menu


@pytest.mark.parametrize("separator", [";", "\t"])
def test_spreadsheets_of_other_countries_are_read(tmp_path: Path, separator: str) -> None:
    """A CSV file may be separated by semicolons or tabs."""
    text = CSV_TOP + 'item,Toast,toast-001,,breakfast,regular,,"bread, toasted",,\n'
    rows = text.replace('"bread, toasted"', "bread| toasted").replace(",", separator).replace("|", ",")
    menu = load_menu(written(tmp_path, rows, "menu.csv"))
    assert menu.items[0].aliases == ("bread, toasted",)


def test_csv_rows_may_be_sorted(tmp_path: Path) -> None:
    """A modifier row finds its item wherever it stands, and the columns may come in any order."""
    text = (
        "name,record,item_id,modifier_id,default_size,category_name,actions\n"
        "Jam,modifier,toast-001,jam,,,add; no\n\nToast,item,toast-001,,regular,breakfast,\n"
    )
    metadata = "".join(f"{row.split(',')[1]},{row.split(',')[0]}\n" for row in CSV_TOP.splitlines()[1:])
    menu = load_menu(written(tmp_path, text + metadata, "menu.csv"))
    jam = Modifier(modifier_id="jam", name="Jam", actions=(ModifierAction.ADD, ModifierAction.NO))
    assert menu.items[0].available_modifiers == (jam,)


@pytest.mark.parametrize(
    ("cell", "available"), [("", True), ("yes", True), ("TRUE", True), ("No", False), ("0", False)]
)
def test_csv_availability_is_yes_or_no(tmp_path: Path, cell: str, *, available: bool) -> None:
    """Sold out is a plain no, however a spreadsheet writes it."""
    text = f"{CSV_TOP}item,Toast,toast-001,,breakfast,regular,,,,{cell}\n"
    assert load_menu(written(tmp_path, text, "menu.csv")).items[0].available is available


def test_xml_may_declare_another_encoding_than_it_has(tmp_path: Path) -> None:
    """Menu files are UTF-8; a declaration that says otherwise is not believed."""
    text = f'<?xml version="1.0" encoding="ISO-8859-1"?>{XML_TOP}<item item_id="c" name="Café" '
    path = written(tmp_path, f'{text}category_name="coffee-tea" default_size="small"/></menu>', "menu.xml")
    assert load_menu(path).items[0].name == "Café"


# What cannot be read


@pytest.mark.parametrize("ending", FORMATS)
def test_missing_file_is_one_problem(tmp_path: Path, ending: str) -> None:
    """A file that is not there is said in one sentence."""
    path = tmp_path / f"none.{ending}"
    assert check_menu(path) == [MenuProblem(str(path), "(menu)", "(file)", "does not exist")]


def test_directory_and_device_are_no_menu_files(tmp_path: Path) -> None:
    """Only a regular file is opened: a directory or a device with the right name is not."""
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    assert found(tmp_path / "folder.json") == [("(menu)", "(file)", "is a directory, not a file")]
    assert found(tmp_path / "zero.json") == [("(menu)", "(file)", "is not a regular file")]


def test_path_that_no_system_has_is_a_problem() -> None:
    """A path with a NUL in it is refused, not raised through."""
    (problem,) = found(Path("a\0b.json"))
    assert problem[:2] == ("(menu)", "(file)")
    assert problem[2].startswith("cannot be read: ")  # the reason is Python's, and differs between versions


@pytest.mark.parametrize("name", ["menu", "menu.yaml", "menu.json.bak"])
def test_other_endings_are_refused(tmp_path: Path, name: str) -> None:
    """The ending says the format, so another one is refused for reading and writing."""
    expected = "must end in .json, .xml or .csv"
    assert found(written(tmp_path, document(TOAST), name)) == [("(menu)", "(file)", expected)]
    with pytest.raises(MenuError, match=r"must end in \.json"):
        save_menu(Menu.from_dict(document(TOAST)), tmp_path / name)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("content", [b"", b" \r\n\t", b"\xef\xbb\xbf"])
def test_empty_file_is_one_problem(tmp_path: Path, ending: str, content: bytes) -> None:
    """A file without text is called empty in every format."""
    assert found(written(tmp_path, content, f"menu.{ending}")) == [("(menu)", "(file)", "is empty")]


@pytest.mark.parametrize("ending", FORMATS)
def test_latin_1_is_refused_with_the_remedy(tmp_path: Path, ending: str) -> None:
    """Bytes that are not UTF-8 are never guessed at."""
    path = written(tmp_path, "Crème".encode("latin-1"), f"menu.{ending}")
    assert found(path) == [("(menu)", "(file)", "is not UTF-8 text (at byte 3); save it as UTF-8")]


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize(
    "garbage", ["z" * 2**20, "{[<,;\"'\n" * 2**17, "\0" * 2**20, "1," * 2**19, '"' * 2**20]
)
def test_a_megabyte_of_garbage_is_one_problem(tmp_path: Path, ending: str, garbage: str) -> None:
    """Garbage gives one problem for the whole file, not one for each line."""
    problems = found(written(tmp_path, garbage, f"menu.{ending}"))
    assert [problem[:2] for problem in problems] == [("(menu)", "(file)")]
    assert len(problems[0][2]) < 200


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("json", "[" * 100_000),
        ("json", '{"items":' * 100_000),
        ("xml", "<menu>" * 100_000),
        ("csv", '"a' * 100_000),
    ],
)
def test_deep_nesting_is_one_problem(tmp_path: Path, ending: str, text: str) -> None:
    """No depth of nesting exhausts the stack."""
    assert [problem[:2] for problem in found(written(tmp_path, text, f"menu.{ending}"))] == [
        ("(menu)", "(file)")
    ]


def test_huge_file_is_refused_unread(tmp_path: Path) -> None:
    """A file too large for a menu is refused by its size."""
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert found(path) == [("(menu)", "(file)", "is larger than 32 MB, too large for a menu")]


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_has_not_are_refused(tmp_path: Path, constant: str) -> None:
    """NaN and infinity are no JSON, wherever they stand."""
    path = written(tmp_path, f'{{"x": {constant}}}')
    assert found(path) == [("(menu)", "(file)", f"is not JSON: {constant} is not a JSON value")]


def test_json_syntax_error_has_its_place(tmp_path: Path) -> None:
    """A syntax error says line and column."""
    path = written(tmp_path, '{"metadata": {},\n "items": [}')
    assert found(path) == [("(menu)", "(file)", "is not JSON: Expecting value at line 2, column 12")]


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE menu [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>',
        '<!DOCTYPE menu [<!ENTITY f SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE menu SYSTEM "menu.dtd">',
    ],
)
def test_xml_entities_and_document_types_are_refused(tmp_path: Path, declaration: str) -> None:
    """Nothing in an XML file is expanded or fetched: declaring it is enough to be refused."""
    path = written(tmp_path, f"{declaration}{XML_TOP}</menu>", "menu.xml")
    expected = "declares a document type or entities, which a menu file must not"
    assert found(path) == [("(menu)", "(file)", expected)]


def test_other_xml_is_no_menu(tmp_path: Path) -> None:
    """An XML file of another kind is one problem that names its root."""
    assert found(written(tmp_path, "<html/>", "menu.xml")) == [
        ("(menu)", "(file)", "must hold a <menu> element, not <html>")
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "lacks category_name, default_size, item_id, name, record"),
        (CSV_TOP.replace("aliases", "name", 1), "has two columns headed 'name'"),
        (CSV_TOP + 'item,"Toast\n', "is not CSV: unexpected end of data"),
    ],
)
def test_csv_that_is_no_table_of_a_menu(tmp_path: Path, text: str, message: str) -> None:
    """A CSV file needs the menu's headings, each once, and closed quotes."""
    assert check_menu(written(tmp_path, text, "menu.csv"))[0].message.endswith(message)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    content=st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))
)
@pytest.mark.parametrize("ending", FORMATS)
def test_no_content_raises_anything_but_a_menu_error(tmp_path: Path, ending: str, content: bytes) -> None:
    """Whatever a file holds, checking it gives problems and loading it a MenuError that lists the same."""
    path = written(tmp_path, content, f"menu.{ending}")
    problems = check_menu(path)
    assert problems
    with pytest.raises(MenuError) as raised:
        load_menu(path)
    assert raised.value.problems == problems
    assert menu_warnings(path) == [] or problems[0].field != "(file)"


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*TOAST, "aliases", "quantity", "metadata", "odd"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    where=st.sampled_from(["metadata", "items", "item", *TOAST, *COCOA, "modifiers", "size"]),
    value=JSON_VALUES,
)
def test_any_value_in_any_place_is_loaded_or_explained(tmp_path: Path, where: str, value: Any) -> None:
    """A menu with one value replaced by anything either loads as the domain reads it or has problems."""
    whole: dict[str, Any] = document({**TOAST, **COCOA, "available_modifiers": TOAST["available_modifiers"]})
    if where in {"metadata", "items"}:
        whole[where] = value
    elif where == "item":
        whole["items"].append(value)
    else:
        whole["items"][0][where] = value
    path = written(tmp_path, whole)
    problems = check_menu(path)
    if problems:
        assert not any(
            "pydantic" in str(problem) or "default_factory" in str(problem) for problem in problems
        )
    else:
        assert [item.item_id for item in load_menu(path).items] == [
            item.item_id for item in Menu.from_dict(whole).items
        ]


# Every problem, in plain words


BAD_ITEMS: list[tuple[dict[str, Any], str, str]] = [
    ({"name": 7}, "name", "must be text, not 7"),
    ({"name": None}, "name", "must be text, not nothing"),
    ({"name": "  "}, "name", "must not be empty"),
    ({"name": "\ud800"}, "name", "holds characters that are not valid text"),
    (
        {"default_size": "huge"},
        "default_size",
        "is 'huge'; it must be one of: snack, small, medium, large, regular or extra-large",
    ),
    (
        {"available_sizes": ["regular", "XL"]},
        "available_sizes[1]",
        "is 'XL'; it must be one of: snack, small, medium, large, regular or extra-large",
    ),
    ({"available_sizes": []}, "available_sizes", "must list at least one"),
    (
        {"available_sizes": ["small", "large"]},
        "default_size",
        "is 'regular', which is not among available_sizes (small, large)",
    ),
    ({"available_sizes": "regular"}, "available_sizes", "must be a list, not 'regular'"),
    ({"available": "maybe"}, "available", "must be true or false, not 'maybe'"),
    ({"available": 1}, "available", "must be true or false, not 1"),
    ({"quantity": 0}, "quantity", "must be a whole number of at least 1, not 0"),
    ({"quantity": "two"}, "quantity", "must be a whole number of at least 1, not 'two'"),
    ({"quantity": 1.5}, "quantity", "must be a whole number of at least 1, not 1.5"),
    ({"aliases": {"a": 1}}, "aliases", "must be a list, not an object"),
    ({"aliases": ["ok", 5]}, "aliases[1]", "must be text, not 5"),
    ({"aliases": [" "]}, "aliases[0]", "must not be empty"),
    ({"available_modifiers": [1]}, "available_modifiers[0]", "must be an object with named fields, not 1"),
    ({"available_modifiers": [{"modifier_id": "jam"}]}, "available_modifiers[0].name", "is missing"),
    (
        {"available_modifiers": [{"modifier_id": "jam", "nam": "Jam"}]},
        "available_modifiers[0].name",
        "is missing; is 'nam' meant to be it?",
    ),
    (
        {"available_modifiers": [{"modifier_id": "jam", "name": "Jam", "actions": ["less"]}]},
        "available_modifiers[0].actions[0]",
        "is 'less'; it must be one of: add, no, extra or light",
    ),
    (
        {
            "available_modifiers": [
                {"modifier_id": "jam", "name": "Jam"},
                {"modifier_id": "jam", "name": "Jelly"},
            ]
        },
        "available_modifiers[1].modifier_id",
        "'jam' is already the modifier_id of available_modifiers[0]",
    ),
    (
        {"modifiers": [{"modifier_id": "jam", "name": "Jam", "action": action} for action in ("no", "add")]},
        "modifiers",
        "a modifier is chosen with two different actions",
    ),
]


@pytest.mark.parametrize(("change", "field", "message"), BAD_ITEMS, ids=[case[2][:40] for case in BAD_ITEMS])
def test_each_wrong_field_is_one_problem(
    tmp_path: Path, change: dict[str, Any], field: str, message: str
) -> None:
    """A wrong field is reported once, naming item, field and what would be right."""
    path = written(tmp_path, document(COCOA, {**TOAST, **change}))
    assert found(path) == [("toast-001", field, message)]


@pytest.mark.parametrize("field", ["item_id", "name", "category_name", "default_size"])
def test_each_required_field_is_missed(tmp_path: Path, field: str) -> None:
    """A required field that is absent is one problem; the item is called by its id, else its name."""
    item = {name: value for name, value in TOAST.items() if name != field}
    label = "Toast" if field == "item_id" else "toast-001"
    assert found(written(tmp_path, document(item))) == [(label, field, "is missing")]


def test_nameless_item_is_called_by_its_place(tmp_path: Path) -> None:
    """An item with neither id nor name, and what is no item at all, are called by their place."""
    nameless = {"category_name": "breakfast", "default_size": "regular"}
    assert found(written(tmp_path, document(TOAST, nameless, "toast"))) == [
        ("items[1]", "item_id", "is missing"),
        ("items[1]", "name", "is missing"),
        ("items[2]", "(item)", "must be an object with named fields, not 'toast'"),
    ]


def test_every_problem_is_found_in_one_run(tmp_path: Path) -> None:
    """Rules that join fields or items are checked even where an item has bad fields besides."""
    content = document(
        {**TOAST, "name": ""},
        {**COCOA, "default_size": "medium", "category_name": "drinks"},
        {**TOAST, "item_id": "toast-001", "name": "Rye Toast"},
        menu_id=5,
        location={**LOCATION, "zip": 4101},
    )
    assert [problem[:2] for problem in found(written(tmp_path, content))] == [
        ("(menu)", "metadata.menu_id"),
        ("(menu)", "metadata.location.zip"),
        ("toast-001", "name"),
        ("cocoa-001", "default_size"),
        ("cocoa-001", "category_name"),
        ("toast-001", "item_id"),
    ]


def test_doubled_item_id_names_its_first_owner(tmp_path: Path) -> None:
    """Two items with one id are a problem of the second that says where the first is."""
    path = written(tmp_path, document(TOAST, {**COCOA, "item_id": " toast-001 "}))
    assert found(path) == [
        ("toast-001", "item_id", "'toast-001' is already the item_id of items[0] ('Toast')")
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"items": [TOAST]}, [("metadata", "is missing")]),
        ({"metadata": 3, "items": [TOAST]}, [("metadata", "must be an object with named fields, not 3")]),
        ({"metadata": METADATA}, [("items", "is missing")]),
        ({"metadata": METADATA, "items": []}, [("items", "must list at least one")]),
        ({"metadata": METADATA, "items": {"a": TOAST}}, [("items", "must be a list, not an object")]),
        ({"metadata": {**METADATA, "location": "here"}, "items": [TOAST]},
         [("metadata.location", "must be an object with named fields, not 'here'")]),
        ({}, [("metadata", "is missing"), ("items", "is missing")]),
    ],
)  # fmt: skip
def test_wrong_outer_shape(tmp_path: Path, content: Any, expected: list[tuple[str, str]]) -> None:
    """What is wrong with the file's outer shape is said once, as the menu's own problem."""
    assert found(written(tmp_path, content)) == [("(menu)", field, message) for field, message in expected]


def test_doubled_json_key_is_a_problem(tmp_path: Path) -> None:
    """JSON readers keep the last of two equal keys silently; a menu file may not have them."""
    text = json.dumps(document(TOAST)).replace('"name": "Toast"', '"name": "Bread", "name": "Toast"')
    assert found(written(tmp_path, text)) == [("toast-001", "name", "is written twice")]


def test_problems_read_as_sentences(tmp_path: Path) -> None:
    """A MenuError names file, item and field, and counts what else is wrong."""
    path = written(tmp_path, document({**TOAST, "name": 1, "default_size": 2}))
    with pytest.raises(MenuError) as raised:
        load_menu(path)
    assert str(raised.value) == f"{path}: toast-001: name: must be text, not 1 (and 1 more)"


def test_xml_problems_have_their_lines(tmp_path: Path) -> None:
    """An XML problem says the line of its element, and the schema adds what only it can see."""
    text = (
        f'{XML_TOP}<item item_id="t" name="" category_name="x" default_size="small">\nstray\n'
        '<modifier modifier_id="jam"/>\n</item>\n'
        '<item item_id="t" name="B" category_name="salads" default_size="small">'
        "<alias>b<i>c</i></alias></item>\n<location/></menu>"
    )
    problems = found(written(tmp_path, text, "menu.xml"))
    assert [(item, field, message.rpartition(" (")[2]) for item, field, message in problems] == [
        ("(menu)", "location", "line 1)"),
        *[("(menu)", f"location.{name}", "line 8)") for name in LOCATION],
        ("t", "name", "line 3)"),
        ("t", "category_name", "line 3)"),
        ("t", "available_modifiers[0].name", "line 5)"),
        ("t", "item_id", "line 7)"),
    ]


def test_xml_schema_sees_what_the_fields_do_not(tmp_path: Path) -> None:
    """Stray text and markup inside an alias would be lost silently; the schema's objection is a problem."""
    text = (
        f'{XML_TOP}<item item_id="a" name="A" category_name="salads" default_size="small">\nstray</item>\n'
        '<item item_id="b" name="B" category_name="salads" default_size="small">\n'
        "<alias>b<i>c</i></alias></item></menu>"
    )
    problems = found(written(tmp_path, text, "menu.xml"))
    assert [(item, field) for item, field, _ in problems] == [("a", "(element)"), ("b", "(element)")]
    assert "Character content" in problems[0][2]
    assert problems[1][2].endswith("(line 6)")


def test_csv_problems_have_their_rows(tmp_path: Path) -> None:
    """A CSV problem says the row as a spreadsheet counts it."""
    text = (
        f"{CSV_TOP}item,Toast,toast-001,,breakfast,tiny,,,,\nmodifier,Jam,toast-002,jam\nmodifier,Jam,,jam\n"
        "itm,Cocoa\nitem,Egg, fried,egg-001,,breakfast,regular,,,,\nmenu_id,again\n"
    )
    allowed = "snack, small, medium, large, regular or extra-large"
    problems = found(written(tmp_path, text, "menu.csv"))
    assert ("toast-001", "default_size", f"is 'tiny'; it must be one of: {allowed} (row 12)") in problems
    assert ("(menu)", "item_id", "is 'toast-002', which no item row has (row 13)") in problems
    assert ("(menu)", "item_id", "is missing: which item does this modifier change? (row 14)") in problems
    assert any(message.startswith("is 'itm'; it must be one of: menu_id,") for _, _, message in problems)
    assert ("(menu)", "menu_id", "is written twice") in problems
    assert any(field == "category_name" and message.endswith("(row 16)") for _, field, message in problems)


def test_csv_row_with_too_many_cells_is_a_problem(tmp_path: Path) -> None:
    """A separator that was not quoted shifts the cells; the cell that falls off the end gives it away."""
    text = f"{CSV_TOP}item,Toast,toast-001,,breakfast,regular,,,,,yes\n"
    assert [problem[:2] for problem in found(written(tmp_path, text, "menu.csv"))] == [("(menu)", "(row)")]


# Warnings


def test_unknown_fields_are_warnings_with_the_likely_one(tmp_path: Path) -> None:
    """A misspelt optional field loads, and is reported with the field that was probably meant."""
    content = document({**TOAST, "alias": ["bread"], "price": 2}, COCOA, theme="dark")
    content["$schema"] = "menu.schema.json"
    path = written(tmp_path, content)
    assert load_menu(path) == Menu.from_dict(document(TOAST, COCOA))
    assert warned(path) == [
        ("(menu)", "metadata.theme", "is unknown here and ignored"),
        ("toast-001", "alias", "is unknown here and ignored; did you mean 'aliases'?"),
        ("toast-001", "price", "is unknown here and ignored"),
    ]


def test_unknown_xml_and_csv_names_are_warnings(tmp_path: Path) -> None:
    """The other formats ignore unknown names with a warning too."""
    xml = (
        f'{XML_TOP}<item item_id="a" name="A" category_name="salads" default_size="small" nam="x">'
        "<price>2</price></item></menu>"
    )
    csv = f"{CSV_TOP.replace('actions,available', 'actions,price')}item,A,a,jam,salads,small\n"
    xml_path, csv_path = written(tmp_path, xml, "menu.xml"), written(tmp_path, csv, "menu.csv")
    assert load_menu(xml_path) == load_menu(written(tmp_path, csv.replace("a,jam", "a,"), "plain.csv"))
    assert warned(xml_path) == [
        ("a", "nam", "is unknown here and ignored; did you mean 'name'? (line 3)"),
        ("a", "price", "is unknown here and ignored (line 3)"),
    ]
    assert [warning[:2] for warning in warned(csv_path)] == [("(menu)", "price"), ("a", "modifier_id")]


def test_order_fields_are_ignored_with_a_warning(tmp_path: Path) -> None:
    """A size, quantity or choice says nothing on a menu, and is not carried into it."""
    chosen = [{"modifier_id": "jam", "name": "Jam", "action": "no"}]
    content = document(
        {**TOAST, "quantity": 2, "modifiers": chosen, "available_modifiers": chosen},
        {**COCOA, "size": "large"},
    )
    path = written(tmp_path, content)
    assert load_menu(path) == Menu.from_dict(
        document({**TOAST, "available_modifiers": [{"modifier_id": "jam", "name": "Jam"}]}, COCOA)
    )
    assert [warning[:2] for warning in warned(path)] == [
        ("toast-001", "modifiers"),
        ("toast-001", "quantity"),
        ("toast-001", "available_modifiers[0].action"),
        ("cocoa-001", "size"),
    ]


def test_words_that_name_two_items_are_warnings(tmp_path: Path) -> None:
    """An alias that is also another item's name, or is listed twice, is a warning."""
    path = written(
        tmp_path, document({**TOAST, "aliases": ["Bread", "bread"]}, {**COCOA, "aliases": ["TOAST"]})
    )
    assert check_menu(path) == []
    assert warned(path) == [
        ("toast-001", "aliases[1]", "'bread' is listed twice"),
        ("cocoa-001", "aliases[0]", "'TOAST' also names toast-001"),
    ]


# Writing


TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
    | st.sampled_from(",;|\\\"'\n\r\t&<>=é🍟"),
    min_size=1,
    max_size=12,
).filter(str.strip)
NAMES = TEXTS.filter(lambda text: text.strip() not in {"", "\ufeff"})
SIZES = st.lists(st.sampled_from(Size), min_size=1, unique=True).map(tuple)
MODIFIERS = st.builds(
    Modifier,
    modifier_id=NAMES,
    name=NAMES,
    action=st.just(ModifierAction.ADD),
    actions=st.lists(st.sampled_from(ModifierAction), min_size=1, unique=True).map(tuple),
    aliases=st.lists(NAMES, max_size=3).map(tuple),
)


@st.composite
def items(draw: st.DrawFn) -> Item:
    sizes = draw(SIZES)
    return Item(
        item_id=draw(NAMES),
        name=draw(NAMES),
        category_name=draw(st.sampled_from(CategoryName)),
        default_size=draw(st.sampled_from(sizes)),
        available_sizes=sizes,
        aliases=tuple(draw(st.lists(NAMES, max_size=3))),
        available=draw(st.booleans()),
        available_modifiers=tuple(draw(st.lists(MODIFIERS, max_size=3, unique_by=lambda m: m.modifier_id))),
    )


LOCATIONS = st.builds(Location, **dict.fromkeys(LOCATION, st.just("") | TEXTS))
MENUS = st.builds(
    Menu,
    menu_id=NAMES,
    menu_name=NAMES,
    menu_version=NAMES,
    location=LOCATIONS,
    items=st.lists(items(), min_size=1, max_size=4, unique_by=lambda item: item.item_id).map(tuple),
)


@pytest.mark.parametrize("ending", FORMATS)
@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(menu=MENUS)
def test_every_menu_survives_the_round_trip(tmp_path: Path, ending: str, menu: Menu) -> None:
    """Saving a menu and loading the file gives an equal menu, in each format and with any text in it."""
    path = tmp_path / f"menu.{ending}"
    save_menu(menu, path)
    assert load_menu(path) == menu
    assert check_menu(path) == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(menu=MENUS)
def test_saved_xml_is_valid(tmp_path: Path, menu: Menu) -> None:
    """What is written as XML satisfies the shipped schema."""
    path = tmp_path / "menu.xml"
    save_menu(menu, path)
    etree.XMLSchema(file=str(SCHEMA)).assertValid(etree.parse(str(path)))


def test_defaults_are_left_out() -> None:
    """A written file says only what differs from the defaults."""
    bare = document({**TOAST, "available_modifiers": []}, COCOA)
    menu = Menu.from_dict(bare)
    assert menu_document(menu)["items"] == [bare["items"][0], {**COCOA, "available_modifiers": []}]


def test_control_characters_are_kept_or_refused(tmp_path: Path) -> None:
    """JSON and CSV carry any character; XML cannot, and says whose name it is."""
    menu = Menu.from_dict(document(TOAST, {**COCOA, "name": "Co\x01coa"}))
    for ending in ("json", "csv"):
        save_menu(menu, tmp_path / f"menu.{ending}")
        assert load_menu(tmp_path / f"menu.{ending}") == menu
    with pytest.raises(MenuError, match=r"cocoa-001: .*which XML cannot carry"):
        save_menu(menu, tmp_path / "menu.xml")
    assert not (tmp_path / "menu.xml").exists()


def test_an_order_line_is_not_written_to_a_menu(tmp_path: Path) -> None:
    """A menu whose item carries a choice would not read back equal, so it is not written at all."""
    menu = Menu.from_dict(document(TOAST, {**COCOA, "quantity": 2}))
    with pytest.raises(MenuError, match=r"cocoa-001: .*belong on an order"):
        save_menu(menu, tmp_path / "menu.json")
    assert not (tmp_path / "menu.json").exists()


def test_a_menu_that_would_not_load_is_not_written(tmp_path: Path) -> None:
    """An empty alias is refused on the way out as on the way in."""
    menu = Menu.from_dict(document({**TOAST, "aliases": [""]}))
    with pytest.raises(MenuError, match=r"toast-001: aliases\[0\]: must not be empty"):
        save_menu(menu, tmp_path / "menu.csv")


def test_a_place_that_cannot_be_written_is_a_menu_error(tmp_path: Path) -> None:
    """Writing into a folder that is not there is one clear error."""
    with pytest.raises(MenuError, match="cannot be written: no such file or directory"):
        save_menu(Menu.from_dict(document(TOAST)), tmp_path / "none" / "menu.json")


# Schemas and start-up


def test_json_schema_is_the_models() -> None:
    """The shipped JSON Schema is the one the domain model gives today."""
    shipped = SCHEMA.with_name("menu.schema.json").read_text(encoding="utf-8")
    assert json.loads(shipped) == menu_json_schema()


@pytest.mark.parametrize(
    ("name", "vocabulary"), [("category", CategoryName), ("size", Size), ("action", ModifierAction)]
)
def test_xml_schema_knows_the_vocabularies(name: str, vocabulary: type[Size]) -> None:
    """The XML schema allows exactly the words of the enums."""
    schema = etree.parse(str(SCHEMA))
    found = schema.xpath(f"//*[@name='{name}']//*[local-name()='enumeration']/@value")
    assert found == list(vocabulary)


@pytest.mark.parametrize(
    ("name", "model", "left_out"),
    [
        ("location", Location, set()),
        ("item", Item, {"aliases", "available_modifiers", "size", "quantity", "modifiers"}),
        ("modifier", Modifier, {"aliases", "action"}),
    ],
)
def test_xml_schema_knows_the_fields(name: str, model: type[Item], left_out: set[str]) -> None:
    """Each field of the model is an attribute of its element, except the lists and what only orders use."""
    schema = etree.parse(str(SCHEMA))
    found = schema.xpath(
        f"/*/*[local-name()='complexType'][@name='{name}']/*[local-name()='attribute']/@name"
    )
    assert set(found) == set(model.model_fields) - left_out


def test_lxml_is_imported_only_when_needed() -> None:
    """Importing menu_files does not pay for lxml."""
    code = "import sys, orchestrator.menu_files; sys.exit('lxml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
