"""The embedded engine as a chat model among others: what it says, streamed or not, after whomever."""

from functools import reduce
from operator import add
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, ToolMessage
from orchestrator.embedded.chat_model import EmbeddedChatModel
from orchestrator.graph import extract_reasoning
from orchestrator.models import Order
from orchestrator.results import line_facts, order_facts
from orchestrator.tools import TOOLS

from tests.scripted import READS_BACK, adds, calls, says
from tests.shops import SML, as_json, dish, shop

LATTE = dish("Latte", "Cream", "Sugar", sizes=SML)
SHOP = shop(
    LATTE, dish("Hot Chocolate", sizes=SML), dish("White Chocolate", sizes=SML), dish("Bagel", "Butter")
)
MODEL = EmbeddedChatModel(catalog=SHOP)
FOUND = {"found": True, "item_id": "latte", "name": "Latte", "category_name": "snacks-sides"}
FOUND |= {"default_size": "small", "available_sizes": ["small", "medium", "large"], "available_modifiers": []}


def answer(call: AIMessage, facts: dict[str, Any]) -> ToolMessage:
    [made] = call.tool_calls
    return ToolMessage(as_json(facts), name=made["name"], tool_call_id=str(made["id"]))


LOOKUP = calls(("lookup_menu_item", {"item_name": "Latte"}))
ADD = calls(adds("latte", "Latte"), first_id=2)
READ = calls(READS_BACK, first_id=3)
BY_ANOTHER: list[AnyMessage] = [
    HumanMessage("A latte"),
    LOOKUP,
    answer(LOOKUP, FOUND),
    ADD,
    answer(ADD, {"added": True, **line_facts(LATTE.line())}),
    says("One small latte! Something to eat with that?"),
]
READ_BACK_BY_ANOTHER: list[AnyMessage] = [
    *BY_ANOTHER,
    HumanMessage("That's it"),
    READ,
    answer(READ, order_facts(Order() + LATTE.line())),
    says("So, one small latte. Correct?"),
]
SITUATIONS = pytest.mark.parametrize(
    "messages",
    [
        [],
        [HumanMessage("Hi!")],
        [HumanMessage("Two large lattes with extra cream and a bagel")],
        [HumanMessage("A latte"), LOOKUP, answer(LOOKUP, FOUND)],
        BY_ANOTHER[:-1],
        [HumanMessage("A chocolate")],
        [*BY_ANOTHER, HumanMessage("No, that's all")],
        [*READ_BACK_BY_ANOTHER, HumanMessage("Yes")],
        [HumanMessage("What do you have?")],
        [HumanMessage("zzz xxx")],
    ],
    ids=[
        "nothing",
        "greeting",
        "order",
        "found",
        "added",
        "ambiguous",
        "done",
        "agreed",
        "question",
        "nonsense",
    ],
)


def called(message: AIMessage) -> list[tuple[str, dict[str, Any]]]:
    return [(call["name"], call["args"]) for call in message.tool_calls]


@SITUATIONS
def test_streamed_and_invoked_are_the_same(messages: list[AnyMessage]) -> None:
    """The chunks of a stream add up to the message of an invocation: words, calls with their ids, and all."""
    whole = MODEL.invoke(messages)
    chunks = [chunk for chunk in MODEL.stream(messages) if isinstance(chunk, AIMessageChunk)]
    streamed = reduce(add, chunks)
    assert streamed.content == whole.content
    assert streamed.tool_calls == whole.tool_calls
    assert streamed.additional_kwargs == whole.additional_kwargs


def test_a_reply_streams_word_by_word() -> None:
    """A spoken reply comes in as many pieces as a customer hears words, not in one."""
    pieces = [chunk.text for chunk in MODEL.stream([HumanMessage("Hi!")])]
    words = extract_reasoning("".join(pieces))[1].split()
    assert len([p for p in pieces if p and "<reasoning>" not in p]) == len(words) > 2


@SITUATIONS
def test_the_engine_says_why(messages: list[AnyMessage]) -> None:
    """Each answer has a reason, and either calls tools or says something."""
    message = MODEL.invoke(messages)
    why, words = extract_reasoning(message.text)
    assert why
    assert bool(words) != bool(message.tool_calls)


