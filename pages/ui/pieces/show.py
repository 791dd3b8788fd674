"""What stands at the top of the page: a lesson, or the visitor's own training, on a sentence of one's own."""

import streamlit as st

from pages.ui.deck import Slide, View, present
from pages.ui.pieces import keys
from pages.ui.pieces.chips import draw_lane
from pages.ui.pieces.compared import compare_sentencepiece
from pages.ui.pieces.lessons import LESSONS, ShownLane, Told
from pages.ui.pieces.training import own_key, own_lanes
from pages.ui.session import remembered
from pages.ui.token_view.lanes import Label, Lane
from pages.ui.trainings.registry import registry
from pages.ui.widgets.segmented import segmented
from pages.ui.words import in_every_language, names, t

MOST_CHARACTERS = 2_000
OWN = "own"
REFRESH_SECONDS = 1.0


def wait_until_warm() -> None:
    """Keep the place of what comes, while this process still compiles what our BPE needs."""
    st.skeleton(height=480)
    st.fragment(_look_again, run_every=REFRESH_SECONDS)()


def _look_again() -> None:
    if registry().is_warm:
        st.rerun()


def show() -> None:
    """Draw the choice of what to see, the sentence, its tokens, and what to see in them."""
    job = keys.JOB.get()
    shown = [*LESSONS, *([OWN] if job is not None and job.tokenizer is not None else [])]
    if OWN in shown and keys.AWAITED.get():
        keys.AWAITED.forget()
        keys.SHOWN.put(OWN)
    if keys.SHOWN.get() not in shown:
        keys.SHOWN.put(shown[0])
    chosen = segmented(t("lessons.label"), shown, names("lessons.{}", shown), key=keys.SHOWN.key)
    text = st.text_input(
        t("lessons.text"),
        key=remembered(f"pieces_text_{chosen}", t(f"lessons.{chosen}_text")),
        persist_state="session",
        label_visibility="collapsed",
    )
    text = (text or "")[:MOST_CHARACTERS]
    told = LESSONS[chosen](text) if chosen in LESSONS else Told(own_lanes(), t("lessons.own_says"))
    key = chosen if chosen in LESSONS else own_key()
    present(lambda: [_slide(chosen, key, told, text)])
    for lane in told.lanes:
        _draw(lane, text)
    st.markdown(f":material/lightbulb: {told.says}")
    if chosen == OWN and job is not None and job.tokenizer is not None:
        compare_sentencepiece(job.tokenizer)


def _slide(chosen: str, key: str, told: Told, text: str) -> Slide:
    """Return the same tokens for a full screen; `key` changes whenever they may."""
    lanes = [
        Lane(
            f"pieces {key} {place}",
            Label(lane.name, t("pieces.entries", count=lane.tokenizer.vocab_size)),
            lane.tokenizer,
        )
        for place, lane in enumerate(told.lanes)
    ]
    return Slide("tokens", over=in_every_language(f"lessons.{chosen}"), views=[View(text, lanes)])


def _draw(lane: ShownLane, text: str) -> None:
    draw_lane(lane.name, lane.caption, lane.tokenizer, text)
