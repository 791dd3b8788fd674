"""What came of a proof, in words."""

import streamlit as st

from pages.ui.words import as_plain_markdown, error_sentence, t
from tokenizer_core.jobs.export_proof import Difference, ExportProof, Proof

SHOWN = 120
"""Characters of a text that differs."""


def proof_line(proof: ExportProof) -> None:
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
    text = found.text if len(found.text) <= SHOWN else found.text[:SHOWN] + "…"
    key = "exports.differs_acting" if found.special_tokens_act else "exports.differs"
    words = t(
        key,
        library=library or "minbpe",
        text=as_plain_markdown(text),
        expected=_written(found.expected, found.place),
        found=_written(found.found, found.place),
    )
    return f"{words} {t(f'exports.why_{found.why}', character=found.character)}"


def _written(ids: object, place: int) -> str:
    """Write ids that follow `place` others."""
    assert isinstance(ids, (list, tuple))
    listed = ", ".join(map(str, ids[:12])) + (", …" if len(ids) > 12 else "")
    return f"`{'… ' if place else ''}{listed or '–'}`"
