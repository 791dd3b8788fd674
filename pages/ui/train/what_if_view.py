"""What if the other pair had won, on the page: the question, and where the two vocabularies differ."""

from functools import partial

import streamlit as st

from pages.ui.session import one_of
from pages.ui.shell.frame import bring_into_view
from pages.ui.token_view.chips import plain_token
from pages.ui.train import keys
from pages.ui.train.vocabularies import show_parting
from pages.ui.train.what_if import WhatIf, ask_what_if
from pages.ui.trainings.series import follow
from pages.ui.words import as_plain_markdown, error_sentence, t
from tokenizer_core.jobs.job import Choice, Job
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.vocabulary import Pair


def what_if_asker(job: Job, choice: Choice, tokenizer: Tokenizer) -> None:
    """Draw the pairs that did not win to choose from, and the button that asks what if one of them had won."""
    known = [pair for pair in choice.candidates if max(pair.left, pair.right) < tokenizer.vocab_size]
    if len(known) < 2 or not job.training.has_corpus:
        return
    if keys.JUST_ASKED.take():
        st.rerun()  # the answer is drawn outside this fragment
    tied = [pair for pair in known[1:] if pair.count == known[0].count]
    label = "what_if.ask_tied" if tied else "what_if.ask"
    with st.popover(
        t(label), icon=":material/alt_route:", type="tertiary", key=keys.asking().key, on_change="rerun"
    ):
        if not keys.asking().get():
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
            key=one_of(f"what_if_pair_{job.id}_{choice.after}", range(1, len(known))),
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
    """Show the answer to the last question about this training, if there is one."""
    asked = keys.ASKED.get()
    if asked is not None and asked.of == job.id:
        with st.container(key="what_if_answer"):
            follow(asked.series, partial(_answer, asked))
        bring_into_view("what_if_answer", asked.question)


def _answer(asked: WhatIf) -> None:
    st.header(t("what_if.title"), anchor=False)
    winner, other = (as_plain_markdown(plain_token(token)) for token in (asked.winner, asked.other))
    st.markdown(t("what_if.asked", merge=asked.after + 1, winner=winner, other=other))
    if asked.series.failure is not None:
        st.error(error_sentence(asked.series.failure), icon=":material/error:")
    elif asked.series.at_work:
        st.progress(asked.series.share, text=t("what_if.progress"))
    else:
        usual, alternative = asked.learned
        st.markdown(t("what_if.tokens", usual=asked.tokens[0], other=asked.tokens[1], merges=len(usual)))
        show_parting((t("what_if.usual"), t("what_if.alternative")), (usual, alternative), key="what_if")
    if st.button(t("what_if.close"), icon=":material/close:", on_click=_close, key="what_if_close"):
        st.rerun()


def _ask(job: Job, after: int, winner: Pair, other: Pair) -> None:
    """Ask a question in place of the last one."""
    _close()
    keys.QUESTIONS.put(keys.QUESTIONS.get() + 1)
    keys.JUST_ASKED.put(True)
    keys.ASKED.put(ask_what_if(job, after, winner, other))


def _close() -> None:
    """Drop the question, and end the trainings that still answer it."""
    if (asked := keys.ASKED.take()) is not None:
        asked.series.stop()
