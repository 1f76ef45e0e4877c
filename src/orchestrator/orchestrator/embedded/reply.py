"""What to say at the end of a turn: what was done, what could not be, answers, and one question."""

from dataclasses import dataclass, field, replace
from typing import Any, Final

from orchestrator.catalog import Catalog
from orchestrator.embedded.dialogue import Answer, Asked, Plan, Situation, Step
from orchestrator.embedded.heard import Act, Line
from orchestrator.embedded.menu_talk import MenuTalk
from orchestrator.embedded.phrase import Speaker, indefinite, listed
from orchestrator.embedded.plan import MOST_UNKNOWN
from orchestrator.models import Item
from orchestrator.words import content, stems

_SMALL_TALK: Final = {Act.WAIT: "take_your_time", Act.THANKS: "welcome"}


@dataclass
class Reply:
    """Collects the sentences of one reply; the first open question ends it."""

    situation: Situation
    plan: Plan
    catalog: Catalog
    speaker: Speaker
    _parts: list[str] = field(default_factory=list)
    _asks: Asked = field(default_factory=Asked)
    _question: str = ""
    _offered: Asked | None = None
    _notes: list[str] = field(default_factory=list)

    def step(self) -> Step:
        """The reply, with why it is what it is."""
        acts = self.plan.heard.acts
        if Act.GREETING in acts:
            self._say("greeted", "hello")
        self._added()
        self._problems()
        self._questions()
        self._acts()
        self._read_back()
        self._close()
        if self._offered and not self._question:
            self._asks = self._offered
        elif self._offered and self._asks.kind == "more":
            self._asks = replace(self._asks, options=self._offered.options)  # "two of those"
        text = " ".join(filter(None, [*self._parts, self._question]))
        return Step(f"Replying: {', '.join(self._notes) or 'nothing to do'}", reply=text, asks=self._asks)

    # -- parts ------------------------------------------------------------------------------------

    def _say(self, note: str, key: str, **values: str) -> None:
        self._notes.append(note)
        self._parts.append(self.speaker.say(key, **values))

    def _ask(self, note: str, asks: Asked, key: str, **values: str) -> None:
        """Ask one thing; a second open question in one reply would confuse, so it waits."""
        self._notes.append(note)
        if not self._question:
            self._asks, self._question = asks, self.speaker.say(key, **values)
        elif about := values.get("said") or values.get("name"):
            self._parts.append(self.speaker.say("later", said=about))

    def _added(self) -> None:
        added = [a.facts for a in self.situation.of("add_item_to_order") if a.facts.get("added")]
        if added:
            self._say("said what was added", "added", lines=self.speaker.lines(added))
        for answer in self.situation.of("add_item_to_order"):
            if not answer.facts.get("added"):
                self._say(
                    "explained a refusal", "refused", why=str(answer.facts.get("error", "that did not work"))
                )
        if self.plan.cut:
            self._say("too many things at once", "too_much", count=str(len(self.plan.lines)))

    def _problems(self) -> None:
        looked_up = {a.args.get("item_name"): a for a in self.situation.of("lookup_menu_item")}
        for line in self.plan.lines:
            item = self.catalog.item(line.item_ids[0]) if len(line.item_ids) == 1 else None
            answer = looked_up.get(item.name if item else line.said)
            self._line_problem(line, answer)
        for words in self.plan.heard.leftover[:MOST_UNKNOWN]:
            self._unknown_words(words, looked_up.get(words))
        heard = self.plan.heard
        if heard.acts & {Act.REMOVE, Act.CHANGE} or (heard.orphans and self.situation.ordered):
            self._say("cannot change the order yet", "cannot_change")
        elif heard.orphans:
            asked = Asked(self.situation.asked.kind, self.situation.asked.options)
            self._ask("a change without an item", asked, "orphan", said=listed(heard.orphans))

    def _line_problem(self, line: Line, answer: Answer | None) -> None:
        facts = answer.facts if answer else {}
        if len(line.item_ids) > 1:
            self._which(line)
        elif not facts.get("found"):
            self._not_on_menu(line.said, facts, line)
        elif facts.get("sold_out"):
            self._say("sold out", "refused", why=f"the {facts['name']} is sold out today")
        elif line.size and line.size not in facts["available_sizes"]:
            asks = Asked("size", (facts["item_id"],), _waiting(line))
            sizes = listed(facts["available_sizes"])
            self._ask("size not sold", asks, "which_size", name=facts["name"], sizes=sizes)
        unclear = [c.said for c in line.choices if len(c.modifier_ids) != 1]
        for said in [*line.unmet, *unclear] if facts.get("found") else ():
            self._say("could not do a change", "unmet", said=said, name=facts["name"])

    def _which(self, line: Line) -> None:
        options = [item for item in map(self.catalog.item, line.item_ids) if item and item.available]
        asks = Asked("which", tuple(item.item_id for item in options), _waiting(line))
        names = self.speaker.names(options, "or")
        self._ask("several items fit", asks, "which", said=line.said, options=names)

    def _not_on_menu(self, said: str, facts: dict[str, Any], line: Line | None = None) -> None:
        self._say("not on the menu", "not_on_menu", said=said)
        options = [item for name in facts.get("suggestions", ()) if (item := self.catalog.find(name).item)]
        if options:
            asks = Asked("offer", tuple(item.item_id for item in options), _waiting(line) if line else {})
            self._ask("offered alternatives", asks, "how_about", options=self._offer(options))

    def _offer(self, options: list[Item]) -> str:
        return listed([indefinite(item.name) for item in options], "or")

    def _unknown_words(self, words: str, answer: Answer | None) -> None:
        facts = answer.facts if answer else {}
        close = [facts["name"]] if facts.get("found") else facts.get("suggestions", [])
        said = set(content(stems(words)))
        if related := [name for name in close if facts.get("found") or said & set(stems(name))]:
            self._not_on_menu(words, {"suggestions": related})
        else:
            self._say("named what was not understood", "not_understood_part", said=words)

    def _questions(self) -> None:
        if Act.DIET in self.plan.heard.acts:
            self._say("diet: only the crew can say", "diet")
            return
        talk = MenuTalk(self.situation, self.catalog, self.speaker)
        for question in self.plan.heard.questions:
            text, offered = talk.answer(question)
            self._notes.append(f"answered a question about {question.topic}")
            self._parts.append(text)
            if offered and not self._question:
                self._offered = Asked("offer", offered)

    def _acts(self) -> None:
        for act, key in _SMALL_TALK.items():
            if act in self.plan.heard.acts and not self.plan.lines:
                self._say(f"customer: {act}", key)
        if Act.PERSON in self.plan.heard.acts:
            self._say("customer wants a person", "person")

    def _read_back(self) -> None:
        answers = self.situation.of("get_current_order")
        if not answers:
            return
        order = answers[-1].facts
        if not order.get("items"):
            self._ask("nothing ordered yet", Asked(), "nothing_yet")
            return
        lines = self.speaker.lines(order["items"])
        if self.plan.read_back == "recall":
            self._say("told the order so far", "so_far", lines=lines)
        else:
            self._ask("read the order back", Asked("confirm"), "read_back", lines=lines)

    # -- the end ----------------------------------------------------------------------------------

    def _close(self) -> None:
        """Every reply ends on what the customer can do next."""
        if self._question or (self._offered and self._parts[-1].endswith("?")):
            return
        asked, acts = self.situation.asked, self.plan.heard.acts
        idle = not (self.situation.answers or self.plan.heard.questions)
        if not self._notes and not acts & {Act.DENIAL, Act.YES} and not self.plan.heard.excluded:
            self._not_understood(asked)
        elif idle and (Act.DENIAL in acts or self.plan.heard.excluded) and not self._notes:
            self._declined(asked)
        elif idle and Act.YES in acts:
            self._agreed(asked)
        elif acts & {Act.PERSON, Act.WAIT}:
            self._asks = asked
        elif asked.kind == "confirm" and not self.situation.of("add_item_to_order"):
            self._ask("the read-back still stands", asked, "confirm_again")
        else:
            self._ask_for_more()

    def _not_understood(self, asked: Asked) -> None:
        """Say so, and leave open what was asked before."""
        heard = self.plan.heard
        if asked.kind == "confirm":
            self._say("nothing understood", "missed")
            self._ask("the read-back still stands", asked, "confirm_again")
        elif heard.everyday and not (heard.leftover or heard.number):
            self._say("small talk", "chat")
            self._ask("asked for the order", asked, "what_can_i_get")
        else:
            self._ask("nothing understood", asked, "not_understood")

    def _declined(self, asked: Asked) -> None:
        if asked.kind == "confirm":
            self._ask("the order is not right", Asked("more"), "not_right")
        else:
            self._say("customer declined", "no_problem")
            self._ask_for_more()

    def _agreed(self, asked: Asked) -> None:
        options = [item for item in map(self.catalog.item, asked.options) if item]
        if asked.kind in {"which", "offer"} and options:
            which = Asked("which", asked.options, asked.line)
            names = self.speaker.names(options, "or")
            self._ask("agreed, but to which?", which, "which_of_these", options=names)
        else:
            self._ask("customer wants more", Asked("more"), "what_else")

    def _ask_for_more(self) -> None:
        key = "anything_else" if self.situation.ordered else "what_can_i_get"
        self._ask("asked for more", Asked("more"), key)


def _waiting(line: Line) -> dict[str, Any]:
    """A line that waits for an answer, as JSON that a checkpoint keeps."""
    choices = [
        {"modifier_id": c.modifier_ids[0], "said": c.said, "action": c.action.value}
        for c in line.choices
        if len(c.modifier_ids) == 1
    ]
    return {"quantity": line.quantity, "size": line.size.value if line.size else None, "choices": choices}
