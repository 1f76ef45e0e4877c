"""What an utterance was understood as: order lines, questions and dialogue acts."""

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.enums import ModifierAction, Size


class Act(StrEnum):
    """What a customer does with an utterance, apart from naming items and asking."""

    GREETING = "greeting"
    THANKS = "thanks"
    YES = "yes"
    DENIAL = "denial"
    DONE = "done"
    RECALL = "recall"
    REMOVE = "remove"
    CHANGE = "change"
    WAIT = "wait"
    PERSON = "person"
    DIET = "diet"


class Topic(StrEnum):
    """What a question is about."""

    PRICE = "price"
    LIST = "list"
    HAVE = "have"
    CONTENTS = "contents"
    SIZE = "size"
    OTHER = "other"


@dataclass(frozen=True)
class Choice:
    """A change to an item: the ids that the words can mean on this menu, best first, and what to do."""

    modifier_ids: tuple[str, ...]
    said: str
    action: ModifierAction


@dataclass(frozen=True)
class Line:
    """One thing that was ordered.

    Attributes:
        said: the item's name in the customer's words.
        item_ids: the menu items that it can mean; one when understood, none when not on the menu.
        quantity: units.
        size: as the menu has it, None when not said.
        choices: modifiers that the item has.
        unmet: words around it that fit nothing the item has; to be named, never guessed at.
    """

    said: str
    item_ids: tuple[str, ...]
    quantity: int = 1
    size: Size | None = None
    choices: tuple[Choice, ...] = ()
    unmet: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """Something that was asked.

    Attributes:
        topic: what about.
        item_ids: the items it names, in order.
        words: its other words that carry meaning, as said.
    """

    topic: Topic
    item_ids: tuple[str, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class Heard:
    """An utterance, understood as far as it goes.

    Attributes:
        lines: what to add, in order.
        acts: what else the customer does.
        questions: what they ask.
        orphans: modifiers without an item in this utterance, as said.
        excluded: items named only to refuse, remove or change them.
        leftover: words that matter and were not understood.
        size: a size said without an item.
        number: a number said without an item.
        everyday: whether anything but names and cues was said in everyday words.
    """

    lines: tuple[Line, ...] = ()
    acts: frozenset[Act] = frozenset()
    questions: tuple[Question, ...] = ()
    orphans: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    leftover: tuple[str, ...] = ()
    everyday: bool = False
    size: Size | None = None
    number: int | None = None
