"""What the embedded engine hears, one utterance at a time, on menus made for the purpose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestrator.catalog import Catalog
from orchestrator.embedded.heard import Act, Heard, Line, Topic
from orchestrator.embedded.parse import parse
from orchestrator.enums import ModifierAction, Size
from orchestrator.index import canonical
from orchestrator.words import content, stems

from tests.shops import SML, dish, extra, shop

BURGERS = shop(
    dish("Double Stack Burger", "Cheddar", "Pickles", "Red Onion", "Lettuce", "Bacon", "House Sauce"),
    dish("Veggie Burger", "Cheddar", "Pickles", "Red Onion", "Lettuce", "Avocado"),
    dish("Crispy Fish Bun", "Tartar Sauce", "Lettuce", aliases=("fish burger",)),
    dish("Onion Rings", "Salt", sizes=SML),
    dish("Sweet Potato Fries", "Salt", "House Sauce", sizes=SML),
    dish("Side Salad", "Croutons", extra("Dressing", actions=[ModifierAction.NO, ModifierAction.LIGHT])),
    dish("Iced Tea", "Lemon", "Ice", sizes=SML),
    dish("Root Beer", "Ice", sizes=SML),
)
BOBA = shop(
    dish("Taro Milk Tea", "Boba", "Grass Jelly", "Ice", "Sugar", sizes=(Size.REGULAR, Size.LARGE)),
    dish("Matcha Latte", "Boba", "Oat Milk", "Ice", "Sugar", sizes=(Size.REGULAR, Size.LARGE)),
    dish("Mango Green Tea", "Boba", "Aloe", "Ice", "Sugar", sizes=(Size.REGULAR, Size.LARGE)),
    dish("Red Bean Bun"),
)
ADD, NO, EXTRA, LIGHT = ModifierAction


def heard_lines(utterance: str, catalog: Catalog) -> list[str]:
    """What was heard, a text for each line: "2 large taro-milk-tea -ice +boba ++sugar ~salt"."""
    return [_text(line) for line in parse(utterance, catalog).lines]


def _text(line: Line) -> str:
    signs = {NO: "-", ADD: "+", EXTRA: "++", LIGHT: "~"}
    size = f"{line.size} " if line.size else ""
    choices = sorted(f" {signs[c.action]}{'/'.join(c.modifier_ids)}" for c in line.choices)
    unmet = "".join(f" ?{words}" for words in line.unmet)
    return f"{line.quantity} {size}{'|'.join(line.item_ids) or f'<{line.said}>'}{''.join(choices)}{unmet}"


@pytest.mark.parametrize(
    ("utterance", "expected"),
    [
        ("a veggie burger", ["1 veggie-burger"]),
        ("Veggie burger.", ["1 veggie-burger"]),
        ("two veggie burgers", ["2 veggie-burger"]),
        ("2 veggie burgers and 3 side salads", ["2 veggie-burger", "3 side-salad"]),
        ("a couple of side salads", ["2 side-salad"]),
        ("half a dozen fish buns", ["6 crispy-fish-bun"]),
        ("a dozen onion rings", ["12 onion-rings"]),
        ("twenty five side salads", ["25 side-salad"]),
        ("one hundred side salads", ["100 side-salad"]),
        ("onion rings, large", ["1 large onion-rings"]),
        ("a large iced tea and a small root beer", ["1 large iced-tea", "1 small root-beer"]),
        ("2 large onion rings and a root beer", ["2 large onion-rings", "1 root-beer"]),
        ("med iced tea", ["1 medium iced-tea"]),
        ("a big root beer", ["1 large root-beer"]),
        ("side salad, iced tea, root beer", ["1 side-salad", "1 iced-tea", "1 root-beer"]),
        ("side salad & iced tea", ["1 side-salad", "1 iced-tea"]),
        ("can I get a fish burger please", ["1 crispy-fish-bun"]),
        ("hi there, could we have 3 root beers, thank you", ["3 root-beer"]),
    ],
)
def test_items_quantities_and_sizes(utterance: str, expected: list[str]) -> None:
    """Each thing that is ordered is a line with its number and its size, as far as they were said."""
    assert heard_lines(utterance, BURGERS) == expected


@pytest.mark.parametrize(
    ("utterance", "expected"),
    [
        ("a veggie burger with avocado", ["1 veggie-burger +avocado"]),
        ("a veggie burger no pickles", ["1 veggie-burger -pickles"]),
        ("a veggie burger without lettuce or onion", ["1 veggie-burger -lettuce -red-onion"]),
        ("a veggie burger with no cheddar and no pickles", ["1 veggie-burger -cheddar -pickles"]),
        ("veggie burger, hold the onion, extra pickles", ["1 veggie-burger ++pickles -red-onion"]),
        ("veggie burger with extra cheddar and avocado", ["1 veggie-burger ++cheddar +avocado"]),
        ("iced tea with light ice", ["1 iced-tea ~ice"]),
        ("an iced tea easy on the ice with lemon", ["1 iced-tea +lemon ~ice"]),
        ("veggie burger, no pickles but extra onion", ["1 veggie-burger ++red-onion -pickles"]),
        (
            "a veggie burger without pickles and a double stack with bacon",
            ["1 veggie-burger -pickles", "1 double-stack-burger +bacon"],
        ),
        (
            "a double stack burger with bacon, onion rings and a root beer without ice",
            ["1 double-stack-burger +bacon", "1 onion-rings", "1 root-beer -ice"],
        ),
        ("a side salad with light dressing", ["1 side-salad ~dressing"]),
        ("a lettuce and avocado veggie burger", ["1 veggie-burger +avocado +lettuce"]),
    ],
)
def test_changes_go_to_their_item(utterance: str, expected: list[str]) -> None:
    """What is added, left out, doubled or lightened is heard with its action, on the item it was said of."""
    assert heard_lines(utterance, BURGERS) == expected


@pytest.mark.parametrize(
    ("utterance", "expected"),
    [
        ("large taro milk tea with boba, less ice and no sugar", ["1 large taro-milk-tea +boba -sugar ~ice"]),
        ("two matcha lattes with oat milk", ["2 matcha-latte +oat-milk"]),
        ("a red bean bun and a mango green tea with aloe", ["1 red-bean-bun", "1 mango-green-tea +aloe"]),
        ("taro tea", ["1 taro-milk-tea"]),
        ("mnago tea", ["1 mango-green-tea"]),
        ("macha latte", ["1 matcha-latte"]),
    ],
)
def test_another_shop_is_understood_as_well(utterance: str, expected: list[str]) -> None:
    """The engine knows no dish of its own: on another menu it hears the names of that menu."""
    assert heard_lines(utterance, BOBA) == expected


@pytest.mark.parametrize(
    ("utterance", "ids"),
    [
        ("a burger", {"double-stack-burger", "veggie-burger", "crispy-fish-bun"}),
        ("two burgers please", {"double-stack-burger", "veggie-burger", "crispy-fish-bun"}),
    ],
)
def test_an_ambiguous_name_keeps_its_meanings(utterance: str, ids: set[str]) -> None:
    """A name that fits several items is heard as all of them; none is chosen."""
    [line] = parse(utterance, BURGERS).lines
    assert len(line.item_ids) > 1
    assert set(line.item_ids) <= ids


def test_what_an_item_cannot_have_is_named() -> None:
    """A change that the item has not is kept in the customer's words, not given to another item."""
    [line] = parse("a root beer with avocado", BURGERS).lines
    assert (line.item_ids, line.choices, line.unmet) == (("root-beer",), (), ("avocado",))


