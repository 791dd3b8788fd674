"""The picker of a corpus: where its texts come from, how much Thai and English to take, and what was read."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from pages.ui.i18n import error_sentence, names, t
from pages.ui.inputs.corpus import (
    CORPORA,
    MIXED,
    Corpus,
    given_name,
    name_of_mix,
    pick_sample,
    shares_sentence,
)
from pages.ui.inputs.corpus_upload import pick_upload
from pages.ui.inputs.counts_upload import COUNTS, show_counts
from pages.ui.inputs.uploads import CORPUS, too_large
from pages.ui.inputs.wikipedia import pick_wikipedia
from pages.ui.limits import MAX_CORPUS_BYTES
from pages.ui.session import Maybe, Value, remembered
from pages.ui.widgets import formatting
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.controls import live_text_area, segmented
from tokenizer_core.readers.mixing import Mix, ScriptSizes, Unit, lines_by_script, mix, script_sizes

SOURCE: Maybe[str] = Maybe("corpus_source")
TAKE_FILES = ("paste", "upload")
"""The sources where files can be chosen."""
OWN_TEXT = "own"
"""The choice to train on a text of the visitor's own."""


def corpus_picker(*, takes_counts: bool = False) -> Corpus | None:
    """Let the visitor pick a corpus; return None, with the reason on the page, while there is nothing to train on.

    The same texts give the same object in every page run. Only if the caller `takes_counts` may a corpus be a file
    of counted pieces, which has no texts.
    """
    source = segmented(
        t("corpus.label"), list(SOURCES), names("corpus.{}", SOURCES), key=SOURCE.key, show_label=True
    )
    corpus = SOURCES[source]()
    if corpus is None or not corpus.characters:
        if source not in TAKE_FILES or COUNTS.get() is None:  # the reading of counts says itself how far it is
            st.info(t(f"corpus.nothing_yet_{source}"), icon=":material/edit_note:")
            if takes_counts and source == "upload":
                st.caption(t("counts.hint"))
        return None
    corpus = _kept(source, corpus)
    if corpus.counts is not None:
        if not takes_counts:
            st.error(t("counts.needs_text"), icon=":material/error:")
            return None
        show_counts(corpus)
        return corpus
    if corpus.size > MAX_CORPUS_BYTES:
        st.error(error_sentence(too_large(CORPUS.code, CORPUS.bytes, corpus.size)), icon=":material/error:")
        return None
    return mixed(corpus)


def leave_the_sample(card: Value[str]) -> None:
    """Switch to the text box if the visitor wants a text of their own and the source is still the sample."""
    if card.get() == OWN_TEXT and SOURCE.get() in (None, "sample"):
        SOURCE.put("paste")


def mixed(corpus: Corpus) -> Corpus:
    """Let the visitor mix the corpus by weights; show what it is then."""
    corpus = _kept("mix", mix_controls(corpus))
    preview(corpus)
    return corpus


def _kept(place: str, corpus: Corpus) -> Corpus:
    """Return the previous corpus of this place if it is equal, because its figures are already known."""
    corpora = CORPORA.get()
    before = corpora.get(place)
    if before is None or before != corpus:  # texts that are the same objects compare at once
        before = corpora[place] = corpus
    return before


def preview(corpus: Corpus) -> None:
    """Show what was read: its size, its scripts, and its first lines, if no box shows them already."""
    kilobytes = formatting.kilobytes(corpus.size, exact_below=10_000)
    summary = t("corpus.summary", characters=corpus.characters, lines=corpus.lines, kilobytes=kilobytes)
    st.caption(f"{summary} · {shares_sentence(corpus.shares)}")
    if corpus.name != given_name("pasted"):
        st.code(corpus.opening, language=None, wrap_lines=True)


def _pick_paste() -> Corpus | None:
    """Let the visitor type or paste a text; as long as there is none, a file may be chosen in the same place."""
    placeholder = t("corpus.paste_placeholder")
    text = live_text_area(t("corpus.paste_label"), key="corpus_paste", height=120, placeholder=placeholder)
    return Corpus(given_name("pasted"), (text,)) if text else pick_upload()


SOURCES: dict[str, Callable[[], Corpus | None]] = {
    "sample": pick_sample,
    "paste": _pick_paste,
    "upload": pick_upload,
    "wikipedia": pick_wikipedia,
}
"""The sources of texts. Another source X takes one more line, and the words corpus.X and corpus.nothing_yet_X."""


# ---- the mix of Thai and English

UNITS: tuple[Unit, ...] = ("bytes", "characters")
AS_IT_IS = "as_it_is"
OTHER = "other"
PRESETS: dict[str, tuple[int, int]] = {"1 : 2": (1, 2), "1 : 1": (1, 1), "2 : 1": (2, 1), "4 : 1": (4, 1)}
"""Thai : English, as people write it, and as weights."""
MOST_WEIGHT = 100
_measured = Bounded[dict[Unit, ScriptSizes]](64, weigh=lambda sizes: 1)
MOST_CHARACTERS = 50_000_000
"""Characters sorted by language: 200 million would take ten seconds and 2 GB of memory."""


