"""What the visitor chose: a tokenizer, a text, and the token that is looked at."""

import hashlib
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.frame import visitor
from pages.ui.i18n import error_sentence, names, t
from pages.ui.inputs.corpus import sample_texts
from pages.ui.inputs.opened_files import OPENED_FILES
from pages.ui.inputs.opener import tokenizer_opener
from pages.ui.inputs.tokenizers import (
    earlier_runs,
    entries_with_thai,
    lanes_of_choices,
    name_of,
    offer_earlier,
)
from pages.ui.run_registry.registry import registry
from pages.ui.session import Maybe, Value, remembered
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.controls import answer, fold, live_text_area, segmented
from pages.ui.widgets.slides import MOST_CHARACTERS as MOST_ON_A_SLIDE
from pages.ui.widgets.slides import Slide
from pages.ui.widgets.slides.talk import Entry, Known, known_slides, name_kept
from pages.ui.widgets.token_view.lanes import MINE, Lane
from tokenizer_core.analysis.entries import SCRIPTS, Entries, Script, entries_of
from tokenizer_core.analysis.lineage import InFileIds, Merging, tree_of
from tokenizer_core.bpe.openai import OPENAI_NAMES, OpenAITokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.vocabulary import utf8_text
from tokenizer_core.errors import RankFileError
from tokenizer_core.interop.byte_level import FileTokenizer
from tokenizer_core.kernels.compiled import are_ready
from tokenizer_core.workers.training_job import Job

SAMPLE, TYPED, TRAINED = "sample", "typed", "trained"
"""Where the text comes from."""
_EARLIER: Maybe[str] = Maybe("vocabulary_earlier")
"""The run of an earlier visit that the visitor chose last."""
MOST_CHARACTERS = 2_000_000
"""Characters of a training text that are counted: each tokenizer takes at most a second for them."""


@dataclass(frozen=True)
class OwnText:
    """The texts that are counted, and what they are called in a sentence."""

    texts: tuple[str, ...] = field(repr=False)
    name: str
    source: str

    @cached_property
    def digest(self) -> str:
        """A hash of the texts."""
        whole = hashlib.sha256()
        for text in self.texts:
            whole.update(text.encode("utf-8", "surrogatepass") + b"\xff")
        return whole.hexdigest()


def choose_text() -> OwnText:
    """Let the visitor choose the text: built-in, their own, or what their tokenizer learned."""
    trained = training_texts()
    if learned_from_counts():
        st.caption(t("counts.vocabulary"))
    sources = [SAMPLE, TYPED, *([TRAINED] if trained else [])]
    source = segmented(
        t("vocabulary.text"),
        sources,
        names("vocabulary.text_{}", sources),
        key=f"vocabulary_source_{len(sources)}",
        show_label=True,
    )
    if source == TYPED:
        typed = live_text_area(
            t("vocabulary.text_typed"),
            key=remembered("vocabulary_text", t("examples.sample")),
            height=110,
            placeholder=t("text.placeholder"),
            show_label=False,
        )
        return OwnText((typed,), t("vocabulary.named_typed"), TYPED)
    if source == TRAINED:
        texts = first_characters(trained, MOST_CHARACTERS)
        if sum(map(len, texts)) < sum(map(len, trained)):
            st.caption(t("vocabulary.text_part", characters=MOST_CHARACTERS))
        return OwnText(texts, t("vocabulary.named_trained"), TRAINED)
    return _sample()


def _sample() -> OwnText:
    return OwnText(sample_texts(), t("vocabulary.named_sample"), SAMPLE)


def first_characters(texts: Sequence[str], most: int) -> tuple[str, ...]:
    """Return the texts up to this many characters together.

    >>> first_characters(["abc", "def"], 4)
    ('abc', 'd')
    """
    kept: list[str] = []
    for text in texts:
        if most <= 0:
            break
        kept.append(text[:most])
        most -= len(text)
    return tuple(kept)


def training_texts() -> Sequence[str]:
    """Return what the visitor's own tokenizer learned from, if it was trained here and the texts are kept."""
    job = _own_job()
    return () if job is None else visitor.texts_of(job)


def learned_from_counts() -> bool:
    """Tell whether the visitor's own tokenizer learned from counts, so that its text was never here."""
    job = _own_job()
    return job is not None and job.training.counts is not None


def _own_job() -> Job | None:
    own = visitor.own_tokenizer()
    return None if own is None else visitor.current_job()


