"""The three conversations of the seed's v1 diagrams, with Mistral's side as a script."""

from dataclasses import dataclass
from typing import Final

from orchestrator.enums import OrderStatus

from tests.integration.mistral_server import Call, Says, says

EGG: Final = Call(
    "add_item_to_order",
    {"item_id": "mcmuffin-egg-001", "item_name": "Egg McMuffin", "category_name": "breakfast", "quantity": 1},
)
HASH_BROWNS: Final = Call(
    "add_item_to_order",
    {"item_id": "hashbrown-001", "item_name": "Hash Brown", "category_name": "snacks-sides", "quantity": 2},
)
LARGE_COFFEE: Final = Call(
    "add_item_to_order",
    {"item_id": "coffee-001", "item_name": "Coffee", "category_name": "beverages", "size": "large"},
)


@dataclass(frozen=True)
class Exchange:
    """What a customer says, and Mistral's answers until the customer's next turn."""

    customer: str
    answers: tuple[Says, ...]


@dataclass(frozen=True)
class Conversation:
    """Exchanges, and the order that they end with: item id, quantity and size of each line."""

    exchanges: tuple[Exchange, ...]
    lines: tuple[tuple[str, int, str], ...] = ()
    status: OrderStatus = OrderStatus.OPEN


def exchange(customer: str, *answers: Says) -> Exchange:
    """One turn of a conversation."""
    return Exchange(customer, answers)


def look_up(name: str) -> Call:
    """A call of `lookup_menu_item`."""
    return Call("lookup_menu_item", {"item_name": name})


SIMPLE_ORDER: Final = Conversation(
    exchanges=(
        exchange(
            "Hi, can I get an Egg McMuffin?",
            says("<reasoning>A greeting and an order</reasoning>", look_up("Egg McMuffin")),
            says("<reasoning>It is on the menu</reasoning>One moment!", EGG),
            says("<reasoning>Added</reasoning>Hey there! Got one Egg McMuffin. Anything else?"),
        ),
        exchange(
            "No, that's all",
            says("<reasoning>Done ordering</reasoning>", Call("get_current_order")),
            says("Your order is one Egg McMuffin. Your total will be at the window. Sound good?"),
        ),
        exchange("Yep!", says("<reasoning>They agreed</reasoning>", Call("finalize_order"))),
    ),
    lines=(("mcmuffin-egg-001", 1, "regular"),),
    status=OrderStatus.SUBMITTED,
)
MULTI_INTENT: Final = Conversation(
    exchanges=(
        exchange(
            "Two hash browns, a large coffee, and what sandwiches do you have?",
            says("<reasoning>Two items, a question</reasoning>", look_up("hash brown"), look_up("coffee")),
            says("<reasoning>Both found</reasoning>", HASH_BROWNS, LARGE_COFFEE),
            says("<reasoning>Both added</reasoning>Got it! For sandwiches we have the Egg McMuffin."),
        ),
    ),
    lines=(("hashbrown-001", 2, "regular"), ("coffee-001", 1, "large")),
)
ITEM_NOT_FOUND: Final = Conversation(
    exchanges=(
        exchange(
            "Can I get a Big Mac?",
            says("<reasoning>Checking the menu</reasoning>", look_up("Big Mac")),
            says("<reasoning>Not on this menu</reasoning>Sorry, no Big Mac! How about a Big Breakfast?"),
        ),
    ),
)