def test_a_forbidden_action_is_not_chosen() -> None:
    """Extra of something that the kitchen cannot do extra is no choice."""
    [line] = parse("a side salad with extra dressing", BURGERS).lines
    assert line.choices == ()
    assert line.unmet


@pytest.mark.parametrize(
    "utterance", ["a lobster roll", "can I get a lobster roll", "two lobster rolls please"]
)
def test_another_shops_dish_is_quoted(utterance: str) -> None:
    """A dish that is not on the menu is a line without an item, in the customer's words."""
    [line] = parse(utterance, BURGERS).lines
    assert line.item_ids == ()
    assert "lobster roll" in line.said


@pytest.mark.parametrize(
    ("utterance", "acts"),
    [
        ("hello", {Act.GREETING}),
        ("good morning!", {Act.GREETING}),
        ("that's all", {Act.DONE}),
        ("no, that's it, thank you", {Act.DONE, Act.THANKS}),
        ("nothing else", {Act.DONE}),
        ("yes", {Act.YES}),
        ("yeah that's right", {Act.YES}),
        ("no", {Act.DENIAL}),
        ("what did I order?", {Act.RECALL}),
        ("can you repeat my order", {Act.RECALL}),
        ("hold on a minute", {Act.WAIT}),
        ("can I speak to a manager", {Act.PERSON}),
    ],
)
def test_what_customers_do_besides_ordering(utterance: str, acts: set[Act]) -> None:
    """Greeting, agreeing, declining, finishing, asking back: heard as what they are, with nothing ordered."""
    heard = parse(utterance, BURGERS)
    assert heard.lines == ()
    assert acts <= heard.acts | ({Act.DENIAL} & acts)


