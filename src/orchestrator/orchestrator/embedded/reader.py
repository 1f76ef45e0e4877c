"""Spans → what was heard: one pass from left to right that decides what each word does.

* What can be an item or a modifier is an item when a phrase was opened for it, else a modifier of the
  item at hand, if that item has it.
* "no" and "without" reach over "or", and over "and" to the next modifier; "extra" and "light" over one
  modifier; a modifier said without either stands for itself ("no beans, cheese" is cheese without beans).
* A question runs until the sentence ends or an order is opened ("can I get"); what it names is not ordered.
* What is named to be removed or changed is not ordered either.

What belongs to which item is decided in `lines.py`.
"""

from dataclasses import replace
from typing import Final

from orchestrator.catalog import Catalog
from orchestrator.embedded.heard import Act, Heard, Question, Topic
from orchestrator.embedded.lines import Lines, ids
from orchestrator.embedded.normalise import Word
from orchestrator.embedded.spans import Span
from orchestrator.enums import ModifierAction, Size

ADD, NO, LIGHT = ModifierAction.ADD, ModifierAction.NO, ModifierAction.LIGHT
_ACTIONS: Final = {tag: ModifierAction(tag) for tag in ("no", "extra", "light")}
_ACTS: Final = {act.value for act in Act}
_TOPICS: Final = {f"ask_{topic.value}": topic for topic in Topic}
_VAGUE: Final = (Topic.LIST, Topic.OTHER)
_RELATIVE: Final = frozenset({"which", "that", "what"})
_PASSED_OVER: Final = ("filler", "everyday")
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


