"""What if the other pair had won: the training continued both ways, and where the two vocabularies differ."""

from dataclasses import dataclass, field, replace
from functools import partial

import streamlit as st

from pages.ui.frame.frame import bring_into_view
from pages.ui.i18n import as_plain_markdown, error_sentence, t
from pages.ui.run_registry.series import Plan, Series, follow
from pages.ui.session import Maybe, Value, one_of
from pages.ui.train.divergence import show_divergence
from pages.ui.widgets.token_view.chips import plain_token
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.vocabulary import BYTES, Pair
from tokenizer_core.errors import TokenizerError
from tokenizer_core.workers.training_job import Choice, Job
from tokenizer_core.workers.training_settings import StopRules


@dataclass
class WhatIf:
    """A what-if question about a training, and what the two trainings that answer it have learned."""

    of: str
    """The id of the training in question."""
    after: int
    """Merges that both trainings share at the start."""
    winner: bytes
    other: bytes
    series: Series
    learned: list[list[bytes]] = field(default_factory=list)
    """The tokens of each training, in the order they were learned."""
    tokens: list[int] = field(default_factory=list)
    """Tokens in the corpus at the end of each training."""


def ask_what_if(job: Job, after: int, winner: Pair, other: Pair) -> WhatIf:
    """Ask what if `other` had won over `winner` at the choice after this many merges."""
    begun = [(merge.left, merge.right) for merge in job.merges[:after]]
    vocabulary = Tokenizer(begun, pattern=job.training.pattern).vocabulary
    made, instead = (vocabulary[left] + vocabulary[right] for left, right in (winner, other))
    learned: list[list[bytes]] = []
    tokens: list[int] = []

    def plan() -> Plan:
        training = job.training
        if (
            job.superwords_after is not None
        ):  # where it was; the pairs may have run out before the size was reached
            training = replace(training, superwords_from=BYTES + job.superwords_after)
        for pair in (winner, other):
            stop, given = StopRules(training.stop.min_count), [*begun, pair]
            outcome = yield replace(
                training, special_tokens=(), stop=stop, pace=None, corpus_name="", given=given, first_merges=0
            )
            assert not isinstance(outcome, TokenizerError)
            learned.append(list(outcome.tokenizer().vocabulary[BYTES:]))
            tokens.append(outcome.token_count or 0)

    return WhatIf(job.id, after, made, instead, Series(plan(), 2), learned=learned, tokens=tokens)


QUESTIONS = Value("what_if_questions", int)
"""How many questions have been asked."""
ASKED: Maybe[WhatIf] = Maybe("what_if")
JUST_ASKED: Value[bool] = Value("what_if_new", bool)


def asking() -> Value[bool]:
    """Return the session value of the popover that asks what if: a new, closed one after each question."""
    return Value(f"what_if_asks{QUESTIONS.get() or ''}", bool)


def what_if_asker(job: Job, choice: Choice, tokenizer: Tokenizer) -> None:
    """Draw the pairs that did not win to choose from, and the button that asks what if one of them had won."""
    known = [pair for pair in choice.candidates if max(pair.left, pair.right) < tokenizer.vocab_size]
    if len(known) < 2 or not job.training.has_corpus:
        return
    if JUST_ASKED.take():
        st.rerun()  # the answer is drawn outside this fragment
    tied = [pair for pair in known[1:] if pair.count == known[0].count]
    label = "what_if.ask_tied" if tied else "what_if.ask"
    with st.popover(t(label), icon=":material/alt_route:", type="tertiary", key=asking().key, on_change="rerun"):
        if not asking().get():
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
    asked = ASKED.get()
    if asked is not None and asked.of == job.id:
        with st.container(key="what_if_answer"):
            follow(asked.series, partial(_answer, asked))
        bring_into_view("what_if_answer", str(QUESTIONS.get()))


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
        show_divergence((t("what_if.usual"), t("what_if.alternative")), (usual, alternative), key="what_if")
    if st.button(t("what_if.close"), icon=":material/close:", on_click=_close, key="what_if_close"):
        st.rerun()


def _ask(job: Job, after: int, winner: Pair, other: Pair) -> None:
    """Ask a question in place of the last one."""
    _close()
    QUESTIONS.put(QUESTIONS.get() + 1)
    JUST_ASKED.put(True)
    ASKED.put(ask_what_if(job, after, winner, other))


def _close() -> None:
    """Drop the question, and end the trainings that still answer it."""
    if (asked := ASKED.take()) is not None:
        asked.series.stop()
