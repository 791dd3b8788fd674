"""The choice of tokenizers: references, the visitor's own, other runs, and opened files, at any size known."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from types import MappingProxyType

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.frame import visitor
from pages.ui.i18n import as_name, error_sentence, language, t
from pages.ui.i18n.breaks import with_breaks
from pages.ui.inputs.corpus import corpus_title
from pages.ui.inputs.opened_files import OPENED_FILES, OpenedFile
from pages.ui.inputs.pattern import shortened
from pages.ui.run_registry.keeping import Run
from pages.ui.run_registry.registry import registry
from pages.ui.session import Value, chosen_among, distinct
from pages.ui.widgets import formatting
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.colours import CATEGORIES
from pages.ui.widgets.controls import fold, popover
from pages.ui.widgets.token_view.drawings import INLINE_CHARACTERS, Text, encoded_lane, opening_of, token_count
from pages.ui.widgets.token_view.lanes import MINE, Label, Lane
from tokenizer_core.analysis.cuts import places_tokens
from tokenizer_core.analysis.entries import thai_entries, vocab_size_with_special
from tokenizer_core.bpe.openai import OPENAI_NAMES, IdCounts, references
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import TokenizerError
from tokenizer_core.interop.byte_level import FileTokenizer
from tokenizer_core.interop.opening import Opened
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS
from tokenizer_core.workers.training_job import Job

MAX_CHOICE = 100
"""Characters of a choice; the longest are SHA-256 hashes."""
_SHAPES = (".2rem", "50%")
"""Corner radii of the swatches: squares, then circles, so that twice as many runs differ."""
DOUBTS = {"pattern_assumed", "gguf_pattern", "gguf_pieces"}
"""Remarks on a file whose ids may differ from those of its model."""
SPECIAL_ACTS: Value[bool] = Value("special_act", bool)
"""Whether special tokens act, on Home and Compare."""
_ASKS_WHY: Value[bool] = Value("special_lesson", bool)
MARKER, NEAR_MISS = "<|endoftext|>", "<|endoftex"
_at_sizes = Bounded[Tokenizer | FileTokenizer](16, weigh=lambda tokenizer: 1)
_entries = Bounded[int](256, weigh=lambda entries: 1)


# ---- names of runs: runs that are compared must differ


def run_names(runs: Sequence[Run]) -> dict[str, str]:
    """Return the names of runs by the id of their job, all different: the visitor's, or else what a run learns.

    The size is that which was reached, once a training has ended.
    """
    named = {}
    for run in runs:
        job = run.job
        corpus = _without_fences(corpus_title(job.training.corpus_name))
        size = BYTES + job.learned if job.ended and job.failure is None else job.training.vocab_size
        said = t("runs.named", corpus=corpus, pattern=shortened(pattern_name_of(job)), size=size)
        named[job.id] = run.name or said + way_said(job)
    return distinct(named)


def pattern_name_of(job: Job) -> str:
    """Return the name of a training's split pattern."""
    known = job.training.pattern in SPLIT_PATTERNS
    return t(f"pattern.{job.training.pattern}_name") if known else t("pattern.custom_name")


def way_said(job: Job) -> str:
    """Return what to add to the name of a training that is not plain BPE."""
    size = job.training.superwords_from
    said = [t("runs.parity")] if job.training.parity else []
    said += [] if size is None else [t("runs.superwords", size=size)]
    return "".join(f" · {each}" for each in said)


