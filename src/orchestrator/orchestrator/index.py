"""Spoken forms → ids: a name, its other names, and every part of it that could stand for the whole."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Final

from orchestrator.words import Form, Stems, content, form, spelled, stem, stems, trade

_LONGEST_PART: Final = 6  # a name of more content words has too many parts; whole words still find it
_BRANDED: Final = 3  # so many words with one start make it a brand's prefix
_SHORTEST_REST: Final = 3  # letters that a word keeps at least, without its prefix


@dataclass(frozen=True)
class Sense:
    """One thing that a spoken form can mean.

    Attributes:
        identity: the item's or modifier's id.
        tier: 0 the name, 1 another name, 2 a part of the name.
        joints: where the printed form has connectors (`words.Form`).
        surface: the form as it is spelled.
        heads: for a part, whether it ends on the name's noun; None when that cannot be told.
    """

    identity: str
    tier: int
    joints: frozenset[int]
    surface: str = ""
    heads: bool | None = None


class Index:
    """Spoken forms → what they can mean: the name, other names, and every part that could stand for it."""

    def __init__(self, prefixes: frozenset[str] = frozenset()) -> None:
        self._prefixes = prefixes
        self._senses: dict[str, list[Sense]] = {}
        self.vocabulary: dict[str, None] = {}
        self.longest = 1

    def add(self, identity: str, name: str, aliases: Iterable[str]) -> None:
        """File an entry under its name, its aliases and the parts of its name."""
        spoken = stems(name)
        self._file(identity, 0, spoken, spelled(name))
        for alias in aliases:
            self._file(identity, 1, stems(alias), spelled(alias))
        others = (spoken, essential(spoken), *_initialisms(spoken), *map(stems, aliases))
        for other in dict.fromkeys((*others, *map(canonical, others))):
            self._file(identity, 1, other)
        short, head = tuple(self._unbranded(word) for word in spoken), noun(spoken)
        forms = dict.fromkeys((spoken, canonical(spoken), short))
        for part in dict.fromkeys((short, *(part for whole in forms for part in _parts(whole)))):
            # "nuggets" is the noun of McNuggets; a name without one noun ("A and B") leaves it open
            self._file(identity, 2, part, heads=head.endswith(part[-1]) if head else None)

    def get(self, said: Form, surface: str = "") -> list[Sense]:
        """What a form can mean: what is spelled just so, else the best tier that fits; one sense for each."""
        senses = [s for s in self._senses.get(said.key, ()) if said.joints <= s.joints]
        if len(senses) < 2:
            return senses
        senses = [s for s in senses if surface and s.surface == surface] or senses
        best = min(sense.tier for sense in senses)
        senses = [s for s in senses if s.tier == best]
        if best == 2 and any(s.heads for s in senses):  # "chips" are the chips, not the chocolate chip cookie
            senses = [s for s in senses if s.heads is not False]
        return list({s.identity: s for s in senses}.values())

    def keys(self) -> list[str]:
        """The keys of every whole name and alias."""
        return [key for key, senses in self._senses.items() if any(s.tier < 2 for s in senses)]

    def _unbranded(self, word: str) -> str:
        """A word without its brand prefix ("McNuggets" → "nuggets")."""
        prefix = next((p for p in self._prefixes if word.startswith(p)), "")
        rest = word.removeprefix(prefix)
        if prefix and len(rest) > _SHORTEST_REST:
            self.vocabulary[rest] = None
            return rest
        return word

    def _file(
        self, identity: str, tier: int, spoken: Stems, surface: str = "", *, heads: bool | None = None
    ) -> None:
        said = form(spoken)
        if not said.key:
            return
        self._senses.setdefault(said.key, []).append(Sense(identity, tier, said.joints, surface, heads))
        if tier < 2:
            words = content(spoken)
            self.longest = max(self.longest, len(spoken))
            self.vocabulary.update(dict.fromkeys(words))
            self.vocabulary.update(("".join(pair), None) for pair in pairwise(words))


def canonical(words: Stems) -> Stems:
    """The stems with the trade's synonyms resolved ("coke" → "coca cola"), none of them twice."""
    table = trade().synonyms
    resolved: list[str] = []
    for word in words:
        meant = map(stem, table[word].split()) if word in table else (word,)
        resolved.extend(w for w in meant if w == word or w not in words)
    return tuple(resolved)


def essential(words: Stems) -> Stems:
    """The stems without words that shops print and people leave out, unless nothing would be left."""
    kept = tuple(w for w in words if w not in trade().generic)
    return kept if content(kept) else words


def _initialisms(words: Stems) -> Iterable[Stems]:
    """The initials of three or more things in a row: "Bacon, Egg & Cheese Biscuit" as "BEC biscuit"."""
    listed = [i for i, w in enumerate(words) if w not in trade().connectors and _is_listed(words, i)]
    if len(listed) > 2 and all(b - a <= 3 for a, b in pairwise(listed)):
        yield (*words[: listed[0]], "".join(words[i][0] for i in listed), *words[listed[-1] + 1 :])


def _is_listed(words: Stems, position: int) -> bool:
    """Whether a word stands in a list: a connector directly before or behind it."""
    around = words[max(position - 1, 0) : position] + words[position + 1 : position + 2]
    return any(word in {"and", ",", "n"} for word in around)


def noun(name: Stems) -> str:
    """The noun of a name: its last word, or the one before "with"; "" for "A and B", which has two."""
    main = name[: name.index("with")] if "with" in name else name
    if [w for w in main if w in trade().connectors] == ["and"]:
        return ""
    return (content(main) or ("",))[-1]


def _parts(words: Stems) -> Iterable[Stems]:
    """Every shorter choice of a name's content words, in order, that says something by itself.

    A connector between two chosen words stays: it is where a customer may pause or say "and".
    """
    joints = trade().connectors
    places = [i for i, w in enumerate(words) if w not in joints]
    if len(places) > _LONGEST_PART:
        return
    telling = {i for i in places if _tells(words[i])}
    connectors = [i for i in range(len(words)) if words[i] in joints]
    for size in range(1, len(places)):
        for part in combinations(places, size):
            if telling.isdisjoint(part) or words[part[0]] in trade().negations:
                continue  # "… without cheese" says what a thing lacks, and is no name for it
            inner = [i for i in connectors if part[0] < i < part[-1]]
            yield tuple(words[i] for i in (sorted((*part, *inner)) if inner else part))


@lru_cache(maxsize=65_536)
def _tells(word: str) -> bool:
    """Whether a word says anything by itself."""
    lexicon = trade()
    empty = word in lexicon.generic or word in lexicon.sizes or word in lexicon.common
    return len(word) > 2 and not empty and not word.isdigit()


def brand_prefixes(names: Iterable[str]) -> frozenset[str]:
    """Two letters that start several made-up words of a menu, each on something people say without them."""
    words = {word for name in names for word in stems(name)}
    starts: dict[str, int] = {}
    for word in words:
        if len(word) > _SHORTEST_REST + 2 and not set(word[:2]) & set("aeiou"):
            starts[word[:2]] = starts.get(word[:2], 0) + 1
    return frozenset(
        start for start, count in starts.items() if count >= _BRANDED and start not in trade().onsets
    )
