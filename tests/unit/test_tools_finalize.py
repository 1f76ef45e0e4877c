"""When `finalize_order` submits an order, and when it must not."""

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage
from orchestrator.enums import OrderStatus

from tests.counter import ADD_LATTE, ADD_TACO, Call, Counter, open_counter
from tests.scripted import FINALIZES, READS_BACK, adds


@pytest.fixture
def counter(tmp_path: Path) -> Counter:
    """A small shop with the default limits."""
    return open_counter(tmp_path)


def test_an_order_that_was_read_back_and_agreed_is_submitted(counter: Counter) -> None:
    """Ordered, read back, agreed: the order is submitted under its id, and the customer hears a goodbye."""
    counter.call(ADD_LATTE)
    counter.call(READS_BACK)
    counter.customer("Yes, that's right")
    assert counter.call(FINALIZES) == [{"finalized": True, "order_id": counter.order.order_id}]
    assert counter.order.status is OrderStatus.SUBMITTED
    assert isinstance(counter.messages[-1], AIMessage)
    assert counter.messages[-1].text


def refused(counter: Counter, *batch: Call, because: str) -> None:
    """A batch that ends with a finalize is refused there, and the order stays open."""
    *_, facts = counter.call(*batch)
    assert facts["finalized"] is False
    assert because in facts["error"]
    assert counter.order.status is OrderStatus.OPEN


def test_an_empty_order_is_not_submitted(counter: Counter) -> None:
    """There must be something to cook, also when the empty order was read back and agreed."""
    refused(counter, FINALIZES, because="empty")
    counter.call(READS_BACK)
    counter.customer()
    refused(counter, FINALIZES, because="empty")


def test_an_order_that_was_not_read_back_is_not_submitted(counter: Counter) -> None:
    """Without a read-back a customer's "yes" agrees to nothing."""
    counter.call(ADD_LATTE)
    counter.customer()
    refused(counter, FINALIZES, because="not read back")


def test_a_stale_read_back_does_not_count(counter: Counter) -> None:
    """After an addition the order must be read back again, even if the customer has spoken since."""
    counter.call(ADD_LATTE)
    counter.call(READS_BACK)
    counter.customer("And a taco")
    counter.call(ADD_TACO)
    refused(counter, FINALIZES, because="not read back since its last change")
    counter.customer()
    refused(counter, FINALIZES, because="not read back since its last change")


def test_a_read_back_survives_an_addition_that_failed(counter: Counter) -> None:
    """A refused addition changes nothing, so what was read back is still the order."""
    counter.call(ADD_LATTE)
    counter.call(READS_BACK)
    counter.customer("Yes, and a plum cake")
    counter.call(adds("plum-cake", "Plum Cake"))
    counter.customer("Then just that")
    assert counter.call(FINALIZES)[0]["finalized"] is True


def test_the_customer_must_speak_after_the_read_back(counter: Counter) -> None:
    """Read back and submitted without hearing the customer is refused, in one batch and in two."""
    counter.call(ADD_LATTE)
    refused(counter, READS_BACK, FINALIZES, because="read")
    refused(counter, FINALIZES, because="customer has not answered")


def test_a_read_back_beside_the_addition_does_not_count(counter: Counter) -> None:
    """A read-back that ran in parallel with an addition told the order before it."""
    counter.call(ADD_LATTE, READS_BACK)
    counter.customer()
    refused(counter, FINALIZES, because="not read back")


@pytest.mark.parametrize(
    "batch", [(ADD_TACO, FINALIZES), (FINALIZES, ADD_TACO)], ids=["add first", "finalize first"]
)
def test_an_add_beside_a_finalize_counts_and_the_finalize_does_not(
    counter: Counter, batch: tuple[Call, Call]
) -> None:
    """The order that was agreed to is not the one with the addition, whichever call comes first."""
    counter.call(ADD_LATTE)
    counter.call(READS_BACK)
    counter.customer()
    answers = counter.call(*batch)
    assert [f["added"] for f in answers if "added" in f] == [True]
    assert [f["finalized"] for f in answers if "finalized" in f] == [False]
    assert counter.lines == [("latte", 1, "small"), ("fish-taco", 1, "regular")]
    assert counter.order.status is OrderStatus.OPEN


@pytest.fixture
def submitted(counter: Counter) -> Counter:
    """A conversation whose order is with the kitchen."""
    counter.call(ADD_LATTE)
    counter.call(READS_BACK)
    counter.customer()
    counter.call(FINALIZES)
    counter.customer("One more thing")
    return counter


def test_an_order_is_submitted_once(submitted: Counter) -> None:
    """A second finalize is refused, also after another read-back."""
    before = submitted.order
    submitted.call(READS_BACK)
    submitted.customer()
    [facts] = submitted.call(FINALIZES)
    assert facts["finalized"] is False
    assert "already submitted" in facts["error"]
    assert submitted.order == before


def test_two_finalizes_in_one_batch_submit_one_order(counter: Counter) -> None:
    """However often a model calls it in one step, there is one submitted order."""
    counter.call(ADD_LATTE)
    counter.call(READS_BACK)
    counter.customer()
    counter.call(FINALIZES, FINALIZES)
    assert counter.order.status is OrderStatus.SUBMITTED
    assert counter.lines == [("latte", 1, "small")]


def test_nothing_is_added_to_a_submitted_order(submitted: Counter) -> None:
    """After submission an addition is refused and the order stays as the kitchen has it."""
    before = submitted.order
    [facts] = submitted.call(ADD_TACO)
    assert facts["added"] is False
    assert "already submitted" in facts["error"]
    assert submitted.order == before
