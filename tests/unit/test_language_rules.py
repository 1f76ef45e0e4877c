"""Rules of counter English, each on a menu made for it."""

import pytest
from orchestrator.embedded.parse import parse

from tests.shops import SML, dish, shop
from tests.unit.test_embedded import heard_lines

BAKERY = shop(
    dish("Focaccia", "Olives", "Rosemary", "Tomato", sizes=SML),
    dish("Cinnamon Knot", "Icing"),
    dish("4 Piece Donut Holes"),
    dish("12 Piece Donut Holes"),
    dish("Apple Turnover"),
    dish("Cherry Turnover"),
    dish("Ham, Egg & Brie Croissant", "Tomato", aliases=("breakfast croissant",)),
    dish("Ham Croissant", "Tomato"),
    dish("Drip Coffee", "Cream", "Sugar", "Oat Milk", sizes=SML),
    dish("Flat White", "Sugar", "Oat Milk", sizes=SML),
    dish("Mango Lassi", sizes=SML),
    dish("Rose Lassi", sizes=SML),
)


@pytest.mark.parametrize(
    ("utterance", "expected"),
    [
        # A size and changes that only one item takes imply it; without a size they imply nothing.
        ("can i get two large with olives and rosemary", ["2 large focaccia +olives +rosemary"]),
        ("olives please", []),
        # A number is a name's own where the menu sells by it.
        ("12 donut holes", ["1 12-piece-donut-holes"]),
        ("two 12 piece donut holes", ["2 12-piece-donut-holes"]),
        # Initials of three things in a row.
        ("a heb croissant", ["1 ham-egg-brie-croissant"]),
        # Words behind an ambiguous name choose among its meanings.
        ("a turnover with cherry", ["1 cherry-turnover"]),
        # Units of a line.
        (
            "two drip coffees, one with cream, the other with sugar",
            ["1 drip-coffee +cream", "1 drip-coffee +sugar"],
        ),
        ("three flat whites, two large and one small", ["2 large flat-white", "1 small flat-white"]),
        ("a small flat white and a large", ["1 small flat-white", "1 large flat-white"]),
        ("a ham croissant, oh and another one", ["2 ham-croissant"]),
        ("drip coffee x 3", ["3 drip-coffee"]),
        ("1,200 cinnamon knots", ["1200 cinnamon-knot"]),
        # A count of a change counts no items.
        ("a drip coffee with three creams and two sugars", ["1 drip-coffee +cream +sugar"]),
        # For everything that was named.
        ("a flat white and a drip coffee all large", ["1 large flat-white", "1 large drip-coffee"]),
        # What is refused is not ordered, and a "no" holds for one thing.
        ("i don't want a cinnamon knot, i want a ham croissant", ["1 ham-croissant"]),
        ("instead of a flat white a drip coffee", ["1 drip-coffee"]),
        ("a drip coffee no sugar and a ham croissant", ["1 drip-coffee -sugar", "1 ham-croissant"]),
        ("a focaccia with everything but olives", ["1 focaccia -olives"]),
        ("a focaccia without olives or rosemary", ["1 focaccia -olives -rosemary"]),
        ("a focaccia, no olives, tomato", ["1 focaccia +tomato -olives"]),
        # Second thoughts.
        ("a large, no, a medium flat white", ["1 medium flat-white"]),
        ("a flat white, no wait, a drip coffee", ["1 drip-coffee"]),
        ("a flat white, hold on, a drip coffee", ["1 flat-white", "1 drip-coffee"]),
        ("a cinnamon knot, no never mind", []),
        # A flavour that an item has not is no other item.
        ("a flat white with mango", ["1 flat-white ?mango"]),
        # A change may be named before its item.
        ("tomato on the ham croissant", ["1 ham-croissant +tomato"]),
        ("can i get sugar with the flat white", ["1 flat-white +sugar"]),
    ],
)
def test_what_is_ordered(utterance: str, expected: list[str]) -> None:
    """Each utterance orders exactly what a good crew member would ring up."""
    assert heard_lines(utterance, BAKERY) == expected


def test_symbols_between_letters_make_no_name() -> None:
    """What nobody says between the words of a name keeps them apart."""
    (line,) = parse("an o|j", shop(dish("Orange Juice"))).lines
    assert line.item_ids == ()


def test_a_shared_noun_is_asked_about() -> None:
    """A name that several items share means none of them by itself."""
    (line,) = parse("a turnover", BAKERY).lines
    assert set(line.item_ids) == {"apple-turnover", "cherry-turnover"}


def test_the_noun_decides_before_other_words() -> None:
    """What ends on a word is meant before what only contains it: chips before chocolate chip cookies."""
    snacks = shop(dish("Kettle Chips"), dish("Chocolate Chip Cookie"))
    assert heard_lines("chips", snacks) == ["1 kettle-chips"]


def test_a_brand_prefix_may_be_left_out() -> None:
    """Where a menu starts its own words alike, people say them without the start."""
    brand = shop(dish("McRings"), dish("McPuffs"), dish("McTwists"))
    assert heard_lines("rings and puffs", brand) == ["1 mcrings", "1 mcpuffs"]
