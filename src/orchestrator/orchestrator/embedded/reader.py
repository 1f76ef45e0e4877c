"""Spans → order lines: a left-to-right reading of noun phrases, modifiers and their scope.

The rules, in the order in which they bite:

* A number, size or measure ("side of") opens a noun phrase; modifiers inside it wait for its item
  ("a large onion and pepper pizza"). Modifiers after an item belong to it until the next phrase opens.
* What can be an item or a modifier is an item when a phrase was opened for it, else a modifier of the
  item at hand, if that item has it.
* "no" and "without" reach over "or", and over "and" to the next modifier; "extra" and "light" over one
  modifier; a modifier said without either stands for itself ("no beans, cheese" is cheese without beans).
* Modifiers that only one item on the menu takes imply that item ("a large with olives").
* A question runs until the sentence ends or an order is opened ("can I get"); what it names is not ordered.
* After a correction ("no wait", "I mean") the next phrase replaces the last one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from orchestrator.catalog import Catalog
from orchestrator.embedded.heard import Act, Choice, Heard, Line, Question, Topic
from orchestrator.embedded.normalise import Word
from orchestrator.embedded.numbers import quantity
from orchestrator.embedded.spans import Span
from orchestrator.enums import ModifierAction, Size

_ACTIONS: Final = {tag: ModifierAction(tag) for tag in ("no", "extra", "light")}
_ACTS: Final = {act.value for act in Act}
_TOPICS: Final = {f"ask_{topic.value}": topic for topic in Topic}
_VAGUE: Final = (Topic.LIST, Topic.OTHER)
_RELATIVE: Final = frozenset({"which", "that", "what"})
_PASSED_OVER: Final = ("filler", "everyday")
_INSIDE_A_PHRASE: Final = ("and", "or", "comma", "filler", "everyday", "no", "extra", "light", "size", "unknown")
_SWAPPED: Final = {Size.MEDIUM: Size.REGULAR, Size.REGULAR: Size.MEDIUM}  # one shop's medium is another's regular


@dataclass
class _Phrase:
    """A noun phrase that has no item yet."""

    numbers: list[str] = field(default_factory=list)
    size: Size | None = None
    sized_by: Span | None = None
    choices: list[tuple[Span, ModifierAction]] = field(default_factory=list)
    unknown: list[Span] = field(default_factory=list)
    opened: bool = False
    measured: bool = False

    @property
    def empty(self) -> bool:
        return not (self.numbers or self.size or self.choices or self.unknown)


@dataclass
class _Heading:
    """An order line that may still grow."""

    span: Span
    said: str
    item_ids: tuple[str, ...]
    quantity: int = 1
    counted: bool = False
    size: Size | None = None
    choices: list[tuple[Span, ModifierAction]] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)


class Reader:
    """Reads the spans of one utterance once; `heard()` is what came of it."""

    def __init__(self, utterance: str, words: list[Word], spans: list[Span], catalog: Catalog) -> None:
        self._utterance = utterance
        self._words = words
        self._spans = spans
        self._catalog = catalog
        self._lines: list[_Heading] = []
        self._acts: set[Act] = set()
        self._questions: list[Question] = []
        self._orphans: list[str] = []
        self._excluded: list[str] = []
        self._leftover: list[str] = []
        self._everyday = False
        self._phrase = _Phrase()
        self._loose_size: Size | None = None
        self._action = ModifierAction.ADD
        self._reach = ModifierAction.ADD  # the action that "and" or "or" would carry on
        self._question: Question | None = None
        self._refusing = False
        self._correcting = False
        self._joined = True

    def heard(self) -> Heard:
        """Read everything."""
        for position in range(len(self._spans)):
            self._read(position)
        self._end_sentence()
        return Heard(
            lines=tuple(self._finished(line) for line in self._lines),
            acts=frozenset(self._acts),
            questions=tuple(self._questions),
            orphans=tuple(self._orphans),
            excluded=tuple(self._excluded),
            leftover=tuple(self._leftover),
            everyday=self._everyday,
            size=self._loose_size,
        )

    # -- one span ---------------------------------------------------------------------------------

    def _read(self, position: int) -> None:
        span = self._spans[position]
        if span.is_name:
            self._name(position, span)
        else:
            tag = self._tag(position, span)
            if tag in _ACTIONS:
                self._act_on_modifiers(_ACTIONS[tag])
            elif tag in _TOPICS:
                self._ask(_TOPICS[tag], span)
            elif tag in _ACTS:
                self._act(Act(tag))
            else:
                handler = getattr(self, f"_on_{tag}", None)
                if handler:
                    handler(span)
        self._joined = span.has("and", "or", "comma", "order", "number", "with") or (
            self._joined and span.has(*_PASSED_OVER)
        )

    def _tag(self, position: int, span: Span) -> str:
        """The meaning of an ambiguous phrase: "no" before a name forbids it, before a pause it denies."""
        if "no" in span.tags and len(span.tags) > 1:
            following = self._following(position)
            forbids = following is not None and (following.is_name or following.has("unknown", "extra"))
            return "no" if forbids else next(tag for tag in span.tags if tag != "no")
        return span.tags[0]

    def _following(self, position: int) -> Span | None:
        rest = self._spans[position + 1 :]
        return next((s for s in rest if not s.has(*_PASSED_OVER, "number")), None)

    def _on_order(self, _span: Span) -> None:
        self._close_phrase()
        self._close_question()
        self._refusing = False
        self._action = ModifierAction.ADD
        self._phrase.opened = not self._lines

    def _on_with(self, span: Span) -> None:
        self._reach = ModifierAction.ADD
        self._leave_vague_question()
        if self._refusing and "add" in self._text(span):
            self._refusing = False
        self._close_phrase()
        self._action = ModifierAction.ADD

    def _on_number(self, span: Span) -> None:
        if self._question:
            if self._question.topic is not Topic.LIST or not self._joined:
                return
            self._close_question()
        if self._phrase.choices or self._phrase.unknown or self._phrase.size:
            self._close_phrase()
        self._action = self._reach = ModifierAction.ADD
        self._phrase.numbers.append(self._words[span.start].text)
        self._phrase.opened = True

    def _on_size(self, span: Span) -> None:
        if self._question:
            return
        self._phrase.size, self._phrase.sized_by = Size(span.value), span
        self._phrase.opened = True

    def _on_measure(self, span: Span) -> None:
        if self._phrase.choices:
            self._close_phrase()
        self._action = ModifierAction.ADD
        self._phrase.opened = self._phrase.measured = True
        if span.modifiers:  # "two cans of …" where the menu sells cans
            self._phrase.choices.append((span, ModifierAction.ADD))

    def _on_and(self, _span: Span) -> None:
        self._correcting = False
        self._action = self._reach

    def _on_or(self, _span: Span) -> None:
        self._action = self._reach

    def _on_comma(self, _span: Span) -> None:
        self._correcting = False

    def _on_but(self, _span: Span) -> None:
        self._close_phrase()
        self._refusing = False
        self._action = self._reach = ModifierAction.ADD

    def _on_stop(self, _span: Span) -> None:
        self._end_sentence()

    _on_mark = _on_stop

    def _on_everyday(self, _span: Span) -> None:
        self._everyday = True

    def _on_correct(self, _span: Span) -> None:
        self._leave_vague_question()
        self._correcting = bool(self._lines) or not self._phrase.empty
        self._action = ModifierAction.ADD

    def _on_unknown(self, span: Span) -> None:
        said = self._text(span)
        head = self._lines[-1] if self._lines else None
        if self._question:
            words = f"{self._question.words} {said}".strip()
            self._question = replace(self._question, words=words)
        elif self._refusing:
            self._excluded.append(said)
        elif head is None or self._phrase.opened or self._phrase.unknown or self._joined_to_nothing():
            self._phrase.unknown.append(span)
        elif head.span.end == span.start and self._is_part(head.span):
            head.said, head.item_ids, head.span = f"{head.said} {said}", (), replace(head.span, end=span.end)
        else:
            head.unmet.append(said)

    # -- names ------------------------------------------------------------------------------------

    def _name(self, position: int, span: Span) -> None:
        if self._question:
            ids = tuple(s.identity for s in span.items)
            words = f"{self._question.words} {self._text(span)}".strip()
            topics = self._question.item_ids + (ids if len(ids) == 1 else ())
            self._question = replace(self._question, item_ids=topics, words=words)
        elif self._refusing:
            self._excluded.append(self._text(span))
        elif not self._names_item(position, span):
            self._choose(position, span)
        elif self._action is ModifierAction.NO and not self._phrase.opened:
            self._excluded.append(self._text(span))
        else:
            self._order(span)

    def _names_item(self, position: int, span: Span) -> bool:
        if not span.modifiers or not span.items:
            return bool(span.items)
        if self._phrase.measured and span.items[0].tier < 2:
            return True
        if self._goes_ahead(position, span):
            return False
        if span.items[0].tier > span.modifiers[0].tier:
            return False
        fits = bool(self._lines) and self._allows(self._lines[-1].item_ids, span)
        return bool(self._phrase.numbers) or not fits

    def _choose(self, position: int, span: Span) -> None:
        head = self._lines[-1] if self._lines else None
        if head is None or self._goes_ahead(position, span) or not self._allows(head.item_ids, span):
            self._phrase.choices.append((span, self._action))
        else:
            self._attach(head, span, self._action)
        self._reach = self._action if self._action is ModifierAction.NO else ModifierAction.ADD
        self._action = ModifierAction.ADD

    def _attach(self, head: _Heading, span: Span, action: ModifierAction) -> None:
        if self._correcting:
            self._correcting = False
        head.choices.append((span, action))

    def _goes_ahead(self, position: int, span: Span) -> bool:
        """Whether a modifier belongs to an item that is still to come."""
        if self._phrase.opened or not self._lines:
            ahead = self._item_ahead(position)
            return ahead is not None and self._allows(_ids(ahead), span)
        following = self._spans[position + 1] if position + 1 < len(self._spans) else None
        if following is None or not following.items or following.modifiers or not self._joined:
            return False
        return self._action is ModifierAction.ADD and self._allows(_ids(following), span)

    def _item_ahead(self, position: int) -> Span | None:
        for span in self._spans[position + 1 :]:
            if span.items and (not span.modifiers or span.items[0].tier < span.modifiers[0].tier):
                return span
            if not span.is_name and not span.has(*_INSIDE_A_PHRASE):
                return None
        return None

    def _allows(self, item_ids: Iterable[str], span: Span) -> bool:
        wanted = {s.identity for s in span.modifiers}
        items = filter(None, map(self._catalog.item, item_ids))
        return any(m.modifier_id in wanted for item in items for m in item.available_modifiers)

    # -- phrases and lines ------------------------------------------------------------------------

    def _order(self, span: Span) -> None:
        if self._phrase.empty and self._lines and self._lines[-1].span.end == span.start:
            if self._lines[-1].item_ids == _ids(span):
                self._lines[-1].span = span  # the same thing by two names ("pizza pie")
                return
        phrase, self._phrase = self._phrase, _Phrase()
        line = _Heading(span, self._text(span), _ids(span), size=phrase.size)
        if phrase.numbers:
            line.quantity, line.counted = quantity(phrase.numbers), True
        if self._action is ModifierAction.LIGHT and line.size is None:
            line.size = Size.SMALL  # "a little coffee"
        self._action = ModifierAction.ADD
        self._distribute(phrase, line)
        if self._correcting and self._lines and phrase.opened | bool(self._lines):
            replaced = self._lines.pop()
            line.quantity = line.quantity if line.counted else replaced.quantity
        self._correcting = False
        self._lines.append(line)

    def _distribute(self, phrase: _Phrase, line: _Heading) -> None:
        """Give what came before the item to it, or to the item before, or name it as not understood."""
        before = self._lines[-1] if self._lines else None
        for choice, action in phrase.choices:
            if self._allows(line.item_ids, choice):
                line.choices.append((choice, action))
            elif before and self._allows(before.item_ids, choice):
                before.choices.append((choice, action))
            else:
                line.unmet.append(self._text(choice))
        if not phrase.unknown:
            return
        if phrase.unknown[-1].end == line.span.start and self._is_part(line.span):
            line.said, line.item_ids = self._quote(phrase.unknown[0].start, line.span.end), ()
        else:
            line.unmet.extend(map(self._text, phrase.unknown))

    def _close_phrase(self) -> None:
        """A noun phrase ends without an item."""
        phrase, self._phrase = self._phrase, _Phrase()
        head = self._lines[-1] if self._lines else None
        if phrase.unknown:
            self._name_unknown(phrase)
        elif phrase.choices:
            self._close_choices(phrase, head)
        elif head:
            self._adjust(head, phrase)
        elif phrase.size:
            self._loose_size = phrase.size

    def _close_choices(self, phrase: _Phrase, head: _Heading | None) -> None:
        left = [c for c in phrase.choices if not (head and self._allows(head.item_ids, c[0]))]
        if head:
            for span, action in phrase.choices:
                if (span, action) not in left:
                    self._attach(head, span, action)
        if not left:
            return
        first = left[0][0]
        implied = self._implied([span for span, _ in left])
        if len(implied) == 1 or (len(left) == 1 and first.items and left[0][1] is ModifierAction.ADD):
            ids = implied if len(implied) == 1 else _ids(first)
            line = _Heading(replace(first, items=()), self._text(first), ids, size=phrase.size)
            line.quantity = quantity(phrase.numbers) if phrase.numbers else 1
            line.choices = left if len(implied) == 1 else []
            self._lines.append(line)
        else:
            self._orphans.extend(self._text(span) for span, _ in left)

    def _implied(self, spans: list[Span]) -> tuple[str, ...]:
        """The items that take all of these modifiers."""
        items = self._catalog.menu.items
        return tuple(i.item_id for i in items if all(self._allows((i.item_id,), span) for span in spans))

    def _name_unknown(self, phrase: _Phrase) -> None:
        spans = [*phrase.unknown, *(span for span, _ in phrase.choices), *filter(None, [phrase.sized_by])]
        start, end = min(s.start for s in spans), max(s.end for s in spans)
        if phrase.opened:
            line = _Heading(Span(start, end), self._quote(start, end), (), size=phrase.size)
            line.quantity = quantity(phrase.numbers) if phrase.numbers else 1
            self._lines.append(line)
        else:
            self._leftover.append(self._quote(start, end))

    def _adjust(self, head: _Heading, phrase: _Phrase) -> None:
        """A size or number after its item: "coffee, large", "hash browns, two"; or a correction of either."""
        counted = [n for n in phrase.numbers if n not in {"a", "an", "one"} or self._correcting]
        if phrase.size and (head.size is None or self._correcting):
            head.size = phrase.size
        if counted and (not head.counted or self._correcting):
            head.quantity, head.counted = quantity(counted), True
        if not phrase.empty:
            self._correcting = False

    # -- questions and acts -----------------------------------------------------------------------

    def _act_on_modifiers(self, action: ModifierAction) -> None:
        self._leave_vague_question()
        if self._question or self._refusing:
            return
        self._action = action

    def _ask(self, topic: Topic, span: Span) -> None:
        if self._text(span) in _RELATIVE and self._lines and self._lines[-1].span.end == span.start:
            return  # "a pizza which has …"
        self._close_phrase()
        if self._question and not (self._question.topic in _VAGUE and topic not in _VAGUE + (Topic.HAVE,)):
            return
        self._question = replace(self._question, topic=topic) if self._question else Question(topic)

    def _act(self, act: Act) -> None:
        self._leave_vague_question()
        self._close_phrase()
        if act in {Act.DENIAL, Act.WAIT, Act.CHANGE} and self._lines:
            self._correcting = True
            return
        self._acts.add(act)
        if act in {Act.REMOVE, Act.CHANGE}:
            self._refusing = True

    def _leave_vague_question(self) -> None:
        """ "Can you …" opens a question only as long as nothing better follows."""
        if self._question and self._question.topic is Topic.OTHER and not self._question.words:
            self._question = None

    def _close_question(self) -> None:
        if self._question and (self._question.topic is not Topic.OTHER or self._question.words or self._everyday):
            self._questions.append(self._question)
        self._question = None

    def _end_sentence(self) -> None:
        self._close_phrase()
        self._close_question()
        self._refusing = False
        self._action = ModifierAction.ADD

    # -- words ------------------------------------------------------------------------------------

    def _finished(self, line: _Heading) -> Line:
        items = [item for item in map(self._catalog.item, line.item_ids) if item]
        size = line.size
        if size and items and size not in items[0].available_sizes:
            size = _SWAPPED.get(size, size)
        unmet = list(line.unmet)
        choices = []
        for span, action in line.choices:
            allowed = self._possible(line.item_ids, span, action)
            if allowed:
                choices.append(Choice(allowed, self._text(span), action))
            else:
                unmet.append(f"{action} {self._text(span)}" if action != "add" else self._text(span))
        if size and len(items) == 1 and len(items[0].available_sizes) == 1 and size not in items[0].available_sizes:
            size = None  # sold in one size: whatever size was said is that one
        return Line(line.said, line.item_ids, line.quantity, size, tuple(choices), tuple(unmet))

    def _possible(self, item_ids: Iterable[str], span: Span, action: ModifierAction) -> tuple[str, ...]:
        wanted = {s.identity for s in span.modifiers}
        items = filter(None, map(self._catalog.item, item_ids))
        found = (m for item in items for m in item.available_modifiers if m.modifier_id in wanted)
        return tuple(dict.fromkeys(m.modifier_id for m in found if action in m.actions))

    def _joined_to_nothing(self) -> bool:
        """Whether the last span was a conjunction outside a list of modifiers: a new thing begins."""
        return self._joined and self._action is ModifierAction.ADD

    def _is_part(self, span: Span) -> bool:
        return bool(span.items) and span.items[0].tier == 2

    def _text(self, span: Span) -> str:
        return self._quote(span.start, span.end)

    def _quote(self, start: int, end: int) -> str:
        return self._utterance[self._words[start].start : self._words[end - 1].end]


def _ids(span: Span) -> tuple[str, ...]:
    return tuple(sense.identity for sense in span.items)