class Reader:
    """Reads the spans of one utterance once; `heard()` is what came of it."""

    def __init__(self, utterance: str, words: list[Word], spans: list[Span], catalog: Catalog) -> None:
        self._utterance = utterance
        self._words = words
        self._spans = spans
        self._lines = Lines(catalog, self._quote)
        self._acts: set[Act] = set()
        self._questions: list[Question] = []
        self._excluded: list[str] = []
        self._everyday = False
        self._action = ADD
        self._reach = ADD  # the action that "and" or "or" would carry on
        self._question: Question | None = None
        self._bare_word = False  # the question is a mere "what" so far
        self._refusing = False
        self._joined = True  # whether the next word begins something, after "and", a comma, a number …

    def heard(self) -> Heard:
        """Read everything."""
        for position, span in enumerate(self._spans):
            self._read(position, span)
            begins = span.has("and", "or", "comma", "order", "number", "with")
            self._joined = begins or (self._joined and span.has(*_PASSED_OVER))
        self._end_sentence()
        return Heard(
            lines=self._lines.finished(),
            acts=frozenset(self._acts),
            questions=tuple(self._questions),
            orphans=tuple(self._lines.orphans),
            excluded=tuple(self._excluded),
            leftover=tuple(self._lines.leftover),
            everyday=self._everyday,
            size=self._lines.loose_size,
            number=self._lines.loose_number,
        )

    def _read(self, position: int, span: Span) -> None:
        if span.is_name:
            self._name(position, span)
            return
        tag = self._tag(position, span)
        if tag in _ACTIONS:
            self._act_on_modifiers(_ACTIONS[tag])
        elif tag in _TOPICS:
            self._ask(_TOPICS[tag], span)
        elif tag in _ACTS:
            self._act(Act(tag))
        elif handler := getattr(self, f"_on_{tag}", None):
            handler(span)

    def _tag(self, position: int, span: Span) -> str:
        """The meaning of an ambiguous phrase: "no" before a name forbids it, before a pause it denies."""
        if "no" in span.tags and len(span.tags) > 1:
            rest = self._spans[position + 1 :]
            following = next((s for s in rest if not s.has(*_PASSED_OVER, "number")), None)
            forbids = following is not None and (following.is_name or following.has("unknown", "extra"))
            return "no" if forbids else next(tag for tag in span.tags if tag != "no")
        return span.tags[0]

    # -- words that do something ------------------------------------------------------------------

    def _on_order(self, _span: Span) -> None:
        self._lines.close()
        self._close_question()
        self._refusing = False
        self._action = self._reach = ADD
        self._lines.phrase.opened = self._lines.head is None

    def _on_with(self, span: Span) -> None:
        self._leave_vague_question()
        if "add" in self._text(span):
            self._refusing = False
        self._lines.close()
        self._action = self._reach = ADD

    def _on_number(self, span: Span) -> None:
        if self._question:
            if self._question.topic is not Topic.LIST or not self._joined:
                return
            self._close_question()
        phrase = self._lines.phrase
        apart = bool(phrase.numbers) and phrase.begins != span.start  # "no cheese on one, and three coffees"
        if apart or phrase.choices or phrase.unknown or phrase.size:
            self._lines.close()
        self._action = self._reach = ADD
        said = " ".join(word.text for word in self._words[span.start : span.end])
        phrase = self._lines.phrase
        phrase.numbers.append(said)
        phrase.opened, phrase.begins = True, span.end
        phrase.after_on = span.start > 0 and self._words[span.start - 1].text == "on"

    def _on_size(self, span: Span) -> None:
        if not self._question:
            phrase = self._lines.phrase
            phrase.size, phrase.sized_by, phrase.opened = Size(span.value), span, True

    def _on_measure(self, span: Span) -> None:
        if self._lines.phrase.choices:
            self._lines.close()
        self._action = ADD
        phrase = self._lines.phrase
        phrase.opened = phrase.measured = True
        if span.modifiers:  # "two cans of …" where the menu sells cans
            phrase.choices.append((span, ADD))

    def _on_and(self, _span: Span) -> None:
        self._lines.correcting = False
        self._action = self._reach

    def _on_or(self, _span: Span) -> None:
        self._action = self._reach

    def _on_but(self, _span: Span) -> None:
        self._lines.close()
        self._refusing = False
        self._action = self._reach = ADD

    def _on_stop(self, _span: Span) -> None:
        self._end_sentence()

    _on_mark = _on_stop

    def _on_rest(self, _span: Span) -> None:
        self._lines.take_rest()
        self._action = self._reach = ADD

    def _on_everyday(self, _span: Span) -> None:
        self._everyday = True

    def _on_correct(self, span: Span) -> None:
        if self._lines.head is None and "make" in self._text(span):
            self._act(Act.CHANGE)  # of something that was ordered before
            return
        self._leave_vague_question()
        self._lines.correcting = self._lines.head is not None
        self._action = ADD

    def _on_unknown(self, span: Span) -> None:
        if self._question:
            self._question = replace(
                self._question, words=f"{self._question.words} {self._text(span)}".strip()
            )
        elif self._refusing:
            self._excluded.append(self._text(span))
        else:
            self._lines.unknown(span, joined=self._joined and self._action is ADD)

    # -- names ------------------------------------------------------------------------------------

    def _name(self, position: int, span: Span) -> None:
        if self._question:
            named = ids(span) if len(span.items) == 1 else ()
            words = f"{self._question.words} {self._text(span)}".strip()
            self._question = replace(self._question, item_ids=self._question.item_ids + named, words=words)
        elif self._refusing:
            self._excluded.append(self._text(span))
        elif not self._names_item(position, span):
            ahead = self._goes_ahead(position, span)
            if not ahead and self._lines.head_allows(span):
                self._lines.count_for_head(units=not self._counted(position))
            self._lines.choose(span, self._action, ahead=ahead)
            self._reach = NO if self._action is NO else ADD
            self._action = ADD
        elif self._action is NO and not self._lines.phrase.opened:
            self._excluded.append(self._text(span))
        else:
            if not self._lines.narrow(span):
                self._lines.order(span, little=self._action is LIGHT, twofold=self._twofold(position))
            self._action = self._reach = ADD

    def _twofold(self, position: int) -> str:
        """The word "double" or "triple" before an item not sold so: to be named, not dropped."""
        before = self._text(self._spans[position - 1]) if position else ""
        return before if before in {"double", "triple"} else ""

    def _counted(self, position: int) -> bool:
        """Whether a number stands directly before a name ("three creams")."""
        before = (s for s in reversed(self._spans[:position]) if not s.has("filler"))
        return next((s.has("number", "measure") for s in before), False)

    def _names_item(self, position: int, span: Span) -> bool:
        if not span.modifiers or not span.items:
            return bool(span.items)
        whole = span.items[0].tier < 2
        if self._lines.phrase.measured and whole:
            return True
        if self._goes_ahead(position, span) or span.items[0].tier > span.modifiers[0].tier:
            return False
        return bool(self._lines.phrase.numbers) or not self._lines.head_allows(span)

    def _goes_ahead(self, position: int, span: Span) -> bool:
        """Whether a modifier belongs to an item that is still to come."""
        if self._lines.phrase.opened or self._lines.head is None:
            ahead = self._item_ahead(position)
            return ahead is not None and self._lines.allows(ids(ahead), span)
        following = self._spans[position + 1] if position + 1 < len(self._spans) else None
        if following is None or not following.items or following.modifiers:
            return False
        return self._joined and self._action is ADD and self._lines.allows(ids(following), span)

    def _item_ahead(self, position: int) -> Span | None:
        for span in self._spans[position + 1 :]:
            if span.items and (not span.modifiers or span.items[0].tier < span.modifiers[0].tier):
                return span
            if not span.is_name and not span.has(*_INSIDE_A_PHRASE):
                return None
        return None

    # -- questions and acts -----------------------------------------------------------------------

    def _act_on_modifiers(self, action: ModifierAction) -> None:
        self._leave_vague_question()
        if not self._question and not self._refusing:
            self._action = action

    def _ask(self, topic: Topic, span: Span) -> None:
        head = self._lines.head
        if self._text(span) in _RELATIVE and head and head.span.end == span.start:
            return  # "a pizza which has …"
        self._lines.close()
        self._bare_word = self._question is None and self._text(span) in _RELATIVE
        if self._question is None:
            self._question = Question(topic)
        elif self._question.topic in _VAGUE and topic not in (*_VAGUE, Topic.HAVE):
            self._question = replace(self._question, topic=topic)

    def _act(self, act: Act) -> None:
        self._leave_vague_question()
        self._lines.close()
        if act in {Act.DENIAL, Act.WAIT, Act.CHANGE} and self._lines.head:
            self._lines.correcting = True
            return
        self._acts.add(act)
        self._refusing = self._refusing or act in {Act.REMOVE, Act.CHANGE}

    def _leave_vague_question(self) -> None:
        """Forget "can you …" as a question when something better follows."""
        if self._question and self._question.topic is Topic.OTHER and not self._question.words:
            self._question = None

    def _close_question(self) -> None:
        question, self._question = self._question, None
        if question and question.topic is Topic.LIST and self._bare_word and not question.words:
            return  # "you know what, …"
        if question and (question.topic is not Topic.OTHER or question.words or self._everyday):
            self._questions.append(question)

    def _end_sentence(self) -> None:
        self._lines.close()
        self._close_question()
        self._refusing = False
        self._action = self._reach = ADD

    def _text(self, span: Span) -> str:
        return self._quote(span.start, span.end)

    def _quote(self, start: int, end: int) -> str:
        return self._utterance[self._words[start].start : self._words[end - 1].end]
