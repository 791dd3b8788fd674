"""The choice of tokenizers: references, the visitor's own, other runs, and opened files, at any size known."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from pages.ui.choices.corpus_names import corpus_called
from pages.ui.choices.keys import OPENED_FILES
from pages.ui.choices.opened_files import OpenedFile
from pages.ui.choices.run_names import RunName, run_names
from pages.ui.session import chosen_among
from pages.ui.shell import visitor
from pages.ui.token_view.drawings import INLINE_CHARACTERS, Text, opening_of, over, token_count
from pages.ui.token_view.lanes import MINE, Label, Lane
from pages.ui.trainings.keeping import Run
from pages.ui.trainings.registry import registry
from pages.ui.widgets.bounded import Bounded
from pages.ui.words import as_name, error_sentence, t
from tokenizer_core.errors import RankFileError, TokenizerError
from tokenizer_core.formats.file_tokenizer import FileTokenizer
from tokenizer_core.formats.opening import Opened
from tokenizer_core.measures.pieces import places_tokens
from tokenizer_core.measures.ratios import thai_entries, token_total
from tokenizer_core.openai import OPENAI_NAMES, IdCounts, references
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.vocabulary import BYTES

MAX_CHOICE = 100
"""Characters of a choice; the longest are SHA-256 hashes."""
_at_sizes = Bounded[Tokenizer | FileTokenizer](16, weigh=lambda tokenizer: 1)
_entries = Bounded[int](256, weigh=lambda entries: 1)


def choose_tokenizers(key: str, *, more: Sequence[str] = (), label_visible: bool = True) -> list[str]:
    """Let the visitor choose tokenizers; at first all but `more` and runs that are not the current one."""
    known = [*([MINE] if visitor.mine() else []), *OPENAI_NAMES]
    files, runs = _files_and_runs()
    words = _told_apart(_worded(known) | files | runs | _worded(more))
    chosen = st.pills(
        t("compare.tokenizers"),
        list(words),
        selection_mode="multi",
        format_func=words.__getitem__,
        key=chosen_among(f"{key}_{MINE in words}", list(words), [*known, *files], new=list(files)),
        persist_state="session",
        label_visibility="visible" if label_visible else "collapsed",
        wrap=True,
    )
    return [name for name in words if name in chosen]


def choose_beside(key: str, *, own: bool, files_at_first: bool) -> list[Lane]:
    """Let the visitor put opened files, runs and, if `own`, their own tokenizer beside what a page shows anyway.

    Draws nothing while there are none of these. `files_at_first` says whether files are chosen from the start.
    """
    files, runs = _files_and_runs()
    words = _told_apart((_worded([MINE]) if own and visitor.mine() else {}) | files | runs)
    if not words:
        return []
    first = list(files) if files_at_first else []
    chosen = st.pills(
        t("tokenizers.beside"),
        list(words),
        selection_mode="multi",
        format_func=words.__getitem__,
        key=chosen_among(key, list(words), first, new=first),
        persist_state="session",
        wrap=True,
    )
    return lanes_called(chosen)


def is_choice(value: object) -> bool:
    """Tell whether a value may be the choice of a tokenizer, open or not."""
    if not isinstance(value, str) or len(value) > MAX_CHOICE:
        return False
    return value in (MINE, *OPENAI_NAMES) or value.startswith(("file:", "run:"))


def lanes_called(chosen: Collection[str]) -> list[Lane]:
    """Return the lanes of these choices at their full size, the visitor's own first; skip what is gone."""
    own = visitor.mine()
    lanes = [own_lane(own)] if own and MINE in chosen else []
    lanes += reference_lanes(name for name in OPENAI_NAMES if name in chosen)
    lanes += [file_lane(file) for file in OPENED_FILES.get() if file.key in chosen]
    return lanes + run_lanes(chosen)


