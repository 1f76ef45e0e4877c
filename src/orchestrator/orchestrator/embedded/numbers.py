"""Spoken quantities: "half a dozen", "a couple", "twenty five", "eighteen thousand"."""

from typing import Final

from orchestrator.words import trade

_SCALES: Final = {"dozen": 12, "hundred": 100, "thousand": 1000}
MOST: Final = 1_000_000  # larger quantities are all the same: refused by the tool


def quantity(said: list[str]) -> int:
    """The number that adjacent number words make; an article before a number adds nothing."""
    total = 0
    current = 0
    for word in said:
        value = int(word[:7]) if word.isdigit() else trade().numbers[word]
        if word in _SCALES:
            current = max(current, 1) * _SCALES[word]
            total, current = (total + current, 0) if word == "thousand" else (total, current)
        elif word in {"a", "an"}:
            current = current or value
        elif 20 <= current < 100 and value < 10 and not word.isdigit():
            current += value
        else:
            current = value
    return min(total + current, MOST)
