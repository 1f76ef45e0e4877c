"""An utterance → what was meant, on the menu at hand."""

from functools import lru_cache

from orchestrator.catalog import Catalog
from orchestrator.embedded.heard import Heard
from orchestrator.embedded.normalise import normalise
from orchestrator.embedded.reader import Reader
from orchestrator.embedded.spans import read_spans
from orchestrator.words import plain


@lru_cache(maxsize=1024)
def parse(utterance: str, catalog: Catalog) -> Heard:
    """What an utterance means. Pure: the same words and menu always give the same answer."""
    said = plain(utterance)
    words = normalise(said, catalog)
    quoted = utterance if len(utterance) == len(said) else said  # accents may have changed the offsets
    return Reader(quoted, words, read_spans(words, catalog), catalog).heard()