@SITUATIONS
def test_the_same_messages_get_the_same_answer(messages: list[AnyMessage]) -> None:
    """Asked again, as when a failed turn resumes, the engine answers alike, down to the calls' ids."""
    one, other = MODEL.invoke(messages), MODEL.invoke(messages)
    assert (one.content, one.tool_calls, one.additional_kwargs) == (
        other.content,
        other.tool_calls,
        other.additional_kwargs,
    )


def test_binding_tools_changes_nothing() -> None:
    """The engine takes the place of a model with tools bound to it."""
    messages = [HumanMessage("A latte")]
    assert called(MODEL.bind_tools(TOOLS).invoke(messages)) == called(MODEL.invoke(messages))


def test_an_item_is_looked_up_before_it_is_added() -> None:
    """The engine goes through the loop of a language model: look up, add with what was found, reply."""
    heard: list[AnyMessage] = [HumanMessage("Two large lattes with extra cream")]
    first = MODEL.invoke(heard)
    assert called(first) == [("lookup_menu_item", {"item_name": "Latte"})]
    facts = {**FOUND, "available_modifiers": [{"modifier_id": "cream", "name": "Cream"}]}
    second = MODEL.invoke([*heard, first, answer(first, facts)])
    [(tool, args)] = called(second)
    assert tool == "add_item_to_order"
    assert (args["item_id"], args["item_name"], args["quantity"], args["size"]) == (
        "latte",
        "Latte",
        2,
        "large",
    )
    assert args["modifiers"] == [{"modifier_id": "cream", "action": "extra"}]


def test_only_what_was_added_is_said_to_be_added() -> None:
    """When the tool refuses, the customer hears why and no "got it"."""
    add = calls(adds("latte", "Latte"))
    refused = answer(add, {"added": False, "error": "Latte is sold out"})
    reply = MODEL.invoke([HumanMessage("A latte"), LOOKUP, answer(LOOKUP, FOUND), add, refused]).text.lower()
    assert "sold out" in reply
    assert "got it" not in reply


def test_another_models_conversation_goes_on() -> None:
    """Taking over from a language model, the engine knows what was asked from the tools that were used."""
    assert called(MODEL.invoke([*BY_ANOTHER, HumanMessage("No, that's all")])) == [READS_BACK]
    assert called(MODEL.invoke([*READ_BACK_BY_ANOTHER, HumanMessage("Yes, that's right")])) == [
        ("finalize_order", {})
    ]
    assert called(MODEL.invoke([*BY_ANOTHER, HumanMessage("and a bagel")])) == [
        ("lookup_menu_item", {"item_name": "Bagel"})
    ]


def test_yes_to_another_models_question_submits_nothing() -> None:
    """Without a read-back in the turn before, a "yes" agrees to no order."""
    assert "finalize_order" not in [
        name for name, _ in called(MODEL.invoke([*BY_ANOTHER, HumanMessage("Yes")]))
    ]


NO_KIND: dict[str, str] = {}


@pytest.mark.parametrize(
    "asking", ["x", 7, None, [], NO_KIND, {"kind": 3}, {"kind": "which", "options": ["gone"], "line": {}}]
)
def test_what_a_reply_asked_may_be_garbled(asking: Any) -> None:
    """A note on a message that another version or program wrote does no harm."""
    spoken = AIMessage("Which one?", additional_kwargs={"asking": asking})
    message = MODEL.invoke([HumanMessage("Hi"), spoken, HumanMessage("a latte")])
    assert called(message) == [("lookup_menu_item", {"item_name": "Latte"})]


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_any_text_is_answered(said: list[str]) -> None:
    """Whatever the customer says, turn after turn, the engine answers with words or calls."""
    messages: list[AnyMessage] = []
    for text in said:
        messages.append(HumanMessage(text))
        message = MODEL.invoke(messages)
        assert extract_reasoning(message.text)[1] or message.tool_calls
        messages.append(says("Sorry?"))


def test_one_dish_without_other_names_is_enough() -> None:
    """The engine works on a menu of one item, without aliases, sizes or modifiers."""
    stand = EmbeddedChatModel(catalog=shop(dish("Lemonade")))
    assert called(stand.invoke([HumanMessage("three lemonades")])) == [
        ("lookup_menu_item", {"item_name": "Lemonade"})
    ]
    assert "Lemonade" not in stand.invoke([HumanMessage("what time is it")]).text
