"""The visitor's own talk on the Stories page: its entries in order, and the file that keeps it."""

from collections.abc import Callable, Sequence

import streamlit as st

from pages.ui.deck import Slide
from pages.ui.deck.keys import ENTRIES, Entry
from pages.ui.deck.mine import MOST_MERGES, drop, move, name_of, slides_of_entry
from pages.ui.deck.talk_file import MOST_BYTES, fitted, read, written
from pages.ui.shell import presenting
from pages.ui.stories import keys
from pages.ui.stories.form import Story
from pages.ui.stories.tales import STORIES
from pages.ui.stories.talk import slides_of
from pages.ui.widgets.fold import fold
from pages.ui.words import t


def show_my_talk() -> None:
    """Draw the entries with what can be done with each, and ways to present, save and open the talk."""
    with fold(t("talk.mine"), icon=":material/playlist_play:", key="my_talk_open"):
        entries = ENTRIES.get()
        if not entries:
            st.markdown(t("talk.mine_empty"))
        for place, entry in enumerate(entries):
            _row(place, entry, len(entries))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.button(
                t("talk.present_mine"),
                icon=":material/slideshow:",
                type="primary",
                key="present_mine",
                on_click=_present,
                disabled=not entries,
            )
            _save(entries)
        st.file_uploader(t("talk.open"), type="json", key=keys.TALK_FILE.key, on_change=_open, max_upload_size=1)
        if keys.TALK_REFUSED.get():
            st.error(t("talk.bad_file"), icon=":material/error:")


def _save(entries: Sequence[Entry]) -> None:
    """Draw the button that saves the talk; a talk too large to be opened again is made shorter, which is said."""
    try:
        saved, most = fitted(entries)
        said = t("talk.shortened", merges=most) if most < MOST_MERGES else ""
    except ValueError:
        saved, said = [], t("talk.too_large")
    st.download_button(
        t("talk.save"),
        written(saved),
        "talk.json",
        "application/json",
        on_click="ignore",
        icon=":material/download:",
        disabled=not saved,
        key="save_talk",
    )
    if said:
        st.caption(said)


def my_slides(tell: Callable[[str], Story]) -> list[Slide]:
    """Return the slides of the visitor's own talk; `tell` makes a story of its name."""
    slides: list[Slide] = []
    for entry in ENTRIES.get():
        slides += slides_of(tell(entry.story)) if entry.story else slides_of_entry(entry)
    return slides


def _row(place: int, entry: Entry, entries: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"my_talk_{place}"):
        st.markdown(f"{place + 1}. {name_of(entry)}", width="stretch")
        ways = (("up", -1, "arrow_upward", place == 0), ("down", 1, "arrow_downward", place == entries - 1))
        for way, step, icon, is_end in ways:
            st.button(
                t(f"talk.{way}"),
                icon=f":material/{icon}:",
                key=f"my_talk_{way}_{place}",
                on_click=move,
                args=(place, step),
                disabled=is_end,
            )
        st.button(
            "",
            icon=":material/close:",
            help=t("talk.drop"),
            key=f"my_talk_drop_{place}",
            on_click=drop,
            args=(place,),
        )


def _present() -> None:
    keys.PRESENTS.put("mine")
    presenting.begin()


def _open() -> None:
    """Take the talk of a file; keep the one there is if the file holds none."""
    upload = keys.TALK_FILE.get()
    keys.TALK_REFUSED.forget()
    if upload is None:
        return
    try:
        ENTRIES.put(read(upload.getvalue()[: MOST_BYTES + 1], list(STORIES)))
    except ValueError:
        keys.TALK_REFUSED.put(True)
