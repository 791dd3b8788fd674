"""What if the other pair had won: the training from here on both ways, and where the two vocabularies differ."""

from dataclasses import dataclass

import streamlit as st

from pages.ui.train.merges import plain_token
from pages.ui.train.vocabularies import show_parting
from pages.ui.trainings.registry import registry
from pages.ui.words import as_plain_markdown, error_sentence, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.job import Choice, Job, Training
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.vocabulary import BYTES

REFRESH_SECONDS = 0.5


@dataclass
class WhatIf:
    """A question that was asked of a training, the two trainings that answer it, and their vocabularies."""

    of: str
    """The id of the training it was asked of."""
    after: int
    """Merges that both have in common from the start."""
    winner: bytes
    other: bytes
    jobs: tuple[str, str]
    learned: tuple[list[bytes], list[bytes]] | None = None
    tokens: tuple[int, int] = (0, 0)
    """Of the corpus at the end."""
    failure: str | None = None


def what_if_asker(job: Job, choice: Choice, tokenizer: Tokenizer) -> None:
    """A choice among the pairs that did not win, and the button that asks what had been if one of them had."""
    known = [pair for pair in choice.candidates if max(pair.left, pair.right) < tokenizer.vocab_size]
    if len(known) < 2 or not job.training.texts:
        return
    if st.session_state.pop("what_if_new", False):
        st.rerun()  # the answer stands outside the part of the page that is renewed here
    tied = [pair for pair in known[1:] if pair.count == known[0].count]
    label = "what_if.ask_tied" if tied else "what_if.ask"
    with st.popover(t(label), icon=":material/alt_route:", type="tertiary", key="what_if_asks", on_change="rerun"):
        if not st.session_state.get("what_if_asks"):
            return
        st.caption(t("what_if.what"))
        texts = [
            tuple(plain_token(tokenizer.vocabulary[part]) for part in (pair.left, pair.right)) for pair in known
        ]
        picked = st.radio(
            t("what_if.which"),
            range(1, len(known)),
            format_func=[
                t("what_if.pair", left=left, right=right, count=pair.count)
                for pair, (left, right) in zip(known, texts, strict=True)
            ].__getitem__,
            key=f"what_if_pair_{job.id}_{choice.after}",
        )
        pairs = [(pair.left, pair.right) for pair in known]
        st.button(
            t("what_if.go"),
            type="primary",
            on_click=_ask,
            args=(job, choice.after, pairs[0], pairs[picked]),
            key="what_if_go",
        )


def what_if_answer(job: Job) -> None:
    """The answer to the question that was last asked of this training; nothing where none was."""
    asked: WhatIf | None = st.session_state.get("what_if")
    if asked is None or asked.of != job.id:
        return
    pending = asked.learned is None and not asked.failure
    st.fragment(_answer, run_every=REFRESH_SECONDS if pending else None)(asked)


def _answer(asked: WhatIf) -> None:
    st.header(t("what_if.title"), anchor=False)
    winner, other = (as_plain_markdown(plain_token(token)) for token in (asked.winner, asked.other))
    st.markdown(t("what_if.asked", merge=asked.after + 1, winner=winner, other=other))
    if asked.failure:
        st.error(asked.failure, icon=":material/error:")
    elif asked.learned is None:
        _wait(asked)
    else:
        st.markdown(
            t("what_if.tokens", usual=asked.tokens[0], other=asked.tokens[1], merges=len(asked.learned[0]))
        )
        show_parting((t("what_if.usual"), t("what_if.alternative")), asked.learned, key="what_if")
    if st.button(t("what_if.close"), icon=":material/close:", on_click=_close, key="what_if_close"):
        st.rerun()


def _ask(job: Job, after: int, winner: tuple[int, int], other: tuple[int, int]) -> None:
    """Start both trainings at full speed, hidden from the list of runs."""
    _close()
    st.session_state["what_if_asks"] = False
    st.session_state["what_if_new"] = True
    begun = [(merge.left, merge.right) for merge in job.merges[:after]]
    vocabulary = Tokenizer(begun, pattern=job.training.pattern).vocabulary
    made, instead = (vocabulary[left] + vocabulary[right] for left, right in (winner, other))
    asked = WhatIf(job.id, after, made, instead, ("", ""))
    st.session_state["what_if"] = asked
    training = job.training
    try:
        usual, alternative = (
            registry().start(
                Training(
                    training.texts,
                    training.vocab_size,
                    training.pattern,
                    min_count=training.min_count,
                    given=[*begun, pair],
                )
            )
            for pair in (winner, other)
        )
    except TokenizerError as error:
        asked.failure = error_sentence(error)
        return
    asked.jobs = (usual.id, alternative.id)


def _wait(asked: WhatIf) -> None:
    """How far the two trainings are; when both have ended, what they learned is kept and they are given back."""
    jobs = [registry().get(job_id) for job_id in asked.jobs]
    if None in jobs:
        asked.failure = t("errors.worker_died")
        return
    both = [job for job in jobs if job is not None]
    failed = next((job.failure for job in both if job.failure is not None), None)
    if failed is not None:
        asked.failure = error_sentence(failed)
    elif all(job.ended for job in both):
        first, second = (job.tokenizer().vocabulary[BYTES:] for job in both)
        asked.learned = (first, second)
        asked.tokens = (both[0].token_count or 0, both[1].token_count or 0)
    else:
        share = sum(len(job.merges) for job in both) / max(1, sum(job.merge_goal for job in both))
        st.progress(min(1.0, share), text=t("what_if.progress"))
        return
    _give_back(asked)
    st.rerun()


def _give_back(asked: WhatIf) -> None:
    for job_id in asked.jobs:
        registry().forget(job_id)


def _close() -> None:
    """Put the question away; trainings that still answer it end."""
    asked: WhatIf | None = st.session_state.pop("what_if", None)
    if asked is not None:
        _give_back(asked)
