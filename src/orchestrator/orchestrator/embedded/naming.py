"""Words around a name that belong to it: what makes an ambiguous name one item, or says what a thing is."""

from orchestrator.catalog import Catalog
from orchestrator.embedded.heading import Heading
from orchestrator.embedded.spans import Span
from orchestrator.words import content, stems, trade


def narrow(heading: Heading, said: str, catalog: Catalog) -> bool:
    """Keep the items whose name has the words said behind it, if that leaves fewer; whether it did."""
    words = set(content(stems(said)))
    fitting = tuple(i for i in heading.item_ids if words <= _name_words(i, catalog))
    if not fitting or len(fitting) == len(heading.item_ids):
        return False
    heading.item_ids = _shortest(fitting, catalog)
    return True


def name_has_number(heading: Heading, said: int, catalog: Catalog) -> bool:
    """Whether a number is part of one name: "20 nuggets" where the menu sells them by 4, 10 and 20."""
    fitting = tuple(i for i in heading.item_ids if str(said) in _name_words(i, catalog))
    if len(heading.item_ids) > 1 and len(fitting) == 1:
        heading.item_ids = fitting
        return True
    return False


def is_apposed(heading: Heading, span: Span, said: str) -> bool:
    """Whether a word only says what the thing before it is ("provolone cheese", "a ham sub")."""
    if said not in trade().apposed or (span.modifiers and span.modifiers[0].tier < 2):
        return False
    before = [heading.span, *(chosen for chosen, _ in heading.choices)]
    return any(named.end == span.start for named in before)


def _name_words(item_id: str, catalog: Catalog) -> set[str]:
    item = catalog.item(item_id)
    return set(content(stems(item.name))) if item else set()


def _shortest(item_ids: tuple[str, ...], catalog: Catalog) -> tuple[str, ...]:
    """Of several names that fit, the one that says nothing more; all of them when there is a tie."""
    lengths = {i: len(_name_words(i, catalog)) for i in item_ids}
    best = tuple(i for i in item_ids if lengths[i] == min(lengths.values()))
    return best if len(best) == 1 else item_ids
