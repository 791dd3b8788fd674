"""The panel of exports: each file format with its downloads, its proof and warnings."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.ui.i18n import as_plain_markdown, error_sentence, errors_shown, t
from pages.ui.limits import MAX_TRAININGS, MAX_WORKER_BYTES
from pages.ui.session import Value
from pages.ui.widgets.bounded import Bounded
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.errors import TokenizerError
from tokenizer_core.interop.exportable import Export
from tokenizer_core.interop.exports import LOADED_BY, export
from tokenizer_core.workers.export_proof import Difference, ExportProof, Proof

ORDER = ("tokenizer.json", "tiktoken", "gpt2", "minbpe", "vocabulary.json", "merges.csv")
LARGE = 20_000
"""Entries from which a format is written only when asked for: 200,000 take a second or two each."""
REFRESH_SECONDS = 0.4
MAX_KEPT = 18
SHOWN_CHARACTERS = 120
"""Characters shown of a text whose ids differ."""
_written = Bounded[Export](128 * 2**20, weigh=lambda written: sum(map(len, written.files.values())))
"""The files that visitors asked for; those of a reference are shared by all visitors."""
TURNS = threading.Semaphore(MAX_TRAININGS)
"""Turns for the proofs of all visitors: this many run at the same time, others wait."""
PASSING = ("proof_no_room", "proof_died", "worker_not_started", "out_of_memory")
"""Codes of failures that may pass."""


@dataclass(frozen=True)
class WrittenExport:
    """A tokenizer in one format: its files and their proof, or why the format cannot hold it."""

    export: Export | None
    proof: ExportProof | None = None
    """None for a table, which no library loads."""
    refusal: TokenizerError | None = None

    @property
    def is_pending(self) -> bool:
        """Whether its proof still runs."""
        return self.proof is not None and not self.proof.ended

    @property
    def can_be_repeated(self) -> bool:
        """Whether the proof was stopped, or failed for a reason that may pass."""
        failure = self.proof.failure if self.proof else None
        return self.proof is not None and (self.proof.stopped or (failure is not None and failure.code in PASSING))


_EXPORTS: Value[dict[tuple[str, str], WrittenExport]] = Value("exports", dict)
"""By the tokenizer's key and the format."""
_REQUESTED: Value[set[tuple[str, str]]] = Value("exports_wanted", set)
"""What was asked for and is not yet written, by the tokenizer's key and the format."""


def export_panel(tokenizer: AnyTokenizer, key: str, texts: Sequence[str], *, name: str = "tokenizer") -> None:
    """Draw all formats of a tokenizer; `key` changes whenever the tokenizer does, `texts` are to prove it on."""
    exports = _EXPORTS.get()
    _forget_others(key)
    if tokenizer.vocab_size <= LARGE:
        for to in ORDER:
            if (key, to) not in exports:
                _write(tokenizer, to, key, texts, name)
    pending = any(each.is_pending for (owner, _), each in exports.items() if owner == key)
    st.caption(t("exports.what" if texts else "exports.what_without_lines"))
    st.fragment(_formats, run_every=REFRESH_SECONDS if pending else None)(
        tokenizer, key, tuple(texts), name, pending
    )


def _formats(tokenizer: AnyTokenizer, key: str, texts: Sequence[str], name: str, was_pending: bool) -> None:
    """Draw the formats, and any error: a fragment's errors do not reach the frame."""
    with errors_shown():
        for owner, to in _REQUESTED.take():
            if owner == key:
                _write(tokenizer, to, key, texts, name)
        exports = _EXPORTS.get()
        own = {to: each for to in ORDER if (each := exports.get((key, to)))}
        if any(each.is_pending for each in own.values()) != was_pending:
            st.rerun()  # start or stop the timer
        if was_pending:
            st.button(
                t("exports.stop"), icon=":material/stop:", key=f"exports_stop_{key}", on_click=_stop, args=(key,)
            )
        for to in ORDER:
            with st.container(border=True, key=f"export_{_in_key(to)}"):
                with st.container(horizontal=True, vertical_alignment="center"):
                    _head(to, own.get(to), key)
                    if to not in own or own[to].can_be_repeated:
                        st.button(
                            t("exports.prove" if to in own else "exports.write"),
                            key=f"exports_take_{_in_key(to)}_{key}",
                            on_click=_request,
                            args=(to, key),
                        )
                if to in own:
                    _body(own[to])


def _in_key(to: str) -> str:
    """Return the name of a format as a part of keys."""
    return to.replace(".", "_")