class Uses(NamedTuple):
    """How often a text uses each token: ids in ascending order, and their counts."""

    ids: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]

    def of(self, token_id: int) -> int:
        """Return how often the text uses a token."""
        place = int(np.searchsorted(self.ids, token_id))
        return int(self.counts[place]) if place < len(self.ids) and self.ids[place] == token_id else 0


class FirstLook(NamedTuple):
    """What a vocabulary opens on."""

    script: Script | None
    """The script that is shown; None for all."""
    token_id: int
    """The token that is looked at: the first of them."""


_BEGINS_THAI = "ก".encode()[:2]
"""How every Thai consonant begins in UTF-8."""
_MOST_TRIED = 60
"""Tokens among which a page looks for one that is easy to read."""
_entries = Bounded[Entries](8, weigh=lambda entries: 1)
_in_file_ids = Bounded[InFileIds](8, weigh=lambda tokenizer: 1)
_first_looks = Bounded[FirstLook](16, weigh=lambda look: 1)
_uses = Bounded[Uses](64, weigh=lambda uses: 1)


def all_lanes() -> list[Lane]:
    """Return every tokenizer whose vocabulary can be shown: one's own, references, files, other runs."""
    files = [file.key for file in OPENED_FILES.get()]
    runs = [f"run:{run.job.id}" for run in registry().runs(visitor.owner())]
    return lanes_of_choices([MINE, *OPENAI_NAMES, *files, *runs])


_OPENED_HERE: Maybe[str] = Maybe("vocabulary_opened_here")


def say_what_is_known(lane: Lane) -> None:
    """Say how many tokens a tokenizer knows, and how many with Thai."""
    count, thai = len(entries_in(lane).ids), entries_with_thai(lane)
    figures = {"count": f"**{count:,}**", "thai": f"**{thai:,}**"}
    answer(t("vocabulary.known", name=name_of(lane), **figures), key="vocabulary")
    st.markdown(t("vocabulary.what"))


def choose_lane(lanes: list[Lane], earlier_place: DeltaGenerator, *, is_asked: bool = True) -> Lane:
    """Let the visitor choose a tokenizer: at first their own, or else the one with the largest vocabulary.

    Runs of earlier visits are folded; one that is chosen stands beside the others, as does what is opened here.
    What is about all tokenizers asks for none; there, the one that was chosen last is returned.
    """
    by_choice = {lane.choice: lane for lane in lanes}
    names = called_apart(lanes)
    earlier = {choice: said for choice, said in earlier_runs(by_choice).items() if choice != _EARLIER.get()}
    shown = [choice for choice in by_choice if choice not in earlier]
    first = max((by_choice[choice] for choice in shown), key=lambda lane: (lane.is_own, lane.tokenizer.vocab_size))
    if (opened := _OPENED_HERE.take()) in shown:
        Maybe[str](_lane_key(len(shown))).put(opened)
    is_taken = _EARLIER.get() in shown
    key = _lane_key(len(shown))
    with st.container(horizontal=True, vertical_alignment="center", key="vocabulary_lanes"):
        if is_asked:
            segmented(t("vocabulary.tokenizer"), shown, names.__getitem__, key=key, default=first.choice)
        tokenizer_opener(on_open=_OPENED_HERE.put)
    with earlier_place:
        offer_earlier(earlier, "vocabulary", partial(_take, len(shown) + (not is_taken)))
    return by_choice.get(Maybe[str](key).get() or first.choice, first)


def _lane_key(count: int) -> str:
    return f"vocabulary_lane_{count}"


def _take(count: int, choice: str) -> None:
    """Put a run of an earlier visit among the tokenizers that are shown, and choose it."""
    _EARLIER.put(choice)
    Maybe[str](_lane_key(count)).put(choice)


def called_apart(lanes: list[Lane]) -> dict[str, str]:
    """Return the name of each lane by its choice, safe in Markdown; browsers know a choice by its name alone."""
    found: dict[str, str] = {}
    for lane in lanes:
        name = name_of(lane)
        times = sum(known.partition(" (№")[0] == name for known in found.values())
        found[lane.choice] = f"{name} (№ {times + 1})" if times else name
    return found


def without_earlier(lanes: Sequence[Lane], chosen: Lane) -> list[Lane]:
    """Return these lanes without the runs of earlier visits, except the chosen one."""
    earlier = earlier_runs([lane.choice for lane in lanes])
    return [lane for lane in lanes if lane.choice not in earlier or lane.choice == chosen.choice]


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
    return f"{t('biography.no_merges')} {lane.label.details}".rstrip()


