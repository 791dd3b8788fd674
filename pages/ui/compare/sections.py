"""The sections below the tokens of the Compare page: look-alike characters, exports, and chat markers."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.ui.compare.lanes import sizes_of
from pages.ui.frame import visitor
from pages.ui.frame.navigation import go
from pages.ui.i18n import as_plain_markdown, errors_shown, language, t
from pages.ui.inputs.corpus import sample_texts
from pages.ui.inputs.text import TYPED_TEXT, carry_sentence
from pages.ui.inputs.tokenizers import reference_lanes
from pages.ui.session import Maybe, Value, one_of, remembered
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.controls import live_text_area, popover
from pages.ui.widgets.export_panel import export_panel
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.player import MOST_CHARACTERS as MOST_IN_A_FILM
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.drawings import Text, drawing
from pages.ui.widgets.token_view.lanes import Label, Lane
from tokenizer_core.bpe.openai import OPENAI_NAMES, OpenAITokenizer, with_special_tokens
from tokenizer_core.interop.exportable import may_be_exported
from tokenizer_core.readers.lookalikes import KINDS, Finding, cleaned, find_lookalikes

MAX_CHECKED = 200_000
"""Characters in which look-alikes are searched for."""
MAX_COPIED = 5_000
"""Characters whose token ids are shown, to be copied."""
MAX_CHAT = 20_000
"""Characters of a conversation."""
CHAT_BASE = "cl100k_base"
CHAT_MARKERS = (("<|im_start|>", 100_264), ("<|im_end|>", 100_265))
EXPORTS_OPEN: Value[bool] = Value("compare_exports", bool)
CHAT_OPEN: Value[bool] = Value("compare_chat_open", bool)
_EXPORTED: Maybe[str] = Maybe("compare_exported")
_CHAT: Maybe[str] = Maybe("compare_chat")
_CHAT_WIDTH: Maybe[int] = Maybe("compare_chat_width")
"""The numbers that stand for a token in the model of the chat markers."""
_found = Bounded[list[Finding]](200_000, weigh=lambda findings: len(findings) + 1)


def say_what_a_stripe_is() -> None:
    """Say above the tokens of a phone what a stripe is: the sentence that says more stands far below them."""
    with st.container(key="compare_stripe"):
        st.caption(t("home.look_inside"))


def say_what_it_learned_from(text: Text) -> None:
    """Say that the visitor's tokenizer learned from this text, if it did: it does less well on others."""
    job, said = visitor.current_job(), text.content.strip() if isinstance(text.content, str) else ""
    if job is not None and said and visitor.own_tokenizer() and visitor.owns(job) and said in job.opening:
        st.caption(t("compare.learned"))


def lead_to_training() -> None:
    """Lead a visitor who has no tokenizer of their own to Train, and one whose training goes on back to it."""
    job = visitor.current_job()
    if job is not None and job.merges and not job.ended:
        st.caption(t("compare.not_ended", merges=len(job.merges), goal=job.merge_goal), width="content")
        if st.button(t("train.back_to_job"), icon=":material/arrow_back:", key="compare_back"):
            go("train")
    if visitor.own_tokenizer() is None and st.button(
        t("compare.train_first"), type="primary", icon=":material/model_training:", key="compare_train"
    ):
        carry_sentence(TYPED_TEXT.key, MOST_IN_A_FILM)
        go("train")


def hint_at_lookalikes(content: str | bytes, lanes: Sequence[Lane]) -> None:
    """Say which invisible and look-alike characters the text contains; draw the cleaned text if asked."""
    if isinstance(content, bytes):
        return
    text = content[:MAX_CHECKED]
    findings = _found.get(text, lambda: find_lookalikes(text))
    if not findings:
        return
    with st.container(border=True):
        st.markdown(_sentence(text, findings))
        if len(content) > MAX_CHECKED:
            st.caption(t("hints.checked", characters=MAX_CHECKED))
        if st.toggle(t("hints.show"), key="show_cleaned", persist_state="session"):
            clean = cleaned(text, findings) + content[MAX_CHECKED:]
            with errors_shown():  # a tokenizer from a file may not know the cleaned text
                drawn = drawing(Text(clean), lanes, language=language())
                token_view(drawn, key="cleaned_view", toolbar="short", max_height=480)
                st.caption(t("hints.shown"))