def _head(to: str, written: WrittenExport | None, key: str) -> None:
    """Draw what a format is for, with its downloads."""
    st.markdown(t(f"exports.for_{_in_key(to)}"), width="stretch")
    if written is None or written.export is None:
        return
    for file, content in written.export.files.items():
        st.download_button(
            file,
            content,
            file,
            "application/octet-stream",
            on_click="ignore",
            icon=":material/download:",
            key=f"exports_file_{file}_{key}",
        )


def _body(written: WrittenExport) -> None:
    """Draw the proof of a format, its warnings and the code that opens it; or why it cannot be."""
    if written.refusal is not None:
        st.caption(error_sentence(written.refusal))
    if written.proof is not None:
        _proof_line(written.proof)
    if written.export is None:
        return
    for warning in written.export.warnings:
        st.caption(f":material/info: {error_sentence(warning)}")
    if written.export.snippet:
        with st.expander(t("exports.snippet"), icon=":material/code:"):  # a popover may stand around it
            st.code(written.export.snippet, language="python", wrap_lines=True)


def _request(to: str, key: str) -> None:
    """Ask for a format. Streamlit keeps callbacks until the session ends, so this one must hold no tokenizer."""
    _REQUESTED.get().add((key, to))


def _write(tokenizer: AnyTokenizer, to: str, key: str, texts: Sequence[str], name: str) -> None:
    """Write a tokenizer in a format, and begin to prove it."""
    exports = _EXPORTS.get()
    try:
        written = _written.get((key, to, name), lambda: export(tokenizer, to, name=name))
    except TokenizerError as error:
        exports[key, to] = WrittenExport(None, refusal=error.bare())
        return
    proof = None
    if to in LOADED_BY:
        proof = ExportProof(tokenizer, to, written, texts, turns=TURNS, memory_bytes=MAX_WORKER_BYTES)
    exports[key, to] = WrittenExport(written, proof)


def _stop(key: str) -> None:
    for (owner, _), each in _EXPORTS.get().items():
        if owner == key and each.proof is not None and not each.proof.ended:
            each.proof.stop()


def _forget_others(key: str) -> None:
    """Stop proofs that nobody sees any more, and forget the oldest files."""
    exports = _EXPORTS.get()
    for place in [place for place in exports if place[0] != key]:
        if exports[place].is_pending or len(exports) > MAX_KEPT:
            gone = exports.pop(place)
            if gone.proof is not None:
                gone.proof.stop()


# ---- the outcome of a proof


def _proof_line(proof: ExportProof) -> None:
    """Draw how far a proof is, or what came of it."""
    if proof.failure is not None:
        st.error(error_sentence(proof.failure), icon=":material/error:")
    elif proof.proof is not None:
        _outcome(proof.proof)
    elif proof.stopped:
        st.caption(t("exports.stopped"))
    elif proof.done:
        words = t("exports.proving", done=proof.done, all=proof.all)
        st.progress(min(1.0, proof.done / max(1, proof.all)), text=words)
    else:
        st.progress(0.0, text=t("exports.opening"))


def _outcome(proof: Proof) -> None:
    if proof.difference is not None:
        st.warning(difference_sentence(proof.library, proof.difference), icon=":material/difference:")
        return
    if not proof.library:
        key = "exports.same_here"
    else:
        key = "exports.same" if proof.lines else "exports.same_without_lines"
    words = t(key, lines=proof.lines, hostile=proof.hostile, library=proof.library)
    st.markdown(f":green[:material/verified:] {words}")


def difference_sentence(library: str, found: Difference) -> str:
    """Name the first text that differs, its ids here and there, and why."""
    text = found.text if len(found.text) <= SHOWN_CHARACTERS else found.text[:SHOWN_CHARACTERS] + "…"
    key = "exports.differs_acting" if found.special_tokens_act else "exports.differs"
    words = t(
        key,
        library=library or "minbpe",
        text=as_plain_markdown(text),
        expected=_ids(found.expected, found.place),
        found=_ids(found.found, found.place),
    )
    return f"{words} {t(f'exports.why_{found.why}', character=found.character)}"


def _ids(ids: object, place: int) -> str:
    """Write ids that follow `place` others."""
    assert isinstance(ids, (list, tuple))
    listed = ", ".join(map(str, ids[:12])) + (", …" if len(ids) > 12 else "")
    return f"`{'… ' if place else ''}{listed or '–'}`"
