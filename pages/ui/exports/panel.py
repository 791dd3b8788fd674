"""Each format with its files to download, its proof and what is to be known; the page stays usable meanwhile."""

import threading
from collections.abc import Sequence

import streamlit as st

from pages.ui.exports import keys
from pages.ui.exports.keys import Taken
from pages.ui.exports.proof_lines import proof_line
from pages.ui.limits import MAX_TRAININGS, MAX_WORKER_BYTES
from pages.ui.widgets.bounded import Bounded
from pages.ui.words import error_sentence, plain, t, told
from tokenizer_core.errors import TokenizerError
from tokenizer_core.formats.exports import LOADED_BY, export
from tokenizer_core.formats.traps import Export
from tokenizer_core.jobs.export_proof import ExportProof
from tokenizer_core.protocols import AnyTokenizer

ORDER = ("tokenizer.json", "tiktoken", "gpt2", "minbpe", "vocabulary.json", "merges.csv")
LARGE = 20_000
"""Entries from which a format is written only when asked for: 200,000 take a second or two each."""
REFRESH_SECONDS = 0.4
MAX_KEPT = 18
_written = Bounded[Export](128 * 2**20, weigh=lambda written: sum(map(len, written.files.values())))
"""The files that visitors asked for, so that all who ask for those of a reference share them."""
TURNS = threading.Semaphore(MAX_TRAININGS)
"""Turns for the proofs of all visitors: this many run at the same time, others wait."""


def take_along(tokenizer: AnyTokenizer, key: str, texts: Sequence[str], *, name: str = "tokenizer") -> None:
    """Draw all formats of a tokenizer; `key` changes whenever the tokenizer does, `texts` are to prove it on."""
    taken = keys.TAKEN.get()
    _forget_others(key)
    if tokenizer.vocab_size <= LARGE:
        for to in ORDER:
            if (key, to) not in taken:
                _take(tokenizer, to, key, texts, name)
    pending = any(each.is_pending for (owner, _), each in taken.items() if owner == key)
    st.caption(t("exports.what" if texts else "exports.what_without_lines"))
    st.fragment(_formats, run_every=REFRESH_SECONDS if pending else None)(
        tokenizer, key, tuple(texts), name, pending
    )


def _formats(tokenizer: AnyTokenizer, key: str, texts: Sequence[str], name: str, was_pending: bool) -> None:
    """Draw the formats, and any error: a fragment's errors do not reach the frame."""
    with told():
        for owner, to in keys.WANTED.take():
            if owner == key:
                _take(tokenizer, to, key, texts, name)
        taken = keys.TAKEN.get()
        own = {to: each for to in ORDER if (each := taken.get((key, to)))}
        if any(each.is_pending for each in own.values()) != was_pending:
            st.rerun()  # start or stop the timer
        if was_pending:
            st.button(
                t("exports.stop"), icon=":material/stop:", key=f"exports_stop_{key}", on_click=_stop, args=(key,)
            )
        for to in ORDER:
            with st.container(border=True, key=f"export_{_word(to)}"):
                with st.container(horizontal=True, vertical_alignment="center"):
                    _head(to, own.get(to), key)
                    if to not in own or own[to].can_be_repeated:
                        st.button(
                            t("exports.prove" if to in own else "exports.write"),
                            key=f"exports_take_{_word(to)}_{key}",
                            on_click=_want,
                            args=(to, key),
                        )
                if to in own:
                    _body(own[to])


def _word(to: str) -> str:
    """Return the name of a format as a part of keys."""
    return to.replace(".", "_")


def _head(to: str, taken: Taken | None, key: str) -> None:
    """Draw what a format is for, with its downloads."""
    st.markdown(t(f"exports.for_{_word(to)}"), width="stretch")
    if taken is None or taken.export is None:
        return
    for file, content in taken.export.files.items():
        st.download_button(
            file,
            content,
            file,
            "application/octet-stream",
            on_click="ignore",
            icon=":material/download:",
            key=f"exports_file_{file}_{key}",
        )


def _body(taken: Taken) -> None:
    """Draw the proof of a format, its traps and the code that opens it; or why it cannot be."""
    if taken.refusal is not None:
        st.caption(error_sentence(taken.refusal))
    if taken.proof is not None:
        proof_line(taken.proof)
    if taken.export is None:
        return
    for trap in taken.export.traps:
        values = {name: plain(value) for name, value in trap.values.items()}
        st.caption(f":material/info: {t(f'traps.{trap.code}', **values)}")
    if taken.export.snippet:
        with st.popover(t("exports.snippet"), icon=":material/code:"):
            st.code(taken.export.snippet, language="python", wrap_lines=True)


def _want(to: str, key: str) -> None:
    """Ask for a format. Streamlit keeps callbacks until the session ends, so this one must hold no tokenizer."""
    keys.WANTED.get().add((key, to))


def _take(tokenizer: AnyTokenizer, to: str, key: str, texts: Sequence[str], name: str) -> None:
    """Write a tokenizer in a format, and begin to prove it."""
    taken = keys.TAKEN.get()
    try:
        written = _written.get((key, to, name), lambda: export(tokenizer, to, name=name))
    except TokenizerError as error:
        taken[key, to] = Taken(None, refusal=error.bare())
        return
    proof = None
    if to in LOADED_BY:
        proof = ExportProof(tokenizer, to, written, texts, turns=TURNS, memory_bytes=MAX_WORKER_BYTES)
    taken[key, to] = Taken(written, proof)


def _stop(key: str) -> None:
    for (owner, _), each in keys.TAKEN.get().items():
        if owner == key and each.proof is not None and not each.proof.ended:
            each.proof.stop()


def _forget_others(key: str) -> None:
    """Stop proofs that nobody sees any more, and forget the oldest files."""
    taken = keys.TAKEN.get()
    for place in [place for place in taken if place[0] != key]:
        if taken[place].is_pending or len(taken) > MAX_KEPT:
            gone = taken.pop(place)
            if gone.proof is not None:
                gone.proof.stop()
