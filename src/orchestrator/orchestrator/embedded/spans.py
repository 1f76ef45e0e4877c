"""Words → spans: the cheapest way to read an utterance as names, numbers, sizes and cues.

A shortest path over word positions. Every span has a price; a whole name is cheaper than its parts, a part
of a name dearer than a name, a word that nothing explains the dearest. So "sausage muffin with egg" is one
item where the menu has it, and an item with a modifier where it has not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from orchestrator.catalog import Catalog
from orchestrator.embedded.normalise import Word, cues
from orchestrator.index import Index, Sense, canonical
from orchestrator.words import form, surface, trade

_WHOLE_NAME: Final = 1.0
_PART_OF_NAME: Final = 1.5
_CUE: Final = 1.01  # a name on the menu is a name before it is anything else
_PLAIN: Final = 1.6  # "black" is a plain coffee only where it is no part of a name
_FILLER: Final = 0.6
_NUMBER: Final = 0.9
_SIZE: Final = 0.95
_EVERYDAY: Final = 1.8  # a common word with no meaning for an order
_UNKNOWN: Final = 2.5
_SPARED: Final = 1e-3  # for each word of a span: of two equal readings the one with longer spans
_EXTRA_LARGE: Final = frozenset({("extra", "large"), ("extra", ",", "large")})
_BREAKS: Final = frozenset(".;:!?")
_JOINT: Final = 0.5
_PRICES: Final = {
    "filler": _FILLER,
    "plain": _PLAIN,
    "comma": _JOINT,
    "stop": _JOINT,
    "mark": _JOINT,
    "and": _JOINT,
}


@dataclass(frozen=True, slots=True)
class Span:
    """Some words and what they were taken for.

    Attributes:
        start: position of the first word.
        end: position behind the last.
        tags: what it does ("no", "order", "number", "size", "unknown" …); several when a phrase is ambiguous.
        items: the menu items it can name.
        modifiers: the modifiers it can name.
        value: the size, when it is one.
    """

    start: int
    end: int
    tags: tuple[str, ...] = ()
    items: tuple[Sense, ...] = ()
    modifiers: tuple[Sense, ...] = ()
    value: str = ""

    def has(self, *tags: str) -> bool:
        """Whether it was taken for one of these."""
        return any(tag in tags for tag in self.tags)

    @property
    def is_name(self) -> bool:
        """Whether it names something on the menu."""
        return "name" in self.tags


@lru_cache(maxsize=1)
def _phrases() -> tuple[dict[tuple[str, ...], tuple[str, ...]], int]:
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for tag, listed in cues().items():
        for phrase in listed:
            words = tuple(phrase.split())
            found[words] = (*found.get(words, ()), tag)
    return found, max(map(len, found))


def read_spans(words: list[Word], catalog: Catalog) -> list[Span]:
    """The cheapest reading of the words. Time grows linearly with their number."""
    best: list[tuple[float, Span | None]] = [(0.0, None), *([(float("inf"), None)] * len(words))]
    for start in range(len(words)):
        so_far = best[start][0]
        for span, price in _readings(words, start, catalog):
            total = so_far + price - _SPARED * (span.end - span.start)
            if total < best[span.end][0]:
                best[span.end] = (total, span)
    path: list[Span] = []
    position = len(words)
    while position:
        span_here = best[position][1]
        assert span_here is not None, "every word has at least one reading"  # noqa: S101
        path.append(span_here)
        position = span_here.start
    return path[::-1]


def _readings(words: list[Word], start: int, catalog: Catalog) -> Iterator[tuple[Span, float]]:
    yield from _single(words[start], start, catalog)
    yield from _cue_phrases(words, start, catalog)
    yield from _names(words, start, catalog)


def _single(word: Word, start: int, catalog: Catalog) -> Iterator[tuple[Span, float]]:
    if word.text.isdigit() or word.text in trade().numbers:
        yield Span(start, start + 1, ("number",)), _NUMBER
    if word.text in trade().sizes:
        yield Span(start, start + 1, ("size",), value=trade().sizes[word.text]), _SIZE
    if word.text in trade().common or word.text in trade().connectors:
        yield Span(start, start + 1, ("everyday",)), _EVERYDAY
    else:
        known = ("unknown", "half_known") if catalog.knows(word.stem) else ("unknown",)
        yield Span(start, start + 1, known), _UNKNOWN


def _cue_phrases(words: list[Word], start: int, catalog: Catalog) -> Iterator[tuple[Span, float]]:
    phrases, longest = _phrases()
    said: tuple[str, ...] = ()
    for end in range(start + 1, min(start + longest, len(words)) + 1):
        said = (*said, words[end - 1].text)
        if said in phrases:
            tags = phrases[said]
            price = _PRICES.get(tags[0], _CUE)
            named = _senses(catalog.modifiers, (words[start].stem,)) if "measure" in tags else ()
            yield Span(start, end, tags, modifiers=named), price
        if len(said) > 1 and " ".join(said) in trade().numbers:
            yield Span(start, end, ("number",)), _NUMBER
        if said in _EXTRA_LARGE:
            yield Span(start, end, ("size",), value="extra-large"), _SIZE


def _names(words: list[Word], start: int, catalog: Catalog) -> Iterator[tuple[Span, float]]:
    if words[start].stem in trade().connectors:
        return
    longest = max(catalog.items.longest, catalog.modifiers.longest) + 2
    stems: tuple[str, ...] = ()
    for end in range(start + 1, min(start + longest, len(words)) + 1):
        stem = words[end - 1].stem
        if stem in _BREAKS or (stems and words[end - 1].apart):
            return
        stems = (*stems, stem)
        if stem in trade().connectors:
            continue
        spelled = surface(word.text for word in words[start:end])
        items, modifiers = (_senses(index, stems, spelled) for index in (catalog.items, catalog.modifiers))
        if items or modifiers:
            tier = min(sense.tier for sense in (*items, *modifiers))
            span = Span(start, end, ("name",), items, modifiers)
            yield span, _PART_OF_NAME if tier == 2 else _WHOLE_NAME


def _senses(index: Index, stems: tuple[str, ...], spelled: str = "") -> tuple[Sense, ...]:
    found = index.get(form(stems), spelled)
    if not found or found[0].tier == 2:
        other = index.get(form(canonical(stems)))
        if other and (not found or other[0].tier < found[0].tier):
            found = other
    return tuple(found)
