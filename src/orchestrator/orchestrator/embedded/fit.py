"""What was said about an item → what the menu has of it."""

from collections.abc import Callable, Iterable
from typing import Final

from orchestrator.catalog import Catalog
from orchestrator.embedded.heading import Heading
from orchestrator.embedded.heard import Choice, Line
from orchestrator.embedded.spans import Span
from orchestrator.enums import ModifierAction, Size

# One shop's medium is another's regular.
_SWAPPED: Final = {Size.MEDIUM: Size.REGULAR, Size.REGULAR: Size.MEDIUM}


def possible(
    catalog: Catalog, item_ids: Iterable[str], span: Span, action: ModifierAction | None = None
) -> tuple[str, ...]:
    """The modifiers of these items that a span can name, and on which the action can be done."""
    wanted = {sense.identity for sense in span.modifiers}
    items = filter(None, map(catalog.item, item_ids))
    found = (m for item in items for m in item.available_modifiers if m.modifier_id in wanted)
    return tuple(dict.fromkeys(m.modifier_id for m in found if action is None or action in m.actions))


def finished(heading: Heading, catalog: Catalog, quote: Callable[[int, int], str]) -> Line:
    """The line with its size and modifiers as the menu has them; what it has not is kept as it was said."""
    unmet = list(heading.unmet)
    choices = []
    for span, action in heading.choices:
        said = quote(span.start, span.end)
        if ids := possible(catalog, heading.item_ids, span, action):
            choices.append(Choice(ids, said, action))
        else:
            unmet.append(said if action is ModifierAction.ADD else f"{action} {said}")
    size = _sold_size(heading, catalog)
    return Line(heading.said, heading.item_ids, heading.quantity, size, tuple(choices), tuple(unmet))


def _sold_size(heading: Heading, catalog: Catalog) -> Size | None:
    item = catalog.item(heading.item_ids[0]) if heading.item_ids else None
    if item is None or heading.size is None or heading.size in item.available_sizes:
        return heading.size
    swapped = _SWAPPED.get(heading.size, heading.size)
    if swapped in item.available_sizes:
        return swapped
    return heading.size if len(item.available_sizes) > 1 else None  # one size is every size
