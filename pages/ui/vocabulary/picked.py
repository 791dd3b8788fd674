"""The token whose biography is shown."""

from pages.ui.token_view.lanes import Lane
from pages.ui.vocabulary import keys
from pages.ui.vocabulary.lanes import entries_in
from pages.ui.words import t


def picked_in(lane: Lane) -> int:
    """Return the id that the visitor clicked in this vocabulary, at first the longest token of an example."""
    picked, known = keys.PICKED.get().get(lane.choice), entries_in(lane).ids
    if picked is not None and picked in known:
        return picked
    tokenizer = lane.tokenizer
    found = [each for each in tokenizer.encode(t("vocabulary.first_word")) if each in known]
    return max(found, key=lambda each: len(tokenizer.token_bytes(each)), default=int(known[0]))


def pick(lane: Lane, token_id: int) -> None:
    """Show the biography of another token."""
    keys.PICKED.put({**keys.PICKED.get(), lane.choice: token_id})
    keys.CLICKS.put(keys.CLICKS.get() + 1)
