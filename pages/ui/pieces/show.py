"""What stands at the top of the page: a lesson, or the visitor's own training, on a sentence of one's own."""

import streamlit as st

from pages.ui.deck import MOST_CHARACTERS as MOST_ON_A_SLIDE
from pages.ui.deck import cut_of, present
from pages.ui.deck.keys import Entry, Lesson
from pages.ui.deck.mine import add_button, slides_of_entry
from pages.ui.pieces import keys
from pages.ui.pieces.chips import draw_lane
from pages.ui.pieces.compared import compare_sentencepiece
from pages.ui.pieces.lessons import LESSONS, ShownLane, Told
from pages.ui.pieces.training import own_lanes
from pages.ui.session import remembered
from pages.ui.token_view.lanes import Label, Lane
from pages.ui.trainings.registry import registry
from pages.ui.widgets.segmented import segmented
from pages.ui.words import names, t

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
    entry = _entry(chosen, told, text)
    present(lambda: slides_of_entry(entry))
    for lane in told.lanes:
        _draw(lane, text)
    st.markdown(f":material/lightbulb: {told.says}")
    add_button(entry, key="pieces_add")
    if chosen == OWN and job is not None and job.tokenizer is not None:
        compare_sentencepiece(job.tokenizer)


def _entry(chosen: str, told: Told, text: str) -> Entry:
    """Return what is shown, for a full screen and for the visitor's talk."""
    text = text[:MOST_ON_A_SLIDE]
    lanes = [Lane(f"pieces {place}", Label(lane.called), lane.tokenizer) for place, lane in enumerate(told.lanes)]
    return Entry(text=text, lesson=Lesson(chosen, tuple(cut_of(text, lane) for lane in lanes)))


def _draw(lane: ShownLane, text: str) -> None:
    draw_lane(lane.name, lane.caption, lane.tokenizer, text)
