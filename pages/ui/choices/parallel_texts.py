"""The picker of parallel texts: the bundled sentences, files aligned line by line, or a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import streamlit as st

from pages.ui.choices import keys
from pages.ui.choices.encodings import encoding_name
from pages.ui.choices.parallel_upload import is_table, read_uploaded
from pages.ui.choices.samples import sample_texts
from pages.ui.choices.upload import Limits, comparison_too_large
from pages.ui.choices.uploads import forget_what_was_taken_out, uploaded
from pages.ui.limits import MAX_CORPUS_BYTES
from pages.ui.session import one_of, remembered, rename_choices
from pages.ui.widgets.segmented import segmented
from pages.ui.words import as_name, as_plain_markdown, names, t
from tokenizer_core.texts.labels import column_labels
from tokenizer_core.texts.parallel import JOININGS, MAX_LANGUAGES, Joining, Parallel, parallel_texts

SOURCES = ("sample", "upload")
PLACE, WIDGET = "languages", "languages_files"
NAME_CHARACTERS = 28
_ENGLISH = ("en", "eng", "english", "en.txt", "eng.txt")
_LIMITS = Limits(MAX_LANGUAGES, MAX_CORPUS_BYTES, comparison_too_large(MAX_CORPUS_BYTES))


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
        return column_labels(name or whole for name, whole in zip(typed, self.parallel.names, strict=True))


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


def named(parallel: Parallel, *, is_sample: bool) -> NamedTexts:
    """Give parallel texts names that fit in a chart."""
    if is_sample:
        names = tuple(t(f"languages.{name}") for name in parallel.names)
        return NamedTexts(parallel, names, names, is_sample)
    names = _shortened(parallel.names, keep_end=parallel.table is None)
    return NamedTexts(parallel, names, tuple(map(as_name, names)), is_sample)


def _let_name(texts: NamedTexts) -> NamedTexts:
    """Let the visitor name the languages; a name that is cleared is again that of the file or column."""
    with st.container(horizontal=True):
        typed = tuple(
            st.text_input(
                t("languages.name_of", name=as_name(texts.parallel.names[side])),
                key=remembered(f"languages_name_{texts.parallel.digest[:12]}_{side}", name),
                persist_state="session",
                max_chars=NAME_CHARACTERS,
                on_change=rename_choices,
                width=260,
            ).strip()
            for side, name in enumerate(texts.names)
        )
    names = column_labels(each or name for each, name in zip(typed, texts.names, strict=True))
    new = tuple("" if each == name else each for each, name in zip(typed, texts.names, strict=True))
    return replace(texts, names=names, spoken=tuple(map(as_name, names)), typed=new)


def wants_upload() -> bool:
    """Tell whether the visitor compares texts of their own."""
    return keys.SOURCE_OF_PARALLEL.get() == "upload"


def pick_parallel() -> Compared | None:
    """Let the visitor pick texts to compare, and how; None, with the reason on the page, while there are none."""
    source = segmented(
        t("languages.source"),
        SOURCES,
        names("languages.source_{}", SOURCES),
        key=keys.SOURCE_OF_PARALLEL.key,
        show_label=True,
    )
    is_sample = source != "upload"
    parallel = sample_parallel() if is_sample else _pick_upload()
    if parallel is None:
        return None
    texts = named(parallel, is_sample=is_sample)
    if not is_sample:
        texts = _let_name(texts)
    base = _pick_base(parallel, texts.names)
    joining = _pick_joining()
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


def _pick_base(parallel: Parallel, shown: Sequence[str]) -> int:
    """Let the visitor pick the base language; at first English if a name says so, else the last language."""
    places = range(len(shown))
    english = [place for place, name in enumerate(parallel.names) if name.lower().rpartition(".")[2] in _ENGLISH]
    english += [place for place, name in enumerate(parallel.names) if name.lower().endswith(_ENGLISH)]
    chosen = st.selectbox(
        t("languages.base"),
        places,
        format_func=shown.__getitem__,
        key=one_of(f"languages_base_{parallel.digest[:12]}", places, (english or [len(shown) - 1])[0]),
        persist_state="session",
        help=t("languages.base_help"),
    )
    return int(chosen or 0)


def _pick_joining() -> Joining:
    return segmented(
        t("languages.joining"),
        JOININGS,
        names("languages.joining_{}", JOININGS),
        key="languages_joining",
        show_label=True,
        help=t("languages.joining_help"),
    )


def _pick_upload() -> Parallel | None:
    """Return the uploaded texts; None, with the reason on the page, while something is missing or wrong."""
    uploads = st.file_uploader(
        t("languages.upload_label", limit=MAX_LANGUAGES, megabytes=MAX_CORPUS_BYTES // 2**20),
        accept_multiple_files=True,
        key=WIDGET,
        on_change=forget_what_was_taken_out,
        args=(PLACE, WIDGET),
    )
    upload = uploaded(PLACE, uploads, _LIMITS)
    if upload is None:
        st.info(t("languages.nothing_yet"), icon=":material/upload_file:")
        return None
    if upload.refusal is None and len(upload.files) == 1 and not is_table(upload):
        st.info(t("languages.one_more"), icon=":material/upload_file:")
        return None
    if not uploads and upload.refusal is None:
        listed = ", ".join(as_plain_markdown(file.name) for file in upload.files.values())
        st.caption(t("corpus.kept", names=listed))
    return read_uploaded(upload, place=PLACE, max_bytes=MAX_CORPUS_BYTES)


def say_what_was_read(compared: Compared) -> None:
    """Show remarks on texts that can be compared, but may not be what they seem."""
    for remark in remarks(compared.parallel, as_plain_markdown):
        st.warning(remark, icon=":material/warning:")
    if everywhere := compared.parallel.empty.all_sides:
        st.info(t("languages.empty_all", count=everywhere), icon=":material/info:")


def remarks(parallel: Parallel, written: Callable[[str], str]) -> list[str]:
    """Return sentences on what may be wrong with the texts; `written` formats the name of a file."""
    said = [
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
