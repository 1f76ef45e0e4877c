"""Spans → what was heard: one pass from left to right that decides what each word does.

* "no" and "without" reach over "or", and over "and" to the next modifier; "extra" and "light" over one
  modifier; a modifier said without either stands for itself ("no beans, cheese" is cheese without beans).
* A question runs until the sentence ends or an order is opened ("can I get"); what it names is not ordered.
* What is named to be removed or changed is not ordered either.

Whether a name is an item or a modifier is decided in `roles.py`, what belongs to which item in `lines.py`.
"""

from typing import Final

from orchestrator.catalog import Catalog
from orchestrator.embedded.asking import Asking
from orchestrator.embedded.heard import Act, Heard, Topic
from orchestrator.embedded.lines import Lines, ids
from orchestrator.embedded.normalise import Word
from orchestrator.embedded.roles import Roles
from orchestrator.embedded.spans import Span
from orchestrator.enums import ModifierAction, Size

ADD, NO, LIGHT = ModifierAction.ADD, ModifierAction.NO, ModifierAction.LIGHT
_ACTIONS: Final = {tag: ModifierAction(tag) for tag in ("no", "extra", "light")}
_ACTS: Final = {act.value for act in Act}
_TOPICS: Final = {f"ask_{topic.value}": topic for topic in Topic}
_RELATIVE: Final = frozenset({"which", "that", "what"})
_PASSED_OVER: Final = ("filler", "everyday")