def why_not(lane: Lane, text: str) -> str | None:
    """Say, with its name, why a tokenizer from a file cannot encode a text; None if it can.

    Of a long text only the beginning is tried.
    """
    if not places_tokens(lane.tokenizer):
        return None
    content = Text(text)
    try:
        over(lane, content if len(text) <= INLINE_CHARACTERS else opening_of(content))
    except TokenizerError as error:
        return f"{as_name(lane.name)} – {error_sentence(error)}"
    return None


def that_can(lanes: Iterable[Lane], texts: Iterable[str]) -> list[Lane]:
    """Return the lanes that can encode all these texts; say on the page why others cannot."""
    texts, able = list(texts), []
    for lane in lanes:
        why = next(filter(None, (why_not(lane, text) for text in texts)), None)
        if why is None:
            able.append(lane)
        else:
            st.error(why, icon=":material/error:")
    return able


def _files_and_runs() -> tuple[dict[str, str], dict[str, str]]:
    """Return the names of opened files, and of runs besides the current one, safe in Markdown, by choice."""
    files = {file.key: as_name(file.name) for file in OPENED_FILES.get()}
    return files, {choice: as_name(called.plain) for choice, called in _run_names().items()}


def _worded(choices: Iterable[str]) -> dict[str, str]:
    return {choice: t(f"tokenizers.{choice}") for choice in choices}


def all_tokenizers() -> dict[str, AnyTokenizer]:
    """Return the tokenizers whose token ids are bytes, keyed by choice."""
    own = visitor.mine()
    files = {file.key: file.opened.tokenizer for file in OPENED_FILES.get()}
    exact = {key: tokenizer for key, tokenizer in files.items() if not places_tokens(tokenizer)}
    return {**references(), **({MINE: own.tokenizer} if own else {}), **exact}


def names_of_choices(choices: Iterable[str]) -> Callable[[str], str]:
    """Return a function that names choices of `all_tokenizers`."""
    files = {file.key: file.name for file in OPENED_FILES.get()}
    words = {choice: files[choice] if choice in files else t(f"tokenizers.{choice}") for choice in choices}
    return words.__getitem__


def file_lane(file: OpenedFile, size: int | None = None) -> Lane:
    """Return the lane of an opened tokenizer at this vocabulary size, by default at its full size."""
    tokenizer, opened = file.opened.tokenizer, file.opened
    size = tokenizer.vocab_size if size is None else size
    key = f"{file.key}@{size}"
    if isinstance(tokenizer, Tokenizer | FileTokenizer):
        full = tokenizer
        tokenizer = _at_sizes.get(key, lambda: full.at(size))
    special, values = (
        len(tokenizer.special_tokens),
        {"kind": kind_of(opened), "files": ", ".join(map(corpus_called, opened.files))},
    )
    if opened.format == "corpus":
        caption = t("tokenizers.counted_from", count=size, **values)
    else:
        words = "tokenizers.opened_special" if special else "tokenizers.opened"
        caption = t(words, count=token_total(tokenizer), special=special, **values)
    made_of = " · ".join(map(error_sentence, opened.remarks))
    return Lane(key, Label(file.name[:40], caption, made_of), tokenizer, chosen_as=file.key)


def kind_of(opened: Opened) -> str:
    """Return the words for the kind of an opened tokenizer."""
    return t(f"tokenizers.kind_{opened.model}") if opened.model in ("characters", "words") else opened.model


def run_lanes(chosen: Iterable[str], sizes: Mapping[str, int] | None = None) -> list[Lane]:
    """Return a lane for each chosen run, at these vocabulary sizes or at its full size."""
    wanted, called = set(chosen), _run_names()
    lanes = []
    for run in _other_runs():
        choice = _run_key(run)
        if choice not in wanted:
            continue
        full = run.job.tokenizer()
        size = (sizes or {}).get(choice, full.vocab_size)
        own = visitor.Mine(full, f"{choice}:{full.vocab_size}", counts=[merge.count for merge in run.job.merges])
        lanes.append(
            replace(
                own_lane(own, size), label=Label(called[choice].plain[:60], t("tokenizers.entries", count=size))
            )
        )
        lanes[-1] = replace(lanes[-1], is_own=False, chosen_as=choice)
    return lanes