@pytest.mark.parametrize(
    ("utterance", "topic", "ids"),
    [
        ("how much is the veggie burger?", Topic.PRICE, None),
        ("do you have root beer?", Topic.HAVE, ("root-beer",)),
        ("what comes on the veggie burger?", Topic.CONTENTS, ("veggie-burger",)),
        ("what sizes does the iced tea come in?", Topic.SIZE, ("iced-tea",)),
        ("what burgers do you have?", Topic.LIST, None),
        ("what's on the menu?", Topic.LIST, None),
    ],
)
def test_questions_order_nothing(utterance: str, topic: Topic, ids: tuple[str, ...] | None) -> None:
    """A question is heard with what it is about, and what it names is not ordered."""
    heard = parse(utterance, BURGERS)
    assert heard.lines == ()
    assert [q.topic for q in heard.questions] == [topic]
    assert ids is None or heard.questions[0].item_ids == ids


def test_an_order_and_a_question_are_both_heard() -> None:
    """Two things at once are two things."""
    heard = parse("a veggie burger please, and what drinks do you have?", BURGERS)
    assert [line.item_ids for line in heard.lines] == [("veggie-burger",)]
    assert [q.topic for q in heard.questions] == [Topic.LIST]


def names_of(item_id: str, catalog: Catalog) -> set[str]:
    """The words that can mean an item: of its names, and of the modifiers that no other item has."""
    item = catalog.item(item_id)
    assert item is not None
    others = [m for other in catalog.menu.items if other != item for m in other.available_modifiers]
    own = [m for m in item.available_modifiers if m not in others]
    names = (item.name, *item.aliases, *(m.name for m in own))
    return {word for name in names for word in (*stems(name), *canonical(stems(name)))}


WORDS = [
    "a",
    "two",
    "large",
    "burger",
    "veggie",
    "with",
    "no",
    "extra",
    "ice",
    "tea",
    "and",
    ",",
    "?",
    "salad",
    "wait",
]
WORDS += [
    "lobster",
    "what",
    "do",
    "you",
    "have",
    "that's",
    "all",
    "yes",
    "not",
    "side",
    "of",
    "onion",
    "half",
    "dozen",
]


@given(st.text() | st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
def test_nothing_is_ordered_that_was_not_named(text: str) -> None:
    """Whatever is said, hearing never fails, and each item heard shares a word with what was said."""
    heard: Heard = parse(text, BURGERS)
    said = tuple(map(BURGERS.correct, stems(text)))
    words = {*said, *canonical(said)}
    run_together = "".join(content(said))
    for line in heard.lines:
        for item_id in line.item_ids:
            named = names_of(item_id, BURGERS)
            assert named & words or any(name in run_together for name in named), (text, item_id)


@given(st.text(max_size=200))
def test_hearing_is_deterministic(text: str) -> None:
    """The same words on the same menu mean the same."""
    assert parse.__wrapped__(text, BURGERS) == parse.__wrapped__(text, BURGERS)


@pytest.mark.parametrize(
    "noise", ["\x00\xff\x1b[2J", "💥" * 500, "a " * 5_000, "burger " * 3_000, "no " * 2_000, "1" * 5_000]
)
def test_noise_is_survived(noise: str) -> None:
    """Binary noise, endless repetition and huge numbers are heard as something, in reasonable time."""
    assert all(0 <= line.quantity <= 1_000_000 for line in parse(noise, BURGERS).lines)
