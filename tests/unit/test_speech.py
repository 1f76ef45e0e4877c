"""What was really said, and what may be said aloud."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestrator.graph import extract_reasoning
from orchestrator.speech import Aloud, Voice, clean, is_noise, is_speech

PARTS = (
    "<reasoning>",
    "</reasoning>",
    "<REASONING>",
    "<reas",
    "oning>",
    "</",
    "<",
    ">",
    " ",
    "\n",
    "tea",
    "\u017f",
)


@given(st.lists(st.sampled_from(PARTS), max_size=10).map("".join), st.data())
def test_chunks_say_what_the_whole_says(message: str, data: st.DataObject) -> None:
    """However a message is cut into chunks, what is said aloud is the message without its reasoning."""
    aloud, said, start = Aloud(), "", 0
    while start < len(message):
        end = start + data.draw(st.integers(1, 12))
        said += aloud.hear(message[start:end])
        start = end
    assert said + aloud.end() == extract_reasoning(message)[1]


def test_words_come_as_soon_as_they_are_no_tag() -> None:
    """Nothing is kept back longer than it could still become a tag."""
    aloud = Aloud()
    chunks = ("Two ", "teas <", "b", " <reason", "ing>why", "</reasoning> ok")
    assert [aloud.hear(chunk) for chunk in chunks] == ["Two", " teas", " <b", "", "", "  ok"]


@pytest.mark.parametrize(
    ("heard", "reply", "rest"),
    [
        (["Two teas."], "Two teas.", []),
        ([], "Goodbye!", ["Goodbye!"]),
        (["Two te"], "Two teas.", ["as."]),
        (["One moment."], "Goodbye!", [" Goodbye!"]),
    ],
)
def test_conclusion(heard: list[str], reply: str, rest: list[str]) -> None:
    """At the end of a turn the customer has heard the reply, none of it twice."""
    said: list[str] = []
    voice = Voice(said.append)
    for chunk in heard:
        voice.hear("1", chunk)
    voice.conclude(reply)
    assert said == [*heard, *rest]


@given(st.text(st.characters(categories=["Cs", "Cc", "Lu", "Zs", "So"])))
def test_clean_text_fits_any_database(text: str) -> None:
    """What is left is UTF-8 without control characters, and cleaning it again changes nothing."""
    cleaned = clean(text)
    assert cleaned.encode().decode() == cleaned
    assert not any(c < " " or c == "\x7f" for c in cleaned)
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize("text", ["ok", "2", "коф", "咖啡", "  é "])
def test_speech(text: str) -> None:
    """A letter or a digit of any script is something said."""
    assert is_speech(clean(text))


@pytest.mark.parametrize(
    "said", ["two coffees", "ein Kännchen Kaffee, bitte", "コーヒー", "a\x00 coffee", "Okay 👍👍👍"]
)
def test_text_is_no_noise(said: str) -> None:
    """Any script, an emoji or a stray byte is still somebody's words."""
    assert not is_noise(said)


def test_random_bytes_are_noise() -> None:
    """A line of bytes that are mostly no letters is not listened to."""
    assert is_noise(bytes(range(128, 256)).decode(errors="replace"))
    assert is_noise("".join(map(chr, range(32))) + "oj")