def _sentence(text: str, findings: Sequence[Finding]) -> str:
    """Say what was found, by kind, each with its first place."""
    counts = Counter(finding.kind for finding in findings)
    first = {finding.kind: finding for finding in reversed(findings)}
    lines = [
        "- "
        + t(f"hints.{kind}", count=counts[kind], place=first[kind].start + 1, example=_example(text, first[kind]))
        for kind in KINDS
        if counts[kind]
    ]
    return "\n".join([f":material/visibility: {t('hints.found')}", "", *lines])


def _example(text: str, finding: Finding) -> str:
    """Write a finding as code points, because it may be invisible, and then the text that would replace it."""
    before = " ".join(f"U+{ord(character):04X}" for character in text[finding.start : finding.end][:6])
    after = finding.replacement[:12]
    return f"{before} → {as_plain_markdown(after)}" if after.strip() else before


# ---- exports


def exporter(text: Text, lanes: Sequence[Lane]) -> None:
    """Let the visitor choose a tokenizer of the page, copy the ids of the text, and download its files."""
    known = {lane.choice: lane for lane in lanes if may_be_exported(lane.tokenizer)}
    if not known:
        return
    with popover(t("exports.title"), icon=":material/download:", key=EXPORTS_OPEN.key):
        if not EXPORTS_OPEN.get():
            return
        stages = sizes_of(lanes, text).items()
        moved = {lanes[number].choice: stage for number, stage in stages if stage.at < stage.most}
        names = {choice: lane.name for choice, lane in known.items()}  # not the lanes: Streamlit keeps it for long
        for choice, stage in moved.items():
            names[choice] = t("exports.first", name=names[choice], size=stage.at, all=stage.most)
        chosen = st.selectbox(
            t("vocabulary.tokenizer"),
            list(known),
            format_func=names.__getitem__,
            key=one_of(_EXPORTED.key, list(known)),
        )
        lane = known[chosen]
        if isinstance(text.content, str) and text.content:
            copied = text.content[:MAX_COPIED]
            ids = lane.tokenizer.encode(copied, allowed_special="all" if lane.special_acts else ())
            with st.expander(t("exports.ids", count=len(ids)), icon=":material/content_copy:"):
                st.code(str(ids), language=None, wrap_lines=True)
        # Keys of files and runs are digests, which say nothing as the name of a downloaded file.
        name = "tokenizer" if lane.is_own else chosen if chosen in OPENAI_NAMES else lane.name
        if chosen in moved:
            name += f"-{moved[chosen].at}"
        export_panel(lane.tokenizer, lane.key, sample_texts(), name=name)


# ---- chat markers: two special tokens added to cl100k_base, and what they cost a model


def chat_markers() -> None:
    """Draw a conversation with and without markers that act, and the rows that a model would gain."""
    st.markdown(t("chat.what"))
    text = live_text_area(t("chat.text"), key=remembered(_CHAT.key, t("examples.chat")), height=170)
    plain = reference_lanes([CHAT_BASE])
    if not plain:
        return
    extended = with_special_tokens(CHAT_BASE, CHAT_MARKERS)
    name = t("chat.more", name=CHAT_BASE, count=len(CHAT_MARKERS))
    label = Label(t("chat.name"), t("tokenizers.reference", name=name, count=extended.id_counts.total))
    lanes = [*plain, Lane("chat", label, extended, special_acts=True)]
    token_view(drawing(Text(text[:MAX_CHAT]), lanes, language=language()), key="chat_view", toolbar="short")
    _rows(extended)


def _rows(extended: OpenAITokenizer) -> None:
    """Show which rows the embedding and the output head of a model would gain."""
    width = st.number_input(
        t("chat.width"), 1, 100_000, step=256, key=remembered(_CHAT_WIDTH.key, 4096), width=260
    )
    counts = extended.id_counts
    head = [t("chat.token"), t("chat.embedding"), t("chat.head")]
    rows = [[token, t("chat.row", row=token_id), t("chat.row", row=token_id)] for token, token_id in CHAT_MARKERS]
    figures_table(pd.DataFrame(rows, columns=head), t("chat.table"))
    numbers = len(CHAT_MARKERS) * int(width)
    st.markdown(t("chat.rows", numbers=numbers, both=2 * numbers, total=counts.total, unused=counts.unused))