def swatch(run: Run) -> str:
    """Return the HTML of the swatch that stands beside the name of a run; it says nothing of its own."""
    light, dark = CATEGORIES[run.number % len(CATEGORIES)]
    radius = _SHAPES[run.number // len(CATEGORIES) % len(_SHAPES)]
    return (
        f'<span aria-hidden="true" style="display:block;width:.9rem;height:.9rem;border-radius:{radius};'
        f'background:light-dark({light},{dark})"></span>'
    )


def _without_fences(name: str) -> str:
    """Undo `as_plain_markdown`.

    >>> _without_fences("` *th* ` + English")
    '*th* + English'
    """
    return re.sub(r"(`+) (.*?) \1", r"\2", name)


# ---- choices and their lanes


def choose_tokenizers(
    key: str, *, more: Sequence[str] = (), label_visible: bool = True, earlier: DeltaGenerator | None = None
) -> list[str]:
    """Let the visitor choose tokenizers; at first all but `more` and runs that are not the current one.

    Runs of earlier visits are offered where the page has a place for them, or else below the others.
    """
    known = [*([MINE] if visitor.own_tokenizer() else []), *OPENAI_NAMES]
    files, runs = _files_and_runs()
    words = distinct(_worded(known) | files | runs | _worded(more))
    key = chosen_among(f"{key}_{MINE in words}", list(words), [*known, *files], new=list(files))
    chosen = _pills("compare.tokenizers", words, key, label_visible=label_visible, place=earlier)
    return [name for name in words if name in chosen]


def choose_beside(key: str, *, own: bool) -> list[Lane]:
    """Let the visitor put opened files, runs and, if `own`, their own tokenizer beside what a page shows anyway.

    Draws nothing while there are none of these. Files are chosen from the start.
    """
    files, runs = _files_and_runs()
    words = distinct((_worded([MINE]) if own and visitor.own_tokenizer() else {}) | files | runs)
    if not words:
        return []
    first = list(files)
    return lanes_of_choices(_pills("tokenizers.beside", words, chosen_among(key, list(words), first, new=first)))


def _pills(
    label: str,
    words: Mapping[str, str],
    key: str,
    *,
    label_visible: bool = True,
    place: DeltaGenerator | None = None,
) -> list[str]:
    """Let the visitor choose among these; runs of earlier visits are folded until they are chosen."""
    choice: Value[list[str]] = Value(key, list)
    earlier = {name: said for name, said in earlier_runs(words).items() if name not in choice.get()}
    names = [name for name in words if name not in earlier]
    chosen = st.pills(
        t(label),
        names,
        selection_mode="multi",
        format_func=words.__getitem__,
        key=key,
        persist_state="session",
        label_visibility="visible" if label_visible and names else "collapsed",
        wrap=True,
    )
    with place or nullcontext():
        offer_earlier(earlier, key, lambda name: choice.put([*choice.get(), name]))
    return chosen


def earlier_runs(choices: Collection[str]) -> dict[str, str]:
    """Return the runs of earlier visits among these choices, each with its name and its time, safe in Markdown."""
    if not any(map(is_run, choices)):
        return {}
    names = _run_names()
    return {
        choice: f"{as_name(names[choice])} · {with_breaks(formatting.dated(run.job.created))}"
        for choice, run in _other_runs().items()
        if choice in choices and visitor.is_earlier(run.job)
    }


def offer_earlier(earlier: Mapping[str, str], key: str, take: Callable[[str], None]) -> None:
    """Offer runs of earlier visits, folded; `take` gets the one that the visitor presses."""
    if earlier:
        with st.popover(t("runs.earlier", count=len(earlier)), icon=":material/history:", type="tertiary"):
            for choice, said in reversed(list(earlier.items())):
                st.button(said, key=f"{key}_{choice}", type="tertiary", on_click=take, args=(choice,))


def is_run(choice: str) -> bool:
    """Tell whether a choice is a training, open or not, and not the visitor's current one."""
    return choice.startswith("run:")


def is_trained_here(lane: Lane) -> bool:
    """Tell whether a tokenizer was trained in this app, now or earlier, also by another library."""
    if not lane.chosen_as:
        return lane.is_own
    kept = (file.is_trained_here for file in OPENED_FILES.get() if file.key == lane.choice)
    return is_run(lane.choice) or any(kept)


def is_choice(value: object) -> bool:
    """Tell whether a value may be the choice of a tokenizer, open or not."""
    if not isinstance(value, str) or len(value) > MAX_CHOICE:
        return False
    return value in (MINE, *OPENAI_NAMES) or value.startswith(("file:", "run:"))


def lanes_of_choices(chosen: Collection[str], sizes: Mapping[str, int] = MappingProxyType({})) -> list[Lane]:
    """Return the lanes of these choices, the visitor's own first; skip what is gone.

    `sizes` are vocabulary sizes by choice; others have their full size.
    """
    own = visitor.own_tokenizer()
    lanes = [own_lane(own, sizes.get(MINE))] if own and MINE in chosen else []
    lanes += reference_lanes(name for name in OPENAI_NAMES if name in chosen)
    lanes += [file_lane(file, sizes.get(file.key)) for file in OPENED_FILES.get() if file.key in chosen]
    return lanes + _run_lanes(chosen, sizes)


def why_not_encodable(lane: Lane, text: str) -> str | None:
    """Say, with its name, why a tokenizer from a file cannot encode a text; None if it can.

    Of a long text only the beginning is tried.
    """
    if not places_tokens(lane.tokenizer):
        return None
    content = Text(text)
    try:
        encoded_lane(lane, content if len(text) <= INLINE_CHARACTERS else opening_of(content))
    except TokenizerError as error:
        return f"{as_name(lane.name)} – {error_sentence(error)}"
    return None


def lanes_that_encode(lanes: Iterable[Lane], texts: Iterable[str]) -> list[Lane]:
    """Return the lanes that can encode all these texts; say on the page why others cannot."""
    texts, able = list(texts), []
    for lane in lanes:
        why = next(filter(None, (why_not_encodable(lane, text) for text in texts)), None)
        if why is None:
            able.append(lane)
        else:
            st.error(why, icon=":material/error:")
    return able


def name_of(lane: Lane) -> str:
    """Return the name of a lane, safe in Markdown: visitors name their files and runs."""
    return as_name(lane.name) if lane.chosen_as else lane.name


def _files_and_runs() -> tuple[dict[str, str], dict[str, str]]:
    """Return the names of opened files, and of runs besides the current one, safe in Markdown, by choice."""
    files = {file.key: as_name(file.name) for file in OPENED_FILES.get()}
    return files, {choice: as_name(name) for choice, name in _run_names().items()}


def _worded(choices: Iterable[str]) -> dict[str, str]:
    return {choice: t(f"tokenizers.{choice}") for choice in choices}


def all_tokenizers() -> dict[str, AnyTokenizer]:
    """Return the tokenizers whose token ids are bytes, keyed by choice."""
    own = visitor.own_tokenizer()
    files = {file.key: file.opened.tokenizer for file in OPENED_FILES.get()}
    exact = {key: tokenizer for key, tokenizer in files.items() if not places_tokens(tokenizer)}
    return {**references(), **({MINE: own.tokenizer} if own else {}), **exact}


def names_of_choices(choices: Iterable[str]) -> Callable[[str], str]:
    """Return a function that names choices of `all_tokenizers`."""
    files = {file.key: file.name for file in OPENED_FILES.get()}
    return {choice: files.get(choice) or t(f"tokenizers.{choice}") for choice in choices}.__getitem__


def file_lane(file: OpenedFile, size: int | None = None) -> Lane:
    """Return the lane of an opened tokenizer at this vocabulary size, by default at its full size."""
    tokenizer, opened = file.opened.tokenizer, file.opened
    size = tokenizer.vocab_size if size is None else size
    key = f"{file.key}@{size}"
    if isinstance(tokenizer, Tokenizer | FileTokenizer) and size != tokenizer.vocab_size:
        full = tokenizer
        tokenizer = _at_sizes.get(key, lambda: full.at(size))
    special = len(tokenizer.special_tokens)
    values = {"kind": kind_of(opened), "files": ", ".join(map(corpus_title, opened.files))}
    if opened.format == "corpus":
        caption = t("tokenizers.counted_from", count=size, **values)
    else:
        words = "tokenizers.opened_special" if special else "tokenizers.opened"
        caption = t(words, count=vocab_size_with_special(tokenizer), special=special, **values)
    added = next((remark.values["around"] for remark in opened.remarks if remark.code == "file_adds_tokens"), None)
    if added is not None:
        caption += f" · {t('tokenizers.without', around=added)}"
    details = " · ".join([*origin_of(file), *map(error_sentence, opened.remarks)])
    return Lane(key, Label(file.name[:40], caption, details), tokenizer, chosen_as=file.key)


def origin_of(file: OpenedFile, called: Callable[[str], str] = str) -> list[str]:
    """Say where a model comes from, under which licence, and whether its ids are exact; nothing of other files.

    `called` writes names of others.
    """
    model = file.model
    if model is None:
        return []
    is_pinned = model.kind == "hub" and model.version
    origin = f"{model.name} @ {model.version[:12]}" if is_pinned else f"{model.name} {model.version}".strip()
    key = "package_licence" if model.kind == "package" else "licence"
    said = [t("models.from", origin=called(origin))]
    said.append(t(f"models.{key}", licence=called(model.licence)) if model.licence else t("models.no_licence"))
    doubts = DOUBTS & {remark.code for remark in file.opened.remarks}
    return said if doubts else [*said, t("models.exact")]


def kind_of(opened: Opened) -> str:
    """Return the words for the kind of an opened tokenizer."""
    return t(f"tokenizers.kind_{opened.model}") if opened.model in ("characters", "words") else opened.model


def _run_lanes(chosen: Collection[str], sizes: Mapping[str, int]) -> list[Lane]:
    """Return a lane for each chosen run, at these vocabulary sizes or at its full size."""
    if not any(map(is_run, chosen)):
        return []
    lanes, names = [], _run_names()
    for choice, run in _other_runs().items():
        if choice in chosen:
            full = run.job.tokenizer()
            size = sizes.get(choice, full.vocab_size)
            counts = [merge.count for merge in run.job.merges]
            lane = own_lane(visitor.OwnTokenizer(full, f"{choice}:{full.vocab_size}", counts), size)
            label = Label(names[choice][:60], lane.label.caption)
            lanes.append(replace(lane, label=label, is_own=False, chosen_as=choice))
    return lanes


def sizes_of_choices(chosen: Collection[str]) -> dict[str, int]:
    """Return the full vocabulary size of each chosen file and run that has smaller sizes."""
    files = {file.key: file.opened.tokenizer.vocab_size for file in OPENED_FILES.get() if file.opened.has_merges}
    found = files | {choice: BYTES + run.job.learned for choice, run in _other_runs().items()}
    return {choice: size for choice, size in found.items() if choice in chosen and size > BYTES + 1}


def _other_runs() -> dict[str, Run]:
    """Return the visitor's runs that have learned something, except the current one, by choice."""
    runs = [run for run in registry().runs(visitor.owner()) if run.job.learned]
    current = visitor.current_job() if runs and visitor.own_tokenizer() else None
    return {f"run:{run.job.id}": run for run in runs if run.job is not current}


def _run_names() -> dict[str, str]:
    others = _other_runs()
    named = run_names(registry().runs(visitor.owner())) if others else {}
    return {choice: named[run.job.id] for choice, run in others.items()}


def reference_lanes(chosen: Iterable[str] = OPENAI_NAMES) -> list[Lane]:
    """Return a lane for each reference, with its exact name and size; show an error for one that is unreadable."""

    def show(error: TokenizerError) -> None:
        st.error(error_sentence(error), icon=":material/error:")

    return [
        Lane(name, _label_of(name, tokenizer.id_counts, language()), tokenizer)
        for name, tokenizer in references(chosen, say=show).items()
    ]


@cache
def _label_of(name: str, counts: IdCounts, spoken: str) -> Label:
    """Return the label of a reference in the visitor's language, which is `spoken`."""
    caption = t("tokenizers.reference", name=name, count=counts.total)
    key = "tokenizers.made_of_some_unused" if counts.unused else "tokenizers.made_of"
    return Label(t(f"tokenizers.{name}"), caption, t(key, bytes=BYTES, **counts._asdict()))


def reference_counts(text: str) -> list[tuple[str, int]]:
    """Count the tokens of a text by each reference, with its common name; return nothing for an empty text."""
    return [
        (t(f"tokenizers.{name}"), token_count(Lane(name, Label(name), tokenizer), text))
        for name, tokenizer in (references() if text else {}).items()
    ]


def entries_with_thai(lane: Lane) -> int:
    """Count the entries of a vocabulary with a whole Thai character."""
    return _entries.get(lane.key, lambda: thai_entries(lane.tokenizer))


def own_lane(own: visitor.OwnTokenizer, size: int | None = None) -> Lane:
    """Return the lane of the visitor's own tokenizer at this vocabulary size, by default at its full size."""
    size = own.tokenizer.vocab_size if size is None else size
    key = f"{own.key}@{size}"
    tokenizer = _at_sizes.get(key, lambda: own.tokenizer.at(size))
    caption = t("tokenizers.entries", count=vocab_size_with_special(tokenizer))
    label, counts = Label(t("tokenizers.mine"), caption), own.counts[: size - BYTES]
    return Lane(key, label, tokenizer, is_own=True, counts=counts)


# ---- special tokens


def special_switch(lanes: Sequence[Lane], *, in_menu: bool = False) -> list[Lane]:
    """Draw the switch and its explanation; return the lanes with their special tokens acting if it is on.

    The explanation pops up, or folds out in a menu, which pops up itself.
    """
    with (
        st.container() if in_menu else st.container(horizontal=True, vertical_alignment="center", width="content")
    ):
        acts = st.toggle(t("special.act"), key=SPECIAL_ACTS.key, persist_state="session")
        why, icon = t("special.why"), ":material/help:"
        box = (
            fold(why, icon=icon, key=_ASKS_WHY.key)
            if in_menu
            else popover(why, icon=icon, type="tertiary", key=_ASKS_WHY.key)
        )
        with box:
            if _ASKS_WHY.get():
                _lesson()
    return [_acting(lane) if acts else lane for lane in lanes]


def _acting(lane: Lane) -> Lane:
    """Return a lane in which special tokens act; say in its caption where they never do."""
    if isinstance(lane.tokenizer, SentencePieceTokenizer):
        caption = f"{lane.label.caption} · {t('special.never')}"
        return replace(lane, special_acts=True, label=lane.label._replace(caption=caption))
    return replace(lane, special_acts=True)


def _lesson() -> None:
    """Explain special tokens with counts of GPT-2."""
    st.markdown(t("special.what"))
    for name, tokenizer in references(["gpt2"]).items():
        lane = Lane(name, Label(name), tokenizer)
        counts = {
            "off": token_count(lane, MARKER),
            "on": token_count(replace(lane, special_acts=True), MARKER),
            "near": token_count(replace(lane, special_acts=True), NEAR_MISS),
        }
        st.markdown(t("special.counts", **counts))
    st.markdown(t("special.danger"))
