"""The tokenizer whose vocabulary is shown, its entries, and how often a text uses them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pages.ui.choices.keys import OPENED_FILES
from pages.ui.choices.tokenizers import file_lane, own_lane, reference_lanes, run_lanes
from pages.ui.shell import visitor
from pages.ui.token_view.lanes import Lane
from pages.ui.trainings.registry import registry
from pages.ui.vocabulary import keys
from pages.ui.vocabulary.texts import OwnText
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.segmented import segmented
from pages.ui.words import as_name, error_sentence, t
from tokenizer_core.errors import RankFileError
from tokenizer_core.formats.file_tokenizer import FileTokenizer
from tokenizer_core.measures.entries import Entries, entries_of
from tokenizer_core.measures.lineage import InFileIds, Merging
from tokenizer_core.openai import OpenAITokenizer
from tokenizer_core.tokenizer import Tokenizer


class Uses(NamedTuple):
    """How often a text uses each token: ids in ascending order, and their counts."""

    ids: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]

    def of(self, token_id: int) -> int:
        """Return how often the text uses a token."""
        place = int(np.searchsorted(self.ids, token_id))
        return int(self.counts[place]) if place < len(self.ids) and self.ids[place] == token_id else 0


_entries = Bounded[Entries](8, weigh=lambda entries: 1)
_in_file_ids = Bounded[InFileIds](8, weigh=lambda tokenizer: 1)
_uses = Bounded[Uses](64, weigh=lambda uses: 1)


def all_lanes() -> list[Lane]:
    """Return every tokenizer whose vocabulary can be shown: one's own, references, files, other runs."""
    own = visitor.mine()
    runs = run_lanes(f"run:{run.job.id}" for run in registry().runs(visitor.owner()))
    files = [file_lane(file) for file in OPENED_FILES.get()]
    return [*([own_lane(own)] if own else []), *reference_lanes(), *files, *runs]


def choose_lane(lanes: list[Lane]) -> Lane:
    """Let the visitor choose a tokenizer: at first their own, or else the one with the largest vocabulary."""
    by_choice = {lane.choice: lane for lane in lanes}
    names = called_apart(lanes)
    first = max(lanes, key=lambda lane: (lane.is_own, lane.tokenizer.vocab_size))
    chosen = segmented(
        t("vocabulary.tokenizer"),
        list(by_choice),
        names.__getitem__,
        key=f"{keys.LANE}_{len(lanes)}",
        default=first.choice,
    )
    return by_choice[chosen]


def name_of(lane: Lane) -> str:
    """Return the name of a lane, safe in Markdown: visitors name their files and runs."""
    return as_name(lane.name) if lane.chosen_as else lane.name


def called_apart(lanes: list[Lane]) -> dict[str, str]:
    """Return the name of each lane by its choice, safe in Markdown; browsers know a choice by its name alone."""
    found: dict[str, str] = {}
    for lane in lanes:
        name = name_of(lane)
        times = sum(known.partition(" (№")[0] == name for known in found.values())
        found[lane.choice] = f"{name} (№ {times + 1})" if times else name
    return found


def merging(lane: Lane) -> Merging | None:
    """Return the tokenizer of a lane, in the ids that the lane has, if it applies merges after a split pattern."""
    tokenizer = lane.tokenizer
    if isinstance(
        tokenizer, FileTokenizer
    ):  # a file may number its tokens in another order than they were learned
        return _in_file_ids.get(lane.key, lambda: InFileIds(tokenizer))
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    return tokenizer if isinstance(tokenizer, OpenAITokenizer) and not _lacks_pairs(tokenizer) else None


def why_no_merges(lane: Lane) -> str:
    """Say why no merges of a lane can be followed."""
    if isinstance(lane.tokenizer, OpenAITokenizer) and (lacks := _lacks_pairs(lane.tokenizer)):
        return f"{t('biography.no_pairs')} {error_sentence(lacks)}"
    return f"{t('biography.no_merges')} {lane.label.made_of}".rstrip()


def _lacks_pairs(tokenizer: OpenAITokenizer) -> RankFileError | None:
    """Return the error of ranks that do not tell all merges; None if they do."""
    try:
        _ = tokenizer.merges
    except RankFileError as error:
        return error.bare()
    return None


def entries_in(lane: Lane) -> Entries:
    """Return the entries of a lane, from the cache if they are the same."""
    return _entries.get(lane.key, lambda: entries_of(lane.tokenizer))


def uses_in(lane: Lane, text: OwnText) -> Uses:
    """Return how often a text uses each token of a lane."""

    def count() -> Uses:
        ids = lane.tokenizer.encode_each(text.texts).ids
        return Uses(*(each.astype(np.int64) for each in np.unique(ids, return_counts=True)))

    return _uses.get((lane.key, text.digest), count)