def sizes_of_choices(chosen: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Return the name and the full vocabulary size of each chosen file and run that has smaller sizes."""
    wanted = set(chosen)
    found = {
        file.key: (file.name, file.opened.tokenizer.vocab_size)
        for file in OPENED_FILES.get()
        if file.opened.has_merges
    }
    called = _run_names()
    found |= {_run_key(run): (called[_run_key(run)].plain, BYTES + run.job.learned) for run in _other_runs()}
    return {key: value for key, value in found.items() if key in wanted and value[1] > BYTES + 1}


def _other_runs() -> list[Run]:
    """Return the visitor's runs that have learned something, but for the current one."""
    own = visitor.mine()
    current = visitor.current_job() if own and not own.from_file else None
    runs = registry().runs(visitor.owner())
    return [run for run in runs if run.job.learned and (current is None or run.job.id != current.id)]


def _run_key(run: Run) -> str:
    return f"run:{run.job.id}"


def _run_names() -> dict[str, RunName]:
    named = run_names(registry().runs(visitor.owner()))
    return {_run_key(run): named[run.job.id] for run in _other_runs()}


def _told_apart(words: Mapping[str, str]) -> dict[str, str]:
    """Number the second of equal names and those after it, because browsers know a choice by its name.

    >>> _told_apart({"run:1": "mine", "file:1": "mine"})
    {'run:1': 'mine', 'file:1': 'mine (2)'}
    """
    times: Counter[str] = Counter()
    found = {}
    for choice, name in words.items():
        times[name] += 1
        found[choice] = f"{name} ({times[name]})" if times[name] > 1 else name
    return found


def reference_lanes(chosen: Iterable[str] = OPENAI_NAMES) -> list[Lane]:
    """Return a lane for each reference, with its exact name and size; show an error for one that is unreadable."""
    return [
        Lane(name, reference_label(name, tokenizer.id_counts), tokenizer)
        for name, tokenizer in references(chosen, say=_say_unreadable).items()
    ]


def reference_label(name: str, counts: IdCounts) -> Label:
    """Return the common name of a reference, its exact name and size, and what that size is made of."""
    caption = t("tokenizers.reference", name=name, count=counts.total)
    key = "tokenizers.made_of_some_unused" if counts.unused else "tokenizers.made_of"
    made_of = t(key, bytes=BYTES, **counts._asdict())
    return Label(t(f"tokenizers.{name}"), caption, made_of)


def _say_unreadable(error: RankFileError) -> None:
    st.error(error_sentence(error), icon=":material/error:")


def reference_counts(text: str) -> list[tuple[str, int]]:
    """Count the tokens of a text by each reference, with its common name; return nothing for an empty text."""
    return [
        (t(f"tokenizers.{name}"), token_count(Lane(name, Label(name), tokenizer), text))
        for name, tokenizer in (references() if text else {}).items()
    ]


def entries_with_thai(lane: Lane) -> int:
    """Count the entries of a vocabulary with a whole Thai character."""
    return _entries.get(lane.key, lambda: thai_entries(lane.tokenizer))


def own_lane(own: visitor.Mine, size: int | None = None) -> Lane:
    """Return the lane of the visitor's own tokenizer at this vocabulary size, by default at its full size."""
    size = own.tokenizer.vocab_size if size is None else size
    name = own.tokenizer.name[:40]
    caption = (
        t("tokenizers.from_file", name=name, count=size) if own.from_file else t("tokenizers.entries", count=size)
    )
    key = f"{own.key}@{size}"
    tokenizer = _at_sizes.get(key, lambda: own.tokenizer.at(size))
    return Lane(
        key, Label(t("tokenizers.mine"), caption), tokenizer, is_own=True, counts=own.counts[: size - BYTES]
    )
