"""What every turn runs with and no checkpoint stores (LangGraph's runtime context)."""

from dataclasses import dataclass

from orchestrator.catalog import DEFAULT_MENU, Catalog, open_catalog


@dataclass(frozen=True)
class Context:
    """The menu, by path, and the restaurant's limits. Plain values, so that Studio can send them as JSON.

    Attributes:
        menu: path of the menu file; resolved through `catalog.open_catalog`, which caches it.
        max_line_quantity: most units of one line.
        max_order_units: most units of a whole order.
    """

    menu: str = DEFAULT_MENU
    max_line_quantity: int = 20
    max_order_units: int = 60

    @property
    def catalog(self) -> Catalog:
        """The menu, searchable.

        Raises:
            MenuError: the menu file is missing or broken.
        """
        return open_catalog(self.menu)
