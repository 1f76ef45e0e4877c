"""Answers to questions about the menu, from the menu and the tools' answers only."""

from orchestrator.catalog import Catalog
from orchestrator.embedded.dialogue import Situation
from orchestrator.embedded.heard import Question, Topic
from orchestrator.embedded.phrase import Speaker, listed
from orchestrator.index import noun
from orchestrator.models import Item
from orchestrator.words import content, form, stems, trade

Said = tuple[str, tuple[str, ...]]  # a sentence, and the ids of items that it offers


class MenuTalk:
    """Answers one question at a time."""

    def __init__(self, situation: Situation, catalog: Catalog, speaker: Speaker) -> None:
        self._situation = situation
        self._catalog = catalog
        self._speaker = speaker

    def answer(self, question: Question) -> Said:
        """The spoken answer, and the items it offers if it ends with "would you like one?"."""
        from_menu = {
            Topic.LIST: self._list,
            Topic.HAVE: self._have,
            Topic.CONTENTS: self._contents,
            Topic.SIZE: self._sizes,
        }
        if question.topic in from_menu:
            return from_menu[question.topic](question)
        return self._speaker.say("price" if question.topic is Topic.PRICE else "unsure"), ()

    def _list(self, question: Question) -> Said:
        if not question.words:
            sections = dict.fromkeys(item.category_name.value for item in self._catalog.menu.items)
            return self._speaker.say(
                "menu_overview", sections=listed([s.replace("-", " and ") for s in sections])
            ), ()
        items = self._group(question)
        if not items:
            return self._none(question)
        names = self._speaker.names(_varied(items))
        return self._speaker.say("we_have", names=names, asked=question.words), ()

    def _have(self, question: Question) -> Said:
        if not question.words:
            return self._list(question)
        single, group = self._item(question), self._group(question)
        exact = self._catalog.find(question.words).how in {"exact", "alias"}
        if not exact and (changed := self._with_modifier(question.words)):
            return self._speaker.say(
                "yes_modifier", said=question.words, names=self._speaker.names(changed)
            ), ()
        if single is None or (len(group) > 1 and not exact):
            return self._list(question)
        if not single.available:
            return self._speaker.say("refused", why=f"the {single.name} is sold out today"), ()
        several = len(single.available_sizes) > 1
        sizes = f" in {listed([s.value for s in single.available_sizes])}" if several else ""
        return self._speaker.say("yes_we_have", names=single.name, sizes=sizes), (single.item_id,)

    def _with_modifier(self, words: str) -> list[Item]:
        """The items on sale that can be had with what was asked for ("do you have oat milk?")."""
        named = {
            sense.identity for sense in self._catalog.modifiers.get(form(stems(words))) if sense.tier < 2
        }
        on_sale = [item for item in self._catalog.menu.items if item.available]
        return [item for item in on_sale if any(m.modifier_id in named for m in item.available_modifiers)]

    def _contents(self, question: Question) -> Said:
        item = self._item(question)
        if item is None:
            return self._speaker.say("which_item"), ()
        if not item.available_modifiers:
            return self._speaker.say("no_contents", name=item.name), ()
        names = [m.name.lower() for m in item.available_modifiers]
        shown = listed(names) if len(names) < 7 else f"{', '.join(names[:6])}, and more"
        return self._speaker.say("contents", name=item.name, modifiers=shown), (item.item_id,)

    def _sizes(self, question: Question) -> Said:
        item = self._item(question)
        if item is None:
            return self._speaker.say("which_item"), ()
        if len(item.available_sizes) == 1:
            return self._speaker.say("one_size", name=item.name), ()
        sizes = listed([size.value for size in item.available_sizes])
        return self._speaker.say("sizes_of", name=item.name, sizes=sizes), (item.item_id,)

    def _none(self, question: Question) -> Said:
        close = list(self._catalog.suggest(question.words))
        sorry = self._speaker.say("not_on_menu", said=question.words)
        if not close:
            return sorry, ()
        offer = self._speaker.say("how_about", options=self._speaker.names(close, "or"))
        return f"{sorry} {offer}", tuple(item.item_id for item in close)

    def _item(self, question: Question) -> Item | None:
        """The one item a question is about: named, found for its words, or talked about last."""
        if len(question.item_ids) == 1:
            return self._catalog.item(question.item_ids[0])
        found = [
            a.facts
            for a in self._situation.of("lookup_menu_item")
            if a.args.get("item_name") == question.words
        ]
        if found and found[0].get("found"):
            return self._catalog.item(found[0]["item_id"])
        last = self._situation.last_item
        return self._catalog.item(last) if last and not question.words else None

    def _group(self, question: Question) -> list[Item]:
        """The items on sale that a word for a group means: a section, a kind of thing, or a word in names."""
        on_sale = [item for item in self._catalog.menu.items if item.available]
        for word in content(stems(question.words)):
            sections = trade().categories.get(word, ())
            heads = trade().kinds.get(word, (word,))
            named = [item for item in on_sale if _is_kind(item, heads)]
            if sections and (word not in trade().kinds or not named):
                named = [item for item in on_sale if item.category_name in sections]
            if named:
                return named
        return []


def _varied(items: list[Item]) -> list[Item]:
    """The items with different ones in front: two muffins, a biscuit, a bagel, not four muffins."""
    nouns = [noun(stems(item.name)) for item in items]
    alike = [item for item, word in zip(items, nouns, strict=True) if word == nouns[0]][:2]
    firsts = [item for i, item in enumerate(items) if nouns.index(nouns[i]) == i and item not in alike]
    return [*alike, *firsts, *(item for item in items if item not in alike and item not in firsts)]


def _is_kind(item: Item, heads: tuple[str, ...]) -> bool:
    """Whether an item's name, or another name for it, says that it is of a kind ("…muffin" is a muffin)."""
    words = {word for name in (item.name, *item.aliases) for word in stems(name)}
    return any(word == head or (len(head) > 4 and word.endswith(head)) for word in words for head in heads)
