"""Whether a name is an item or a change to one.

What can be both is an item when a phrase was opened for it ("and a guacamole"), else a modifier of the item
at hand, if that item has it.
"""

from typing import Final

from orchestrator.catalog import Catalog
from orchestrator.embedded.lines import Lines, ids
from orchestrator.embedded.spans import Span

_INSIDE_A_PHRASE: Final = (
    "and",
    "or",
    "comma",
    "filler",
    "everyday",
    "no",
    "extra",
    "light",
    "size",
    "unknown",
)


class Roles:
    """Looks around a name in the spans of an utterance, and at the lines so far."""

    def __init__(self, spans: list[Span], lines: Lines, catalog: Catalog) -> None:
        self._spans = spans
        self._lines = lines
        self._catalog = catalog

    def names_item(self, position: int, *, joined: bool) -> bool:
        """Whether the span there names an item; `joined`: something begins with it, as after "and"."""
        span = self._spans[position]
        if not span.modifiers or not span.items:
            return bool(span.items)
        if self._lines.phrase.measured and span.items[0].tier < 2:
            return True
        if self.goes_ahead(position, joined=joined) or span.items[0].tier > span.modifiers[0].tier:
            return False
        return bool(self._lines.phrase.numbers) or not self._lines.head_allows(span)

    def goes_ahead(self, position: int, *, joined: bool) -> bool:
        """Whether a modifier belongs to an item that is still to come."""
        span = self._spans[position]
        if self._lines.phrase.opened or self._lines.head is None:
            ahead = self._item_ahead(position)
            return ahead is not None and self._lines.allows(ids(ahead), span)
        following = self._spans[position + 1] if position + 1 < len(self._spans) else None
        if following is None or not following.items or following.modifiers:
            return False
        return joined and self._lines.allows(ids(following), span)

    def is_unmet(self, position: int) -> bool:
        """Whether part of a name stands where a change is expected that the item has not ("with mango")."""
        span, before = self._spans[position], self._spans[position - 1] if position else None
        follows = before is not None and before.has("with", "extra", "light")
        flavour = any(not self._catalog.is_one_of_a_kind(sense.identity) for sense in span.items)
        partial = not span.modifiers and span.items[0].heads is False and flavour
        return partial and follows and self._lines.head is not None and not self._lines.phrase.opened

    def counted(self, position: int) -> bool:
        """Whether a number stands directly before the name ("three creams")."""
        before = (s for s in reversed(self._spans[:position]) if not s.has("filler"))
        return next((s.has("number", "measure") for s in before), False)

    def _item_ahead(self, position: int) -> Span | None:
        for span in self._spans[position + 1 :]:
            if span.items and (not span.modifiers or span.items[0].tier < span.modifiers[0].tier):
                return span
            if not span.is_name and not span.has(*_INSIDE_A_PHRASE):
                return None
        return None