def _lacks_pairs(tokenizer: OpenAITokenizer) -> RankFileError | None:
    """Return the error of ranks that do not tell all merges; None if they do."""
    first_time = nullcontext() if are_ready() else st.spinner(t("vocabulary.first_time"))
    try:
        with first_time:
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


PICKED: Value[dict[str, int]] = Value("vocabulary_picked", dict)
"""The id whose biography is shown, by the choice of its tokenizer."""
CLICKS: Value[int] = Value("vocabulary_clicks", int)
"""How many entries were clicked: the page scrolls to a biography once for each click."""


def first_look(lane: Lane) -> FirstLook:
    """Return a token in Thai, or else in Latin letters, if a tokenizer has one.

    It is the longest that the built-in sentences use, a word that people know, and of whole letters if there is
    one. Special tokens are not looked at, unless there is nothing else.
    """
    return _first_looks.get(lane.key, lambda: _first_look(lane))


def _first_look(lane: Lane) -> FirstLook:
    entries = entries_in(lane)
    learned = np.flatnonzero(entries.scripts != SCRIPTS.index("special"))
    wanted: tuple[Script, ...] = ("thai", "latin")
    script = next((each for each in wanted if entries.count(each)), None)
    places = learned if script is None else np.flatnonzero(entries.scripts == SCRIPTS.index(script))
    used = places[np.isin(entries.ids[places], uses_in(lane, _sample()).ids)]
    longest = sorted(
        (used if len(used) else places).tolist(), key=lambda place: len(entries.tokens[place]), reverse=True
    )
    ids = [int(entries.ids[place]) for place in longest[:_MOST_TRIED]]
    return FirstLook(script, next((each for each in ids if _joins_whole_letters(each, lane)), ids[0]))


def _joins_whole_letters(token_id: int, lane: Lane) -> bool:
    """Tell whether the tree of a token is easy to read: no merge joins a letter with a part of another."""
    tokenizer = merging(lane)
    if tokenizer is None:
        return False
    token = tokenizer.token_bytes(token_id)
    nodes = tree_of(token_id, tokenizer, to_bytes=False)
    return all(utf8_text(token[node.start : node.end]) is not None for node in nodes)


def picked_in(lane: Lane) -> int:
    """Return the id that is looked at in this vocabulary: the one picked last, or else the first that is shown."""
    picked = PICKED.get().get(lane.choice)
    return picked if picked is not None and picked in entries_in(lane).ids else first_look(lane).token_id


def picked_among(lane: Lane, entries: Entries) -> int:
    """Return the id that is looked at among some entries: at first what begins Thai letters, or has a tree."""
    picked = PICKED.get().get(lane.choice)
    if picked is not None and picked in entries.ids:
        return picked
    place = next((place for place, token in enumerate(entries.tokens) if token == _BEGINS_THAI), None)
    if place is None:
        place = next((place for place, token in enumerate(entries.tokens) if len(token) > 1), 0)
    return int(entries.ids[place])


def pick(lane: Lane, token_id: int, *, by_click: bool = True) -> None:
    """Look at another token; only a click brings it into view."""
    PICKED.put({**PICKED.get(), lane.choice: token_id})
    if by_click:
        CLICKS.put(CLICKS.get() + 1)


def text_below() -> tuple[DeltaGenerator, OwnText]:
    """Let the visitor choose a text in a fold; return the place above it, and the text."""
    place = st.container()
    with fold(t("vocabulary.with_text"), icon=":material/notes:", key="vocabulary_with_text"):
        return place, choose_text()


def slides_of(lane: Lane, lanes: Sequence[Lane]) -> list[Slide]:
    """Return how many tokens a vocabulary has, and how each tokenizer cuts the token that is looked at."""
    return known_slides(_known(lane), _picked_text(lane), lanes)


def entry_of(lane: Lane, lanes: Sequence[Lane]) -> Entry:
    """Return the same for the visitor's talk."""
    return Entry(text=_picked_text(lane), known=_known(lane), lanes=tuple(each.choice for each in lanes))


def _known(lane: Lane) -> Known:
    return Known(name_kept(lane), len(entries_in(lane).tokens), entries_with_thai(lane))


def _picked_text(lane: Lane) -> str:
    """Return the token that is looked at; nothing if it is a part of a character."""
    try:
        return lane.tokenizer.token_bytes(picked_in(lane)).decode("utf-8")[:MOST_ON_A_SLIDE]
    except UnicodeDecodeError:
        return ""
