"""The token whose biography is shown."""

from pages.ui.token_view.lanes import Lane
from pages.ui.vocabulary import keys
from pages.ui.vocabulary.lanes import entries_in
from pages.ui.words import t


def picked_in(lane: Lane) -> int:
    """Return the id that the visitor clicked in this vocabulary, at first the longest token of an example."""
    picked = keys.PICKED.get().get(lane.choice)
    if picked is not None and picked in entries_in(lane).ids:
        return picked
    return max(
        lane.tokenizer.encode(t("vocabulary.first_word")), key=lambda each: len(lane.tokenizer.token_bytes(each))
    )


def pick(lane: Lane, token_id: int) -> None:
    """Show the biography of another token."""
    keys.PICKED.put({**keys.PICKED.get(), lane.choice: token_id})
    keys.CLICKS.put(keys.CLICKS.get() + 1)
