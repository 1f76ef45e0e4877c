"""How text is heard: tokens, stems and the small lexicon of the trade (`trade.toml`).

A *stem* is a word without case, accents, apostrophes and plural ending, so that "Jalapeños" and
"jalapeno" meet. A *key* is the stems of a name run together without connectors, so that "hash browns",
"Hashbrown" and "bacon, egg & cheese" / "bacon egg cheese" meet. Nothing here knows any menu.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

_TOKEN: Final = re.compile(r"w/o\b|w/|[a-z]+(?:'[a-z]+)*|\d{1,3}(?:,\d{3})+(?!\d)|\d+\.\d+|\d+|[,.;:!?&+]")
_UNSPEAKABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SPOKEN_SIGNS: Final = {"&": "and", "+": "and", "w/": "with", "w/o": "without"}
PUNCTUATION: Final = frozenset(",.;:!?")
Stems = tuple[str, ...]
# Endings after which English writes "-es" (boxes, dishes, tomatoes); elsewhere a plural is a plain "-s".
_ES: Final = ("sses", "xes", "ches", "shes", "zes", "oes")


@dataclass(frozen=True)
class Token:
    """One heard word or punctuation mark.

    Attributes:
        text: lower case, without accents and apostrophes.
        stem: its singular.
        start: offset of its first character in the normalised utterance.
        end: offset behind its last character there.
    """

    text: str
    stem: str
    start: int
    end: int


@dataclass(frozen=True)
class Trade:
    """Counter English that belongs to no one menu; the file's comments say what each table is for."""

    numbers: dict[str, int]
    spelling: dict[str, str]
    sizes: dict[str, str]
    connectors: frozenset[str]
    negations: frozenset[str]
    generic: frozenset[str]
    apposed: frozenset[str]
    synonyms: dict[str, str]
    kinds: dict[str, tuple[str, ...]]
    categories: dict[str, tuple[str, ...]]
    onsets: frozenset[str]
    common: frozenset[str]


@lru_cache(maxsize=1)
def trade() -> Trade:
    """The lexicon of the trade, read once."""
    table = tomllib.loads((Path(__file__).parent / "trade.toml").read_text(encoding="utf-8"))
    return Trade(
        numbers=table["numbers"],
        spelling=table["spelling"],
        sizes={spoken: size for size, words in table["sizes"].items() for spoken in words},
        connectors=frozenset(table["connectors"]["words"]),
        negations=frozenset(table["negations"]["words"]),
        generic=frozenset(map(stem, table["generic"]["words"])),
        apposed=frozenset(map(stem, table["apposed"]["words"])),
        synonyms={stem(spoken): meant for spoken, meant in table["synonyms"].items()},
        kinds={stem(kind): tuple(map(stem, heads)) for kind, heads in table["kinds"].items()},
        categories={word: tuple(names) for word, names in table["categories"].items()},
        onsets=frozenset(table["onsets"]["pairs"].split()),
        common=frozenset(word for words in table["common"].values() for word in words.split()),
    )


def plain(text: str) -> str:
    """The text in lower case, without accents, control characters and typographic quotes."""
    text = _UNSPEAKABLE.sub(" ", text.replace("\u2019", "'").replace("\u2018", "'"))
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The singular of an English noun, by its spelling; "-ie" and "-y" are one ending (cookies, fries)."""
    word = word.replace("'", "").lower()
    if word.endswith("ie") and len(word) > 4:
        return word[:-2] + "y"
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(_ES) else word[:-1]


def tokens(text: str) -> list[Token]:
    """Words, numbers and punctuation, in order; every other character only separates."""
    found = []
    for match in _TOKEN.finditer(plain(text)):
        raw = _SPOKEN_SIGNS.get(match.group(), match.group()).replace("'", "")
        raw = raw.replace(",", "") if raw[:1].isdigit() else raw
        found.append(Token(raw, stem(raw), match.start(), match.end()))
    return found


def stems(text: str) -> Stems:
    """The stems of the words in a text; a comma stays, as the weakest of connectors."""
    return tuple(token.stem for token in tokens(text) if token.text not in PUNCTUATION - {","})


def surface(words: Iterable[str]) -> str:
    """Words as they are spelled, run together without connectors: tells "veggie" from "veggies"."""
    return "".join(w for w in words if w not in trade().connectors)


def spelled(text: str) -> str:
    """The surface of a text."""
    return surface(token.text for token in tokens(text) if token.text not in PUNCTUATION)


def content(words: Iterable[str]) -> Stems:
    """The stems without connectors ("and", "with", "the")."""
    return tuple(w for w in words if w not in trade().connectors)


@dataclass(frozen=True)
class Form:
    """Stems as they are looked up.

    Attributes:
        key: the content stems run together.
        joints: offsets in the key where a connector stood. A customer may leave out a connector that is
            printed ("bacon egg and cheese"), but one that they say where none is printed separates two
            things: "a burrito and a bowl" is no "Burrito Bowl".
    """

    key: str
    joints: frozenset[int]


def form(words: Iterable[str]) -> Form:
    """The key of some stems and where connectors stood in it."""
    parts: list[str] = []
    joints = set()
    length = 0
    for word in words:
        if word in trade().connectors:
            joints.add(length)
        else:
            parts.append(word)
            length += len(word)
    return Form("".join(parts), frozenset(joints - {0, length}))
