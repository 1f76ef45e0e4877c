"""Utterance and situation → what this turn should do."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, Literal

from orchestrator.catalog import Catalog
from orchestrator.embedded.dialogue import Asked, Plan, Situation
from orchestrator.embedded.heard import Act, Choice, Heard, Line, Topic
from orchestrator.embedded.parse import parse
from orchestrator.enums import ModifierAction, Size
from orchestrator.words import content, stems

MOST_UNKNOWN: Final = 2  # unknown things that a reply names; more of them is noise, not an order
MOST_LINES: Final = 20  # things that one turn takes; nobody can check a longer list by ear
_ORDINALS: Final = {"first": 0, "second": 1, "third": 2, "last": -1}


def make_plan(situation: Situation, catalog: Catalog) -> Plan:
    """What to do about the customer's last words."""
    heard = parse(situation.utterance, catalog)
    if answered := _answer_to_question(situation, heard, catalog):
        return Plan(replace(heard, lines=(answered,), leftover=(), orphans=()), lines=(answered,))
    lines = _merged(heard.lines)
    return Plan(
        heard=heard,
        lines=lines[:MOST_LINES],
        read_back=_read_back(situation.asked, heard),
        submit=_confirmed(situation.asked, heard),
        lookups=tuple(_asked_about(situation, heard, catalog)),
        cut=len(lines[MOST_LINES:]),
    )


def line_of(asked: Asked, item_id: str, catalog: Catalog) -> Line:
    """The order line that waited for an answer, now that its item is known."""
    item = catalog.item(item_id)
    waiting = asked.line
    choices = tuple(
        Choice((str(c["modifier_id"]),), str(c["said"]), ModifierAction(c["action"]))
        for c in waiting.get("choices", ())
    )
    size = waiting.get("size")
    return Line(
        said=item.name if item else item_id,
        item_ids=(item_id,),
        quantity=int(waiting.get("quantity", 1)),
        size=Size(size) if size else None,
        choices=choices,
    )


def _answer_to_question(situation: Situation, heard: Heard, catalog: Catalog) -> Line | None:
    asked = situation.asked
    if not asked.options or Act.DENIAL in heard.acts:
        return None
    if asked.kind == "size":
        size = heard.size
        return (
            replace(line_of(asked, asked.options[0], catalog), size=size)
            if size and not heard.lines
            else None
        )
    named = heard.lines[0].item_ids if heard.lines else ()
    chosen = _chosen(situation.utterance, asked.options, catalog) if asked.kind != "more" else None
    if len(named) == 1 and (asked.kind != "which" or not _says_no_more(heard.lines[0].said, chosen, catalog)):
        chosen = named[0] if named[0] in asked.options else None
    if chosen is None and _takes_it(asked, heard) and len(asked.options) == 1:
        chosen = asked.options[0]
    if chosen is None or len(heard.lines) > 1:
        return None
    line = line_of(asked, chosen, catalog)
    if not heard.lines:
        return replace(line, size=heard.size or line.size, quantity=heard.number or line.quantity)
    said = heard.lines[0]
    return replace(
        line,
        quantity=said.quantity if said.quantity > 1 else line.quantity,
        size=said.size or line.size,
        choices=(*line.choices, *(said.choices if len(said.item_ids) == 1 else ())),
    )


def _says_no_more(said: str, item_id: str | None, catalog: Catalog) -> bool:
    """Whether all that was said is in an item's name: "egg", asked which muffin, is no order of eggs."""
    item = catalog.item(item_id) if item_id else None
    return item is not None and set(content(stems(said))) <= set(content(stems(item.name)))


def _takes_it(asked: Asked, heard: Heard) -> bool:
    """Whether an item just talked about is taken: "two of those", "a large one", or "yes" to an offer."""
    other = heard.lines or heard.orphans or heard.excluded or heard.leftover or heard.questions
    agreed = asked.kind != "more" and Act.YES in heard.acts
    return not other and bool(agreed or heard.number or heard.size)


def _chosen(utterance: str, options: Iterable[str], catalog: Catalog) -> str | None:
    """The one option that an answer picks: by the words of its name, else by its place ("the first one")."""
    said = {catalog.correct(word) for word in content(stems(utterance))}
    scores: dict[str, tuple[int, int]] = {}
    listed = list(options)
    for option in listed:
        item = catalog.item(option)
        words = set(content(stems(item.name))) if item else set()
        if shared := words & said:
            scores[option] = (len(shared), -len(words))
    if scores:
        best = max(scores.values())
        winners = [option for option, score in scores.items() if score == best]
        return winners[0] if len(winners) == 1 else None
    places = [_ORDINALS[word] for word in said if word in _ORDINALS]
    return listed[places[0]] if len(places) == 1 and -len(listed) <= places[0] < len(listed) else None


def _merged(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Equal lines said twice are one line, so that a long utterance stays a short batch."""
    merged: dict[Line, int] = {}
    for line in lines:
        alike = replace(line, quantity=1)
        merged[alike] = merged.get(alike, 0) + line.quantity
    return tuple(replace(line, quantity=count) for line, count in merged.items())


def _read_back(asked: Asked, heard: Heard) -> Literal["", "recall", "confirm"]:
    if Act.DONE in heard.acts:
        return "confirm"
    if asked.kind == "confirm" and heard.lines:
        return "confirm"  # an addition at the read-back: read it again right away
    refused_more = asked.kind == "more" and Act.DENIAL in heard.acts
    if refused_more and not (heard.lines or heard.questions or heard.leftover):
        return "confirm"
    if Act.RECALL in heard.acts:
        return "confirm" if asked.kind == "confirm" else "recall"
    return ""


def _confirmed(asked: Asked, heard: Heard) -> bool:
    agreed = heard.acts & {Act.YES, Act.DONE} and not heard.acts & {
        Act.DENIAL,
        Act.REMOVE,
        Act.CHANGE,
        Act.RECALL,
    }
    loose = heard.lines or heard.questions or heard.orphans or heard.excluded or heard.leftover or heard.size
    return asked.kind == "confirm" and bool(agreed) and not loose


def _asked_about(situation: Situation, heard: Heard, catalog: Catalog) -> Iterable[str]:
    """Names to look up so that questions are answered from the menu."""
    for question in heard.questions:
        if question.topic not in {Topic.HAVE, Topic.CONTENTS, Topic.SIZE}:
            continue
        ids = question.item_ids or (
            (situation.last_item,) if situation.last_item and not question.words else ()
        )
        for item in filter(None, map(catalog.item, ids)):
            yield item.name
        if not ids and question.words:
            yield question.words
    yield from heard.leftover[:MOST_UNKNOWN]
