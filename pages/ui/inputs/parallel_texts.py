"""The picker of parallel texts: the bundled sentences, files aligned line by line, or a table."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count

import streamlit as st

from pages.ui.i18n import as_name, as_plain_markdown, error_sentence, names, t, translations
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import openings, sample_texts
from pages.ui.inputs.uploads import (
    MENDED_BY_ENCODING,
    Choices,
    Limits,
    Upload,
    encoding_name,
    encoding_picker,
    file_picker,
    show_refusal,
)
from pages.ui.limits import MAX_CORPUS_BYTES
from pages.ui.session import Maybe, one_of, remembered, rename_choices
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.colours import CATEGORIES
from pages.ui.widgets.controls import segmented
from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.files import table_kind
from tokenizer_core.readers.labels import column_labels
from tokenizer_core.readers.languages import is_in
from tokenizer_core.readers.parallel import (
    JOININGS,
    MAX_LANGUAGES,
    Guess,
    Joining,
    LeftOut,
    Parallel,
    parallel_texts,
    read_fitting,
    read_parallel,
)
from tokenizer_core.workers.parquet_reader import open_parquet_apart

_SOURCE: Maybe[str] = Maybe("languages_source")
_JOINING: Maybe[Joining] = Maybe("languages_joining")
SOURCES = ("sample", "upload")
PLACE = "languages"
NAME_CHARACTERS = 28
_ENDING = re.compile(r"\.(txt|text|md)$", re.IGNORECASE)
"""Endings of file names that say nothing; others may be a language."""
_COLOURS = {"th": 0, "en": 1}
"""The colours of Thai and English, which are theirs whatever stands beside them."""
_LIMITS = Limits(MAX_LANGUAGES, MAX_CORPUS_BYTES)
_latin = Bounded[bool](1_024, weigh=lambda is_latin: 1)


@dataclass(frozen=True)
class NamedTexts:
    """Parallel texts, and the names of their languages."""

    parallel: Parallel
    names: tuple[str, ...]
    """Plain names for charts, not for Markdown."""
    spoken: tuple[str, ...]
    """The same names, safe in Markdown."""
    is_sample: bool
    typed: tuple[str, ...] = field(default=(), kw_only=True)
    """The names that the visitor typed, "" for a name left as it was; nothing where none can be typed."""

    @property
    def full_names(self) -> tuple[str, ...]:
        """The names for saved tables, where there is room for whole names."""
        if self.is_sample:
            return self.names
        typed = self.typed or ("",) * len(self.names)
        return column_labels(name or whole for name, whole in zip(typed, _proposed(self.parallel), strict=True))

    @property
    def colours(self) -> tuple[int, ...]:
        """The index of the color of each language: Thai and English have their own, others the next free one."""
        codes = self.parallel.languages
        own = {codes.index(code): colour for code, colour in _COLOURS.items() if code in codes}
        free = (each for each in count() if each % len(CATEGORIES) not in own.values())
        return tuple(own[side] if side in own else next(free) % len(CATEGORIES) for side in range(len(codes)))


@dataclass(frozen=True)
class Compared(NamedTexts):
    """Parallel texts, and how to compare them."""

    base: int
    """The index of the language that the others are divided by."""
    joining: Joining

    @property
    def others(self) -> list[int]:
        """The indexes of the languages without the base."""
        return [place for place in range(len(self.names)) if place != self.base]

    def with_plain_names(self) -> "Compared":
        """Return the same texts, with names to use outside Markdown."""
        return replace(self, spoken=self.names)


@dataclass(frozen=True)
class Apart:
    """Texts that do not have the same lines: each by itself, and why they cannot be compared line by line."""

    sides: tuple[Parallel, ...]
    why: CorpusError
    left_out: tuple[LeftOut, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the texts, short enough for a table, and not for Markdown."""
        return _shortened([side.names[0] for side in self.sides], keep_end=True)


def named(parallel: Parallel, *, is_sample: bool) -> NamedTexts:
    """Give parallel texts names that fit in a chart."""
    if is_sample:
        names = tuple(t(f"languages.{name}") for name in parallel.names)
        return NamedTexts(parallel, names, names, is_sample)
    names = _shortened(_proposed(parallel), keep_end=parallel.table is None)
    return NamedTexts(parallel, names, tuple(map(as_name, names)), is_sample)


def _proposed(parallel: Parallel) -> list[str]:
    """Return the language of each text where it is known, else the name of its column, or of its file in short.

    Texts that would have the same name keep that of their file or column.
    """
    proposed = [
        without_breaks(t(f"languages.{code}")) if code else _in_short(name, is_file=parallel.table is None)
        for name, code in zip(parallel.names, parallel.languages, strict=True)
    ]
    times = Counter(proposed)
    return [short if times[short] == 1 else name for short, name in zip(proposed, parallel.names, strict=True)]


