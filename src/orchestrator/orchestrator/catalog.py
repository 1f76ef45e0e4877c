"""Spoken name → menu item: one index per menu, shared by the tools and the embedded engine."""

import os
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from orchestrator.index import Index, brand_prefixes, canonical, essential, noun
from orchestrator.menu_files import load_menu
from orchestrator.models import Item, Menu, Modifier
from orchestrator.words import Form, content, form, spelled, stems, trade

How = Literal["exact", "alias", "partial", "fuzzy", "none"]
PROJECT_ROOT: Final = Path(__file__).resolve().parents[3]
DEFAULT_MENU: Final = str(PROJECT_ROOT / "menus" / "mcdonalds" / "breakfast-v2.json")
_TIERS: Final[tuple[How, ...]] = ("exact", "alias", "partial")
_SURE: Final = 88.0  # rapidfuzz ratio (0-100) of two keys from which a slip of spelling is assumed
_RELATED: Final = 72.0  # rapidfuzz ratio (0-100) of two words that makes an item worth suggesting


@dataclass(frozen=True)
class Match:
    """What a spoken name was found to be.

    Attributes:
        items: one item when found; several when the name fits them equally well; else none.
        how: the rule that matched.
    """

    items: tuple[Item, ...]
    how: How

    @property
    def item(self) -> Item | None:
        """The item, when exactly one fits."""
        return self.items[0] if len(self.items) == 1 else None


class Catalog:
    """A menu that can be searched by what people say. Immutable once built; safe to share."""

    def __init__(self, menu: Menu) -> None:
        self.menu = menu
        self.items = Index(brand_prefixes(item.name for item in menu.items))
        self.modifiers = Index()
        self._by_id = {item.item_id: item for item in menu.items}
        self._position = {item.item_id: i for i, item in enumerate(menu.items)}
        seen: set[Modifier] = set()
        for item in menu.items:
            self.items.add(item.item_id, item.name, item.aliases)
            for modifier in item.available_modifiers:
                if modifier not in seen:
                    seen.add(modifier)
                    self.modifiers.add(modifier.modifier_id, modifier.name, modifier.aliases)
        self._words = [w for w in {**self.items.vocabulary, **self.modifiers.vocabulary} if len(w) > 3]
        self._known = frozenset(self._words)
        self._nouns = Counter(noun(stems(item.name)) for item in menu.items)
        self._corrections: dict[str, str] = {}

    def item(self, item_id: str) -> Item | None:
        """The menu item with this id."""
        return self._by_id.get(item_id)

    def is_one_of_a_kind(self, item_id: str) -> bool:
        """Whether no other item's name has the same noun: then the rest of the name can stand for it."""
        return self._nouns[noun(stems(self._by_id[item_id].name))] == 1

    def find(self, name: str) -> Match:
        """The item that a name means: exact → alias → part of a name → spelling.

        Several items that fit equally well are all returned, never one of them by chance.
        """
        said = stems(name)
        bare = tuple(w for w in said if w not in trade().sizes and w not in trade().numbers)
        for words in dict.fromkeys((said, bare, essential(bare))):
            corrected = tuple(map(self.correct, words))
            for attempt in dict.fromkeys((words, canonical(words), corrected, canonical(corrected))):
                if senses := self.items.get(form(attempt), spelled(name)):
                    how = _TIERS[senses[0].tier] if attempt in {words, canonical(words)} else "fuzzy"
                    return Match(tuple(self._by_id[s.identity] for s in senses), how)
        return self._by_spelling(form(essential(bare)))

    def suggest(self, name: str, most: int = 3) -> tuple[Item, ...]:
        """Items on sale that are closest to a name: what it fits, then shared words, then spelling."""
        if matched := [item for item in self.find(name).items if item.available]:
            return tuple(matched[:most])
        said = tuple(map(self.correct, content(stems(name))))
        scores = {}
        for item in self.menu.items:
            words = content(stems(item.name))
            shared = sum(len(w) for w in words if w in said) / (sum(map(len, words)) or 1)
            alike = max((fuzz.ratio(a, b) for a in said for b in words), default=0.0)
            if item.available and (shared or alike >= _RELATED):
                scores[item.item_id] = (shared, alike, -self._position[item.item_id])
        best = sorted(scores, key=lambda i: scores[i], reverse=True)[:most]
        return tuple(self._by_id[i] for i in best)

    def modifier(self, item: Item, name: str) -> tuple[Modifier, ...]:
        """The item's modifiers that a name or id means; several when it fits them equally well."""
        exact = [m for m in item.available_modifiers if name in {m.modifier_id, m.name}]
        said = tuple(map(self.correct, stems(name)))
        ids = {s.identity for words in (said, canonical(said)) for s in self.modifiers.get(form(words))}
        return tuple(exact or (m for m in item.available_modifiers if m.modifier_id in ids))

    def knows(self, word: str) -> bool:
        """Whether a stem is part of any name on the menu."""
        return word in self._known or word in self.items.vocabulary or word in self.modifiers.vocabulary

    def correct(self, word: str) -> str:
        """The menu's word that a misspelled stem is nearest to, or the stem itself.

        One slip (a letter more, less, wrong or swapped) from four letters on, two from eight on; everyday
        English is never a slip, and two equally near words correct nothing. A start of at least four letters
        that only one word has ("choco") counts as that word.
        """
        if len(word) < 4 or word in trade().common or word.isdigit() or self.knows(word):
            return word
        if word not in self._corrections:
            if len(self._corrections) > 50_000:  # hostile input must not fill the memory
                self._corrections.clear()
            self._corrections[word] = self._nearest(word)
        return self._corrections[word]

    def _nearest(self, word: str) -> str:
        near = process.extract(
            word, self._words, scorer=OSA.distance, score_cutoff=2 if len(word) >= 8 else 1, limit=3
        )
        near = [n for n in near if n[0][0] == word[0] or len(word) > 4]
        if near and (len(near) == 1 or near[0][1] < near[1][1]):
            return str(near[0][0])
        starts = sorted((w for w in self._words if w.startswith(word)), key=len)
        return starts[0] if starts and all(w.startswith(starts[0]) for w in starts) else word

    def _by_spelling(self, said: Form) -> Match:
        if len(said.key) < 5 or said.joints:  # a slip of spelling is within a name, not between two
            return Match((), "none")
        near = process.extract(said.key, self.items.keys(), scorer=fuzz.ratio, score_cutoff=_SURE, limit=3)
        best = [key for key, score, _ in near if score == near[0][1]]
        found = dict.fromkeys(s.identity for key in best for s in self.items.get(Form(key, frozenset())))
        return Match(tuple(self._by_id[i] for i in found), "fuzzy" if found else "none")


@lru_cache(maxsize=8)
def _open(path: str, _modified_ns: int) -> Catalog:
    return Catalog(load_menu(path))


def open_catalog(path: str | Path = DEFAULT_MENU) -> Catalog:
    """The catalogue of a menu file, built once per version of the file.

    Raises:
        MenuError: the file is missing or breaks the menu's rules.
    """
    try:
        modified = os.stat(path).st_mtime_ns  # noqa: PTH116 - on the path of every turn
    except OSError:
        modified = 0  # `load_menu` says what is wrong
    return _open(str(path), modified)