class Reader:
    """Reads the spans of one utterance once; `heard()` is what came of it."""

    def __init__(self, utterance: str, words: list[Word], spans: list[Span], catalog: Catalog) -> None:
        self._utterance = utterance
        self._words = words
        self._spans = spans
        self._lines = Lines(catalog, self._quote)
        self._roles = Roles(spans, self._lines, catalog)
        self._acts: set[Act] = set()
        self._asking = Asking()
        self._excluded: list[str] = []
        self._everyday = False
        self._action = ADD
        self._reach = ADD  # the action that "and" or "or" would carry on
        self._refusing = False
        self._said_no = False  # "no" itself was said, not carried on by "and"
        self._times = False
        self._joined = True  # whether the next word begins something, after "and", a comma, a number …

    def heard(self) -> Heard:
        """Read everything."""
        for position, span in enumerate(self._spans):
            self._read(position, span)
            begins = span.has("and", "or", "comma", "order", "number", "with")
            self._joined = begins or (self._joined and span.has(*_PASSED_OVER))
            self._times = span.has("times")
        self._end_sentence()
        return Heard(
            lines=self._lines.finished(),
            acts=frozenset(self._acts),
            questions=tuple(self._asking.questions),
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
            self._act(Act(tag), span)
        elif handler := getattr(self, f"_on_{tag}", None):
            handler(span)

    def _tag(self, position: int, span: Span) -> str:
        """The meaning of an ambiguous phrase: "no" before a name forbids it, before a pause it denies."""
        if "no" in span.tags and len(span.tags) > 1:
            rest = self._spans[position + 1 :]
            following = next((s for s in rest if not s.has(*_PASSED_OVER)), None)
            forbids = following is not None and (following.is_name or following.has("unknown", "extra"))
            return "no" if forbids else next(tag for tag in span.tags if tag != "no")
        return span.tags[0]

    # -- words that do something ------------------------------------------------------------------

    def _on_order(self, _span: Span) -> None:
        self._lines.close()
        self._asking.close(everyday=self._everyday)
        self._refusing = False
        self._action = self._reach = ADD
        self._lines.phrase.opened = self._lines.head is None

    def _on_with(self, span: Span) -> None:
        self._asking.leave_vague()
        if "add" in self._text(span):
            self._refusing = False
        if not self._lines.phrase.choices or self._lines.head:
            self._lines.close()  # else "ketchup with the hash browns": its item is still to come
        self._action = self._reach = ADD

    def _on_number(self, span: Span) -> None:
        if self._asking.topic:
            if self._asking.topic is not Topic.LIST or not self._joined:
                return
            self._asking.close(everyday=self._everyday)
        if self._times and self._lines.head:
            self._lines.recount(self._words[span.start].text)
            return
        phrase = self._lines.phrase
        refused = self._said_no and phrase.empty
        apart = bool(phrase.numbers) and phrase.begins != span.start  # "no cheese on one, and three coffees"
        if apart or phrase.choices or phrase.unknown or phrase.size:
            self._lines.close()
        self._action, self._reach = NO if refused else ADD, ADD
        said = " ".join(word.text for word in self._words[span.start : span.end])
        phrase = self._lines.phrase
        phrase.numbers.append(said)
        phrase.opened, phrase.begins = True, span.end
        phrase.refused = refused
        phrase.after_on = span.start > 0 and self._words[span.start - 1].text == "on"

    def _on_size(self, span: Span) -> None:
        if not self._asking.topic:
            phrase = self._lines.phrase
            phrase.refused = phrase.refused or (self._said_no and phrase.empty)
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
        self._action, self._said_no = self._reach, False

    def _on_or(self, _span: Span) -> None:
        self._action = self._reach

    def _on_but(self, _span: Span) -> None:
        self._lines.close()
        self._refusing = False
        self._action = self._reach = ADD

    def _on_stop(self, _span: Span) -> None:
        self._end_sentence()

    _on_mark = _on_stop

    def _on_allergy(self, _span: Span) -> None:
        """What somebody is allergic to is not ordered."""
        self._asking.leave_vague()
        self._lines.close()
        self._acts.add(Act.DIET)
        self._refusing = True

    def _on_nevermind(self, _span: Span) -> None:
        self._asking.leave_vague()
        if not self._lines.drop_head():
            self._acts.add(Act.WAIT)

    def _on_again(self, _span: Span) -> None:
        self._lines.close()
        self._lines.phrase.again = self._lines.phrase.opened = True

    def _on_every(self, _span: Span) -> None:
        self._lines.close()
        self._lines.phrase.every = True

    def _on_half(self, span: Span) -> None:
        head = self._lines.head
        if head and head.counted and head.quantity > 1:
            self._lines.close()
            self._lines.phrase.numbers.append(str(head.quantity // 2))
            self._lines.phrase.opened, self._lines.phrase.begins = True, span.end
        else:
            self._act_on_modifiers(LIGHT)

    def _on_rest(self, _span: Span) -> None:
        self._lines.take_rest()
        self._action = self._reach = ADD

    def _on_everyday(self, _span: Span) -> None:
        self._everyday = True

    def _on_correct(self, span: Span) -> None:
        if self._lines.head is None and "make" in self._text(span):
            self._act(Act.CHANGE, span)  # of something that was ordered before
            return
        self._asking.leave_vague()
        self._lines.correcting = self._lines.head is not None
        self._action = ADD

    def _on_unknown(self, span: Span) -> None:
        following = next((s for s in self._spans if s.start == span.end), None)
        if self._asking.topic:
            self._asking.hear(self._text(span))
        elif self._refusing:
            self._excluded.append(self._text(span))
        else:
            self._lines.unknown(span, self._action, joined=self._joined and self._action is ADD)
            if not (following and following.is_name):  # "without adding ham"
                self._consume_action()

    # -- names ------------------------------------------------------------------------------------

    def _name(self, position: int, span: Span) -> None:
        if self._asking.topic:
            self._asking.hear(self._text(span), ids(span) if len(span.items) == 1 else ())
        elif self._refusing:
            self._excluded.append(self._text(span))
        elif not self._roles.names_item(position, joined=self._joined_for_add):
            self._name_modifier(position, span)
        elif self._lines.phrase.refused or (self._said_no and not self._lines.phrase.opened):
            self._excluded.append(self._text(span))
            self._lines.drop_phrase()
            self._reset_action()
        elif self._roles.is_unmet(position):
            self._lines.unknown(span, self._action, joined=False)
        else:
            if not self._lines.narrow(span):
                self._lines.order(span, little=self._action is LIGHT, twofold=self._twofold(position))
            self._reset_action()

    def _name_modifier(self, position: int, span: Span) -> None:
        ahead = self._roles.goes_ahead(position, joined=self._joined_for_add)
        if not ahead and self._lines.head_allows(span):
            self._lines.count_for_head(directly=self._roles.counted(position))
        self._lines.choose(span, self._action, ahead=ahead)
        self._consume_action()

    def _consume_action(self) -> None:
        """An action holds for one modifier; "and" or "or" may carry "no" on to the next."""
        self._reach = NO if self._action is NO else ADD
        self._action, self._said_no = ADD, False

    def _reset_action(self) -> None:
        self._action = self._reach = ADD
        self._said_no = False

    def _twofold(self, position: int) -> str:
        """The word "double" or "triple" before an item not sold so: to be named, not dropped."""
        before = self._text(self._spans[position - 1]) if position else ""
        return before if before in {"double", "triple"} else ""

    @property
    def _joined_for_add(self) -> bool:
        return self._joined and self._action is ADD

    # -- questions and acts -----------------------------------------------------------------------

    def _act_on_modifiers(self, action: ModifierAction) -> None:
        self._asking.leave_vague()
        if not self._asking.topic and not self._refusing:
            self._action, self._said_no = action, action is NO

    def _ask(self, topic: Topic, span: Span) -> None:
        head, bare = self._lines.head, self._text(span) in _RELATIVE
        if bare and head and head.span.end == span.start:
            return  # "a pizza which has …"
        self._lines.close()
        self._asking.ask(topic, bare=bare)

    def _act(self, act: Act, span: Span) -> None:
        if act is Act.DIET:
            self._acts.add(act)
            return
        self._asking.leave_vague()
        if act is Act.DENIAL and self._lines.take_back():
            return  # "a small, no, a large coffee"
        if act is Act.DONE and self._lines.head and self._text(span) == "nothing":
            return  # "a coffee with nothing"
        self._lines.close()
        if act in {Act.DENIAL, Act.CHANGE} and self._lines.head:
            self._lines.correcting = True
            return
        self._acts.add(act)
        self._refusing = self._refusing or act in {Act.REMOVE, Act.CHANGE}

    def _end_sentence(self) -> None:
        self._lines.close()
        self._asking.close(everyday=self._everyday)
        self._refusing = False
        self._action = self._reach = ADD

    def _text(self, span: Span) -> str:
        return self._quote(span.start, span.end)

    def _quote(self, start: int, end: int) -> str:
        return self._utterance[self._words[start].start : self._words[end - 1].end]