def _in_short(name: str, *, is_file: bool) -> str:
    return _ENDING.sub("", name.rpartition("/")[2]) or name if is_file else name


def _let_name(texts: NamedTexts) -> NamedTexts:
    """Let the visitor name the languages; a name that is cleared is again the proposed one."""
    with st.container(horizontal=True):
        typed = tuple(
            st.text_input(
                t("languages.name_of", name=as_name(texts.parallel.names[side])),
                key=_name_box(texts, side),
                persist_state="session",
                max_chars=NAME_CHARACTERS,
                on_change=rename_choices,
                width=260,
            ).strip()
            for side in range(len(texts.names))
        )
    names = column_labels(each or name for each, name in zip(typed, texts.names, strict=True))
    new = tuple("" if each == name else each for each, name in zip(typed, texts.names, strict=True))
    return replace(texts, names=names, spoken=tuple(map(as_name, names)), typed=new)


def _name_box(texts: NamedTexts, side: int) -> str:
    """Give the box of a language its proposed name, also in place of that name in another language."""
    name, code = texts.names[side], texts.parallel.languages[side]
    box: Maybe[str] = Maybe(f"languages_name_{texts.parallel.digest[:12]}_{side}")
    known = translations(f"languages.{code}").values() if code else ()
    if {name, box.get()} <= set(map(without_breaks, known)):
        box.put(name)
    return remembered(box.key, name)


def wants_upload() -> bool:
    """Tell whether the visitor compares texts of their own."""
    return _SOURCE.get() == "upload"


def pick_parallel(*, is_shown: bool) -> Compared | Apart | None:
    """Let the visitor pick texts to compare, and how; None, with the reason on the page, while there are none.

    What picks bundled texts is drawn only if it `is_shown`; else what was picked before counts.
    """
    is_shown = is_shown or wants_upload()
    if is_shown:
        called = names("languages.source_{}", SOURCES)
        segmented(t("languages.source"), SOURCES, called, key=_SOURCE.key, show_label=True)
    is_sample = not wants_upload()
    parallel = sample_parallel() if is_sample else _pick_upload()
    if parallel is None or isinstance(parallel, Apart):
        return parallel
    texts = named(parallel, is_sample=is_sample)
    if not is_sample:
        texts = _let_name(texts)
    base = _pick_base(parallel, texts.names, is_shown=is_shown)
    joining = _pick_joining() if is_shown else _JOINING.get() or JOININGS[0]
    return Compared(parallel, texts.names, texts.spoken, is_sample, base, joining, typed=texts.typed)


@cache
def sample_parallel() -> Parallel:
    """Return the bundled Thai and English sentences."""
    return parallel_texts(("th", "en"), sample_texts())


def _shortened(names: Sequence[str], *, keep_end: bool) -> tuple[str, ...]:
    """Shorten names to fit in a chart; keep both ends of each name if one end does not distinguish them.

    >>> _shortened(["a_name_of_more_than_28_letters.th", "a_name_of_more_than_28_letters.en"], keep_end=False)
    ('a_name_of_mo…_28_letters.th', 'a_name_of_mo…_28_letters.en')
    """
    short = [_short(name, keep_end=keep_end) for name in names]
    if len(set(short)) < len(short):
        half = NAME_CHARACTERS // 2 - 2
        short = [name if len(name) <= NAME_CHARACTERS else f"{name[:half]}…{name[-half - 2 :]}" for name in names]
    return column_labels(short)


def _short(name: str, *, keep_end: bool) -> str:
    """Shorten a name to its end, which in a file's name often says the language, or to its beginning."""
    if len(name) <= NAME_CHARACTERS:
        return name
    return "…" + name[1 - NAME_CHARACTERS :] if keep_end else name[: NAME_CHARACTERS - 1] + "…"


def _pick_base(parallel: Parallel, called: Sequence[str], *, is_shown: bool) -> int:
    """Let the visitor pick the base language; at first English if a name says so, else one in Latin letters."""
    places = range(len(called))
    english = [place for place in places if parallel.languages[place] == "en"]
    english += [place for place in reversed(places) if _is_latin(parallel, place)]
    key = f"languages_base_{parallel.digest[:12]}"
    chosen: Maybe[int] = Maybe(one_of(key, places, (english or [len(called) - 1])[0]))
    if is_shown:
        st.selectbox(
            t("languages.base"),
            places,
            format_func=called.__getitem__,
            key=chosen.key,
            persist_state="session",
            help=t("languages.base_help"),
        )
    return chosen.get() or 0


def _is_latin(parallel: Parallel, place: int) -> bool:
    return _latin.get((parallel.digest, place), lambda: is_in("Latin", parallel.texts[place]))


