"""What to do next in a turn: look up, add, read back, submit, or reply."""

from collections.abc import Iterable
from typing import Any

from orchestrator.catalog import Catalog
from orchestrator.embedded.dialogue import Answer, Call, Plan, Situation, Step
from orchestrator.embedded.heard import Line
from orchestrator.embedded.phrase import Speaker, listed
from orchestrator.embedded.plan import make_plan
from orchestrator.embedded.reply import Reply


def decide(situation: Situation, catalog: Catalog) -> Step:
    """The next step of this turn: the same loop as a language model's, lookup → add → reply."""
    speaker = Speaker(catalog, situation.turn)
    if situation.submitted:
        return Step("The order is already submitted; nothing can change it", reply=speaker.say("submitted"))
    plan = make_plan(situation, catalog)
    return (
        _submit(situation, plan)
        or _look_up(situation, plan, catalog)
        or _add(situation, plan, catalog)
        or _read_back(situation, plan)
        or Reply(situation, plan, catalog, speaker).step()
    )


def _submit(situation: Situation, plan: Plan) -> Step | None:
    if not plan.submit:
        return None
    if not situation.of("finalize_order"):
        return Step("Customer confirmed the read-back; submitting the order", (Call("finalize_order", {}),))
    if not situation.of("get_current_order"):
        return Step("The order needs to be read back first", (Call("get_current_order", {}),))
    return None


def _look_up(situation: Situation, plan: Plan, catalog: Catalog) -> Step | None:
    if situation.of("lookup_menu_item"):
        return None
    names = dict.fromkeys([*(_name(line, catalog) for line in plan.lines), *plan.lookups])
    if not names:
        return None
    why = f"Customer mentioned {listed(list(names))}; checking the menu first"
    return Step(why, tuple(Call("lookup_menu_item", {"item_name": name}) for name in names))


def _add(situation: Situation, plan: Plan, catalog: Catalog) -> Step | None:
    if situation.of("add_item_to_order"):
        return None
    looked_up = {answer.args.get("item_name"): answer for answer in situation.of("lookup_menu_item")}
    calls = [
        Call("add_item_to_order", _arguments(line, answer.facts))
        for line in plan.lines
        if (answer := looked_up.get(_name(line, catalog)))
        and answer.facts.get("found")
        and _addable(line, answer)
    ]
    if not calls:
        return None
    names = listed([f"{call.args['quantity']}x {call.args['item_name']}" for call in calls])
    return Step(f"Found on the menu; adding {names}", tuple(calls))


def _read_back(situation: Situation, plan: Plan) -> Step | None:
    if not plan.read_back or situation.of("get_current_order"):
        return None
    why = (
        "asked what is on the order"
        if plan.read_back == "recall"
        else "is done ordering; the order must be read back"
    )
    return Step(f"Customer {why}", (Call("get_current_order", {}),))


def _name(line: Line, catalog: Catalog) -> str:
    item = catalog.item(line.item_ids[0]) if len(line.item_ids) == 1 else None
    return item.name if item else line.said


def _addable(line: Line, answer: Answer) -> bool:
    """Whether nothing has to be asked first: one item, on sale, in a size it is sold in."""
    sizes = answer.facts.get("available_sizes", [])
    return (
        len(line.item_ids) < 2 and not answer.facts.get("sold_out") and (not line.size or line.size in sizes)
    )


def _arguments(line: Line, facts: dict[str, Any]) -> dict[str, Any]:
    arguments = {
        "item_id": facts["item_id"],
        "item_name": facts["name"],
        "category_name": facts["category_name"],
        "quantity": line.quantity,
    }
    if line.size:
        arguments["size"] = line.size.value
    if modifiers := list(_modifiers(line)):
        arguments["modifiers"] = modifiers
    return arguments


def _modifiers(line: Line) -> Iterable[dict[str, str]]:
    chosen: dict[str, str] = {}
    for choice in line.choices:
        if len(choice.modifier_ids) == 1:
            chosen[choice.modifier_ids[0]] = (
                choice.action.value
            )  # the last word counts: "cheese, no, no cheese"
    return ({"modifier_id": identity, "action": action} for identity, action in chosen.items())
