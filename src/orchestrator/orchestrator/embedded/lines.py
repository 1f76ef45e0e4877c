"""Noun phrases → order lines: what a number, a size, a modifier and a name belong to.

* A number, size or measure ("side of") opens a phrase; modifiers inside it wait for its item ("a large
  onion and pepper pizza"). Modifiers after an item belong to it until the next phrase opens.
* A size and modifiers that only one item on the menu takes imply that item ("a large with olives").
* After a correction ("no wait", "I mean") the next phrase replaces the last one.
* What fits nothing is kept as the customer said it, to be named in the reply.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from orchestrator.catalog import Catalog
from orchestrator.embedded.fit import finished, possible
from orchestrator.embedded.heading import Heading, Phrase
from orchestrator.embedded.heard import Line
from orchestrator.embedded.naming import is_apposed, name_has_number, narrow
from orchestrator.embedded.numbers import quantity
from orchestrator.embedded.spans import Span
from orchestrator.enums import ModifierAction, Size


class Lines:
    """The lines of one utterance while it is read, and the phrase that is open."""

    def __init__(self, catalog: Catalog, quote: Callable[[int, int], str]) -> None:
        self.phrase = Phrase()
        self.correcting = False
        self.orphans: list[str] = []
        self.leftover: list[str] = []
        self.loose_size: Size | None = None
        self.loose_number: int | None = None
        self._catalog = catalog
        self._quote = quote
        self._headings: list[Heading] = []
        self._pool: Heading | None = None  # the line that "one … and one …" divides
        self._opening = Phrase()  # "two large …", whose item is still implied

    @property
    def head(self) -> Heading | None:
        """The line at hand."""
        return self._headings[-1] if self._headings else None

    def allows(self, item_ids: Iterable[str], span: Span) -> bool:
        """Whether one of the items has one of the modifiers that a span can name."""
        return bool(possible(self._catalog, item_ids, span))

    def head_allows(self, span: Span) -> bool:
        """Whether the item at hand has the modifier."""
        return self.head is not None and self.allows(self.head.item_ids, span)

    def order(self, span: Span, *, little: bool = False, twofold: str = "") -> None:
        """An item was named: the open phrase becomes its line."""
        if self._renames_head(span):
            return
        phrase, self.phrase = self.phrase, Phrase()
        line = Heading(span, self._text(span), ids(span), size=phrase.size)
        if phrase.numbers and not name_has_number(line, quantity(phrase.numbers), self._catalog):
            line.quantity, line.counted = quantity(phrase.numbers), True
        if little and line.size is None:
            line.size = Size.SMALL  # "a little coffee"
        line.unmet.extend(filter(None, [twofold]))
        self._distribute(phrase, line)
        if self.correcting and self._headings:
            replaced = self._headings.pop()
            line.quantity = line.quantity if line.counted else replaced.quantity
        self.correcting = False
        self._headings.append(line)

    def narrow(self, span: Span) -> bool:
        """Take words behind an ambiguous name as part of it ("a biscuit with sausage")."""
        if self.head is None or self.phrase.opened:
            return False
        return narrow(self.head, self._text(span), self._catalog)

    def count_for_head(self, *, directly: bool) -> None:
        """A number stood before a modifier of the item at hand: it counts units of the one or the other."""
        phrase, head = self.phrase, self.head
        if phrase.unknown or phrase.choices or head is None:
            return
        if directly and not (phrase.numbers and 0 < quantity(phrase.numbers) < head.quantity):
            self.phrase = Phrase()  # "three creams": how much cream is nothing a kitchen display shows
        elif phrase.numbers or phrase.size:
            self.close()  # "two muffins, one without cheese", "two muffins, one plain"

    def recount(self, number: str) -> None:
        """The item at hand is wanted so often ("muffin x 2")."""
        if self.head:
            self.head.quantity, self.head.counted = quantity([number]), True

    def take_back(self) -> bool:
        """Forget a number or size whose item was not said yet; whether there was one."""
        open_phrase = self.phrase.opened and not self.phrase.unknown and not self.phrase.choices
        taken = open_phrase and bool(self.phrase.size or self.phrase.numbers)
        if taken:
            self.phrase = Phrase()
        return taken

    def drop_phrase(self) -> None:
        """Forget the open phrase: it belonged to something refused."""
        self.phrase = Phrase()

    def drop_head(self) -> bool:
        """Forget the line at hand ("a coffee, no, never mind"); whether there was one."""
        self.phrase = Phrase()
        if not self._headings:
            return False
        self._headings.pop()
        return True

    def take_rest(self) -> None:
        """What follows is about the units that a division left over ("the other one")."""
        self.close()
        if self._pool in self._headings:
            self._headings.remove(self._pool)
            self._headings.append(self._pool)

    def choose(self, span: Span, action: ModifierAction, *, ahead: bool) -> None:
        """A modifier was named: for the item to come, or for the one at hand."""
        if not ahead and action is ModifierAction.ADD and (self.narrow(span) or self._apposed(span)):
            return
        if ahead or self.head is None or not self.head_allows(span):
            self.phrase.choices.append((span, action))
        else:
            self.correcting = False
            for heading in self._headings if self.phrase.every else (self.head,):
                if self.allows(heading.item_ids, span):
                    heading.choices.append((span, action))

    def unknown(self, span: Span, action: ModifierAction, *, joined: bool) -> None:
        """A word that nothing explains: a new thing, the rest of a name, or a change."""
        head = self.head
        if self.narrow(span) or self._apposed(span):
            return
        if head is None or self.phrase.opened or self.phrase.unknown or joined:
            self.phrase.unknown.append(span)
        elif head.span.end == span.start and _is_part(head.span):
            head.span = replace(head.span, end=span.end)
            head.said, head.item_ids = self._text(head.span), ()
        else:
            said = self._text(span)
            head.unmet.append(said if action is ModifierAction.ADD else f"{action} {said}")

    def close(self) -> None:
        """The open phrase ends without an item."""
        phrase, self.phrase = self.phrase, Phrase()
        if phrase.unknown:
            self._name_unknown(phrase)
        elif phrase.choices:
            self._close_choices(phrase)
        elif self.head:
            self._adjust(self.head, phrase)
        elif not phrase.empty:
            self._opening = phrase
            if phrase.numbers:
                self.loose_number = quantity(phrase.numbers)
            self.loose_size = phrase.size or self.loose_size

    def finished(self) -> tuple[Line, ...]:
        """Every line, with sizes and modifiers as its item has them."""
        return tuple(finished(heading, self._catalog, self._quote) for heading in self._headings)

    # -- inside -----------------------------------------------------------------------------------

    def _apposed(self, span: Span) -> bool:
        if self.head is None or self.phrase.opened:
            return False
        return is_apposed(self.head, span, self._text(span))

    def _renames_head(self, span: Span) -> bool:
        """The same thing by two names ("pizza pie") is one thing."""
        head = self.head
        if head is None or not self.phrase.empty or head.span.end != span.start or head.item_ids != ids(span):
            return False
        head.span = span
        return True

    def _distribute(self, phrase: Phrase, line: Heading) -> None:
        """Give what came before the item to it, or to the item before, or name it as not understood."""
        for choice, action in phrase.choices:
            if self.allows(line.item_ids, choice):
                line.choices.append((choice, action))
            elif self.head and self.head_allows(choice):
                self.head.choices.append((choice, action))
            elif not choice.has("measure"):
                line.unmet.append(self._text(choice))
        if not phrase.unknown:
            return
        if phrase.unknown[-1].end == line.span.start and _is_part(line.span):
            line.said, line.item_ids = self._quote(phrase.unknown[0].start, line.span.end), ()
        else:
            line.unmet.extend(map(self._text, phrase.unknown))

    def _close_choices(self, phrase: Phrase) -> None:
        """Modifiers before no item: the item at hand has them, or they imply one, or they are orphans."""
        left = [chosen for chosen in phrase.choices if not self.head_allows(chosen[0])]
        if self.head:
            self.correcting = False
            self.head.choices.extend(chosen for chosen in phrase.choices if chosen not in left)
        if not left:
            return
        opening = phrase if phrase.numbers or phrase.size else self._opening
        first, action = left[0]
        implied = self._implied([span for span, _ in left]) if opening.size else ()
        ambiguous = len(left) == 1 and bool(first.items) and action is ModifierAction.ADD
        if self.head and len(implied) != 1 and not phrase.numbers:
            self.head.choices.extend(left)  # what it has not is named when the line is finished
            return
        if len(implied) != 1 and not ambiguous:
            self.orphans.extend(self._text(span) for span, _ in left)
            return
        line = Heading(
            replace(first, items=()), self._text(first), ids(first), size=phrase.size or opening.size
        )
        if len(implied) == 1:
            line.item_ids, line.choices = implied, left
        line.quantity = quantity(opening.numbers) if opening.numbers else 1
        self._opening, self.loose_size = Phrase(), None
        self._headings.append(line)

    def _implied(self, spans: list[Span]) -> tuple[str, ...]:
        """The items that take all of these modifiers."""
        items = self._catalog.menu.items
        return tuple(i.item_id for i in items if all(self.allows((i.item_id,), span) for span in spans))

    def _name_unknown(self, phrase: Phrase) -> None:
        spans = [*phrase.unknown, *(span for span, _ in phrase.choices), *filter(None, [phrase.sized_by])]
        start, end = min(s.start for s in spans), max(s.end for s in spans)
        if phrase.begins is not None and phrase.begins < start:
            start = phrase.begins  # everyday words before it may be part of the name ("a happy meal")
        if phrase.opened:
            line = Heading(Span(start, end), self._quote(start, end), (), size=phrase.size)
            line.quantity = quantity(phrase.numbers) if phrase.numbers else 1
            self._headings.append(line)
        else:
            self.leftover.append(self._quote(start, end))

    def _adjust(self, head: Heading, phrase: Phrase) -> None:
        """A size or number after its item ("coffee, large"), or a correction of either."""
        if phrase.every and phrase.size:
            for heading in self._headings:
                heading.size = heading.size or phrase.size
            return
        if not self.correcting and (self._divide(head, phrase) or self._repeat(head, phrase)):
            return
        counted = [n for n in phrase.numbers if n not in {"a", "an", "one"} or self.correcting]
        if phrase.size and (head.size is None or self.correcting):
            head.size = phrase.size
        if counted and (not head.counted or self.correcting):
            head.quantity, head.counted = quantity(counted), True
        if not phrase.empty:
            self.correcting = False

    def _repeat(self, head: Heading, phrase: Phrase) -> bool:
        """Another one of the item at hand: "a medium coffee and a large", "a muffin, oh and another one"."""
        if phrase.again and not phrase.size:
            head.quantity += 1
            return True
        if not (phrase.numbers and phrase.size and (head.size or head.counted) and head.item_ids):
            return False
        another = replace(head, size=phrase.size, quantity=quantity(phrase.numbers), choices=[], unmet=[])
        self._headings.append(another)
        return True

    def _divide(self, head: Heading, phrase: Phrase) -> bool:
        """Take some units of a line apart: "two coffees, one large and one small", "no cheese on one"."""
        pool = self._pool if self._pool in self._headings else head
        if not phrase.numbers or phrase.numbers[-1] in {"a", "an"} or not pool.counted:
            return False
        units = quantity(phrase.numbers)
        if units > pool.quantity or (units == pool.quantity and pool is not self._pool):
            return False
        self._pool = pool
        part = replace(pool, quantity=units, choices=list(pool.choices), unmet=list(pool.unmet))
        pool.quantity -= units
        if phrase.after_on and pool.choices:
            pool.choices.pop()
        part.size = phrase.size or pool.size
        self._headings.append(part)
        if not pool.quantity:
            self._headings.remove(pool)
        return True

    def _text(self, span: Span) -> str:
        return self._quote(span.start, span.end)


def ids(span: Span) -> tuple[str, ...]:
    """The items that a span can name."""
    return tuple(sense.identity for sense in span.items)


def _is_part(span: Span) -> bool:
    return bool(span.items) and span.items[0].tier == 2
