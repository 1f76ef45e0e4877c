"""Noun phrases and order lines while an utterance is being read: the only values here that change."""

from dataclasses import dataclass, field

from orchestrator.embedded.spans import Span
from orchestrator.enums import ModifierAction, Size

Chosen = tuple[Span, ModifierAction]


@dataclass
class Phrase:
    """A noun phrase that has no item yet."""

    numbers: list[str] = field(default_factory=list)
    size: Size | None = None
    sized_by: Span | None = None
    choices: list[Chosen] = field(default_factory=list)
    unknown: list[Span] = field(default_factory=list)
    opened: bool = False
    measured: bool = False
    after_on: bool = False
    begins: int | None = None
    refused: bool = False
    again: bool = False
    every: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing was said in it that matters."""
        return not (self.numbers or self.size or self.choices or self.unknown or self.again)


@dataclass
class Heading:
    """An order line that may still grow."""

    span: Span
    said: str
    item_ids: tuple[str, ...]
    quantity: int = 1
    counted: bool = False
    size: Size | None = None
    choices: list[Chosen] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)