def _pick_joining() -> Joining:
    return segmented(
        t("languages.joining"),
        JOININGS,
        names("languages.joining_{}", JOININGS),
        key=_JOINING.key,
        show_label=True,
        help=t("languages.joining_help"),
    )


def _pick_upload() -> Parallel | Apart | None:
    """Return the uploaded texts; None, with the reason on the page, while something is missing or wrong."""
    label = t("languages.upload_label", limit=MAX_LANGUAGES, megabytes=MAX_CORPUS_BYTES // 2**20)
    upload, is_listed = file_picker(PLACE, label, _LIMITS)
    if upload is None:
        st.info(t("languages.nothing_yet"), icon=":material/upload_file:")
        return None
    if upload.refusal is None and len(upload.files) == 1 and not is_table(upload):
        st.info(t("languages.one_more"), icon=":material/upload_file:")
        return None
    if not is_listed and upload.refusal is None:
        listed = ", ".join(as_plain_markdown(file.name) for file in upload.files.values())
        st.caption(t("corpus.kept", names=listed))
    return _uploaded(upload, place=PLACE, max_bytes=MAX_CORPUS_BYTES)


def say_what_was_read(compared: Compared) -> None:
    """Show remarks on texts that can be compared, but may not be what they seem."""
    for remark in remarks(compared.parallel, as_plain_markdown):
        st.warning(remark, icon=":material/warning:")
    if everywhere := compared.parallel.empty.all_sides:
        st.info(t("languages.empty_all", count=everywhere), icon=":material/info:")


def remarks(parallel: Parallel, written: Callable[[str], str]) -> list[str]:
    """Return sentences on what may be wrong with the texts; `written` formats the name of a file."""
    said = _left_out_said(parallel, written)
    said += [
        t(
            "languages.guessed",
            name=written(guess.name),
            encoding=encoding_name(guess.encoding),
            texts=t("languages.texts"),
        )
        for guess in parallel.guesses
    ]
    if (table := parallel.table) and table.skipped_rows:
        said.append(t("languages.skipped", count=table.skipped_rows, line=table.first_skipped))
    if parallel.empty.some_sides:
        said.append(t("languages.empty_some", count=parallel.empty.some_sides, line=parallel.empty.first))
    if parallel.first_shifted:
        said.append(t("languages.shifted", line=parallel.first_shifted))
    return said


def say_what_was_left_out(apart: Apart) -> None:
    """Show which files are not shown beside these, and why."""
    for sentence in _left_out_said(apart, as_plain_markdown):
        st.warning(sentence, icon=":material/warning:")


def _left_out_said(read: Parallel | Apart, written: Callable[[str], str]) -> list[str]:
    """Return in one paragraph why each file was left out; nothing if all fit."""
    if not read.left_out:
        return []
    whys = "  \n".join(error_sentence(each.why, written=written) for each in read.left_out)
    return [t("languages.left_out", whys=whys)]


# ---- uploaded files

READING = "parallel"
"""The key under which an upload keeps what was read from all its files together."""


def read_uploaded(upload: Upload, *, place: str, max_bytes: int) -> Parallel | None:
    """Read the files of an upload as parallel texts; return None, with the reason on the page, if that fails.

    The visitor can change a guessed encoding and, for a table, its columns and the meaning of its first line.
    """
    found = _uploaded(upload, place=place, max_bytes=max_bytes)
    if isinstance(found, Apart):
        st.error(error_sentence(found.why), icon=":material/error:")
        return None
    return found


def _uploaded(upload: Upload, *, place: str, max_bytes: int) -> Parallel | Apart | None:
    if upload.refusal is not None:
        show_refusal(place, upload.refusal)
        return None
    reading = _read(upload, max_bytes)
    if isinstance(reading, CorpusError):
        (first, *others) = upload.files.values()
        sentence = error_sentence(reading if others else reading.at(file=first.name))
        st.error(sentence, icon=":material/error:")
    _pick_encodings(upload, reading, place)
    if isinstance(reading, CorpusError):
        return None
    if isinstance(reading, Apart):
        return reading
    return _as_chosen(upload, reading, place, max_bytes) if is_table(upload) else reading


def is_table(upload: Upload) -> bool:
    """Tell whether the upload is one table."""
    files = list(upload.files.values())
    return len(files) == 1 and table_kind(files[0].name) is not None


def _read(upload: Upload, max_bytes: int) -> Parallel | Apart | CorpusError:
    """Read the files as chosen, once; then drop the bytes of files that need no other reading."""
    choices = tuple(upload.choices(key) for key in upload.files)
    is_new = not upload.is_read(READING, choices)
    reading: Parallel | Apart | CorpusError
    reading = upload.read(READING, choices, lambda: _read_or_part(upload, choices, max_bytes))
    if is_new and not is_table(upload) and not _doubtful(upload, reading):
        upload.drop_contents()
    return reading


def _read_or_part(upload: Upload, choices: Sequence[Choices], max_bytes: int) -> Parallel | Apart:
    """Read the files as parallel texts, those that fit if not all do, or each by itself if no two fit."""
    try:
        return _read_as(upload, choices, max_bytes)
    except CorpusError as error:
        if is_table(upload):
            raise
        why = error.bare()
    sides, left_out = read_fitting(list(upload.files.values()), [each.encoding for each in choices])
    if len(sides) < 2:
        raise why
    try:
        found = parallel_texts([side.names[0] for side in sides], [side.texts[0] for side in sides])
    except CorpusError as error:
        if error.code not in ("parallel_lines_differ", "parallel_lengths_differ"):
            raise
        return Apart(tuple(sides), error.bare(), left_out)
    return replace(found, guesses=tuple(guess for side in sides for guess in side.guesses), left_out=left_out)


def _read_as(upload: Upload, choices: Sequence[Choices], max_bytes: int) -> Parallel:
    with st.spinner(t("files.reading")):
        return read_parallel(
            list(upload.files.values()),
            header=choices[0].header,
            columns=choices[0].columns,
            encoding=[each.encoding for each in choices],
            max_bytes=max_bytes,
            parquet=open_parquet_apart,
        )


def _guesses(reading: Parallel | Apart | CorpusError) -> list[Guess]:
    sides = reading.sides if isinstance(reading, Apart) else [reading] if isinstance(reading, Parallel) else []
    return [guess for side in sides for guess in side.guesses]


def _doubtful(upload: Upload, reading: Parallel | Apart | CorpusError) -> list[str]:
    """Return the keys of files that may have another encoding."""
    first = next(iter(upload.files.values())).name
    refused = [reading] if isinstance(reading, CorpusError) else [each.why for each in reading.left_out]
    names = [str(why.values.get("file", first)) for why in refused if why.code in MENDED_BY_ENCODING]
    names += [guess.name for guess in _guesses(reading)]
    return [key for key, file in upload.files.items() if upload.choices(key).encoding or file.name in names]


def _pick_encodings(upload: Upload, reading: Parallel | Apart | CorpusError, place: str) -> None:
    """Draw an encoding picker for each doubtful file, and the beginning of its text in that encoding."""
    guessed = {guess.name: guess.encoding for guess in _guesses(reading)}
    order = list(upload.files)
    left_out = set() if isinstance(reading, CorpusError) else {each.place for each in reading.left_out}
    read = [key for place, key in enumerate(order) if place not in left_out]
    for key in _doubtful(upload, reading):
        name = upload.files[key].name
        encoding_picker(
            f"{place}_encoding_{upload.ids[0]}_{order.index(key)}",
            upload,
            key,
            upload.choices(key).encoding or guessed.get(name),
            label=t("languages.encoding", name=as_plain_markdown(name)),
        )
        if not isinstance(reading, CorpusError) and key in read:
            texts = reading.texts if isinstance(reading, Parallel) else [side.texts[0] for side in reading.sides]
            st.text(openings([texts[0 if is_table(upload) else read.index(key)]]))


def _as_chosen(upload: Upload, parallel: Parallel, place: str, max_bytes: int) -> Parallel | None:
    """Read a table as chosen: whether its first line names the columns, and which columns are languages."""
    (key,) = upload.files

    def again(header: bool | None, columns: Sequence[str] | None) -> Parallel:
        """Read the table with another choice; keep the choice if the table can be read that way."""
        chosen = replace(upload.choices(key), header=header, columns=None if columns is None else tuple(columns))
        reading = _read_as(upload, [chosen], max_bytes)
        upload.choose(key, chosen)
        upload.read(READING, (chosen,), lambda: reading)
        return reading

    try:
        header = known = parallel.table.header if parallel.table else None
        if known is not None:
            box = f"{place}_header_{upload.ids[0]}"
            header = st.checkbox(t("files.header"), value=known, key=box, persist_state="session")
        if header != known:
            parallel = again(header, None)
        columns = _pick_columns(upload, parallel, header, place)
        if set(columns) != set(parallel.names):
            parallel = again(header, columns)
    except CorpusError as error:
        st.error(error_sentence(error), icon=":material/error:")
        return None
    return parallel


def _pick_columns(upload: Upload, parallel: Parallel, header: bool | None, place: str) -> list[str]:
    assert parallel.table is not None
    (choices,) = (upload.choices(key) for key in upload.files)
    return st.multiselect(
        t("languages.columns"),
        parallel.table.columns,
        default=list(parallel.names),
        max_selections=MAX_LANGUAGES,
        placeholder=t("streamlit.choose"),
        key=f"{place}_columns_{header}_{choices.encoding}_{upload.ids[0]}",
        persist_state="session",
    )