def mix_controls(corpus: Corpus) -> Corpus:
    """Return the corpus in the visitor's mix, or unchanged if no mix is set or it has only one script."""
    if is_too_large(corpus.texts):
        st.caption(t("mix.too_large", limit=MOST_CHARACTERS // 10**6))
        return corpus
    sizes_in = sizes_by_script(corpus.texts)
    if not (sizes_in["bytes"].thai and sizes_in["bytes"].latin):
        return corpus
    wanted = st.toggle(t("mix.set"), key="mix_set", persist_state="session", help=t("mix.set_help"))
    if not wanted:
        MIXED.forget()
        return corpus
    preset, unit = _mix_picker()
    before = sizes_in[unit]
    weights = _other_weights() if preset == OTHER else PRESETS.get(preset)
    if weights is None:
        MIXED.forget()
        st.caption(_balance(before.thai, before.latin, unit) + ".")
        return corpus
    mixed = _mixed(corpus.texts, weights, unit)
    st.caption(_what_was_taken(mixed, before, unit))
    written_weights = " : ".join(map(str, weights))
    name = name_of_mix(corpus.name, written_weights, unit)
    return replace(corpus, name=name, texts=mixed.texts)


def corpus_key(texts: Sequence[str]) -> tuple[int, ...]:
    """Return a key, the same for the same texts while this server runs; fast, because a text keeps its hash."""
    return (hash(tuple(texts)), *map(len, texts))


def is_too_large(texts: Sequence[str]) -> bool:
    """Tell whether texts are too large to be sorted by language."""
    return sum(map(len, texts)) > MOST_CHARACTERS


def sizes_by_script(texts: Sequence[str]) -> dict[Unit, ScriptSizes]:
    """Return the sizes of a corpus by script in both units; measured once, at about 200 MB per second."""
    return _measured.get(corpus_key(texts), lambda: script_sizes(texts))


def _mix_picker() -> tuple[str, Unit]:
    """Let the visitor pick the weights and their unit."""
    presets = {AS_IT_IS: t("mix.as_it_is"), **{each: each for each in PRESETS}, OTHER: t("mix.other")}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = segmented(t("mix.weights"), list(presets), presets.__getitem__, key="mix_preset", show_label=True)
        unit = segmented(
            t("mix.unit"), UNITS, names("mix.{}", UNITS), key="mix_unit", show_label=True, help=t("mix.unit_help")
        )
    return preset, unit


def _other_weights() -> tuple[int, int]:
    """Let the visitor set any two weights."""
    with st.container(horizontal=True):
        thai, english = (
            st.number_input(
                t(f"mix.weight_{side}"),
                min_value=1,
                max_value=MOST_WEIGHT,
                key=remembered(f"mix_weight_{side}", 1),
                persist_state="session",
                width=160,
            )
            for side in ("thai", "english")
        )
    return int(thai or 1), int(english or 1)


def _mixed(texts: Sequence[str], weights: tuple[int, int], unit: Unit) -> Mix:
    """Return the mix; the last one is kept."""
    key = (corpus_key(texts), weights, unit)
    known = MIXED.get()
    if known is None or known[0] != key:
        lines = lines_by_script(texts)
        known = (key, mix(lines.thai, lines.latin, weights, unit))
        MIXED.put(known)
    return known[1]


def _what_was_taken(mixed: Mix, before: ScriptSizes, unit: Unit) -> str:
    """Say how much of each side was taken, and what was left out."""
    sentence = _balance(mixed.thai_size, mixed.latin_size, unit)
    left_out = []
    if before.thai > mixed.thai_size:
        left_out.append(t("mix.thai_left_out", size=_size(before.thai - mixed.thai_size, unit)))
    if before.latin > mixed.latin_size:
        left_out.append(t("mix.english_left_out", size=_size(before.latin - mixed.latin_size, unit)))
    if before.other_lines:
        left_out.append(t("mix.other_left_out", lines=before.other_lines, size=_size(before.other, unit)))
    return sentence + (t("mix.left_out", what=" · ".join(left_out)) if left_out else ".")


def _balance(thai: int, latin: int, unit: Unit) -> str:
    """Say the size of each side, and its share of the two."""
    share = thai / (thai + latin)
    return t(
        "mix.balance",
        thai=_size(thai, unit),
        english=_size(latin, unit),
        thai_share=f"{share:.0%}",
        english_share=f"{1 - share:.0%}",
    )


def _size(count: int, unit: Unit) -> str:
    """Write a size with its unit; bytes in thousands, with one decimal if there are few."""
    if unit == "characters":
        return t("mix.size_characters", count=count)
    return t("mix.size_bytes", kilobytes=formatting.kilobytes(count, exact_below=100_000))
