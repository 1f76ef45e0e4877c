"""What was typed or transcribed → the words that matter, spelled as the menu spells them."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Final

from orchestrator.catalog import Catalog
from orchestrator.words import stem, tokens, trade

_ALTERNATIVES: Final = re.compile(r"[()]")
_DRAWN_OUT: Final = re.compile(r"([a-z])\1{2,}")  # "uhhhh", "soooo"
_SAID_GAPS: Final = " \t\n-'\"/*()_"  # what people type between the words of a name
MOST_WORDS: Final = 2_000  # nobody says more in one breath; the rest of a longer text is not read


@dataclass(frozen=True, slots=True)
class Word:
    """One heard word.

    Attributes:
        text: as it was said, in lower case without accents and apostrophes.
        stem: its singular, misspellings of the menu's words put right.
        start: offset in the normalised utterance, to quote from it.
        end: offset behind it.
        apart: whether more than a space stands before it that nobody says ("o|j" is no "OJ").
    """

    text: str
    stem: str
    start: int
    end: int
    apart: bool = False


@lru_cache(maxsize=1)
def cues() -> dict[str, tuple[str, ...]]:
    """Tag → its phrases, from `cues.toml`."""
    table = tomllib.loads((Path(__file__).parent / "cues.toml").read_text(encoding="utf-8"))
    return {
        tag: tuple(dict.fromkeys(p for line in lines for p in _spelled_out(line)))
        for tag, lines in table.items()
    }


def _spelled_out(pattern: str) -> Iterator[str]:
    """Every phrase that a pattern stands for: "(can|could) i" is "can i" and "could i"."""
    parts = [part.split("|") for part in _ALTERNATIVES.split(pattern)]
    for chosen in product(*parts):
        yield " ".join("".join(chosen).split())


def normalise(utterance: str, catalog: Catalog) -> list[Word]:
    """The words of an utterance in order, stutters said once, spelling put right where the menu shows how."""
    words: list[Word] = []
    for token in tokens(utterance):
        text = _DRAWN_OUT.sub(r"\1", token.text)
        text = trade().spelling.get(text, text)
        if words and words[-1].text == text and not text.isdigit():
            continue  # a stutter: "a a large coffee"
        gap = utterance[words[-1].end : token.start] if words else ""
        apart = bool(gap.strip(_SAID_GAPS))
        words.append(Word(text, catalog.correct(stem(text)), token.start, token.end, apart))
        if len(words) == MOST_WORDS:
            break
    return words
