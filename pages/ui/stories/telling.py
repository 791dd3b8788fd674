"""The Stories page: a setting and a question, a choice, and then the pieces and what to remember."""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from pages.ui.choices.tokenizers import choose_beside, that_can
from pages.ui.deck import Slide, present
from pages.ui.deck.keys import Entry
from pages.ui.deck.mine import add_button
from pages.ui.session import one_of, remembered
from pages.ui.shell import presenting
from pages.ui.shell.links import link_to_story
from pages.ui.shell.navigation import page
from pages.ui.stories import keys
from pages.ui.stories.form import Part, Prediction, Story
from pages.ui.stories.my_talk import my_slides, show_my_talk
from pages.ui.stories.tales import STORIES, beside_story, story
from pages.ui.stories.talk import slides_of, talk
from pages.ui.stories.worksheet import worksheet
from pages.ui.token_view import token_view
from pages.ui.token_view.drawings import Text, drawing, token_count
from pages.ui.token_view.lanes import Lane
from pages.ui.words import as_name, language, names, t

_STYLE = """
.st-key-story_stage [data-testid="stMarkdownContainer"] p { font-size: 1.375rem; line-height: 1.6; }
.st-key-story_question h2 { font-size: 1.75rem; line-height: 1.45; }
.st-key-story_choices button p { font-size: 1.375rem; }
.st-key-story_choices button { min-width: 4.5rem; min-height: 3rem; }
.st-key-story_says p { font-size: 1.2rem; line-height: 1.65; }
.st-key-story_texts [data-testid="stText"] { font-size: 2.25rem; line-height: 1.6; white-space: pre-wrap; }
.st-key-story_remember {
  border-inline-start: .375rem solid light-dark(#0f766e, #2dd4bf); padding-inline-start: 1rem; }
.st-key-story_remember [data-testid="stMarkdownContainer"] p {
  font-size: 1.75rem; font-weight: 600; line-height: 1.5; }
"""


def show_stories() -> None:
    """Draw the chosen story as far as the visitor has got, and the ways to others."""
    st.html(f"<style>{_STYLE}</style>")
    name = _choose_story()
    beside = choose_beside(keys.BESIDE, own=True, files_at_first=False)
    told = beside_story(name, that_can(beside, [part.text for part in story(name).parts]))
    tell = partial(beside_story, beside=beside)
    ways: dict[str, Callable[[], list[Slide]]] = {
        "talk": partial(talk, tell),
        "story": partial(slides_of, told),
        "mine": partial(my_slides, tell),
    }
    present(ways[keys.PRESENTS.get()])
    shown_at_once = keys.SHOWS_ALL.get()
    is_revealed = shown_at_once or name in keys.GUESSES.get()
    with st.container(key="story_stage"):
        st.markdown(told.says("setting"))
    with st.container(key="story_texts"):  # always there: else the choices are made anew, and lose the focus
        if not is_revealed:
            _each_part(told, _show_text)
    with st.container(key="story_question"):
        st.header(told.says("question"), anchor=False)
    if not shown_at_once:
        _ask(told)
    if is_revealed:
        _reveal(told)
    _offer(told)
    show_my_talk()


def _choose_story() -> str:
    linked = keys.LINKED_STORY.take()
    if linked in STORIES:
        keys.STORY.put(linked)
    offered = list(STORIES)
    with st.container(horizontal=True, vertical_alignment="bottom", key="story_choice"):
        name = st.selectbox(
            t("stories.label"),
            offered,
            format_func=names("stories.{}_name", offered),
            key=one_of(keys.STORY.key, offered),
            persist_state="session",
            filter_mode=None,
            label_visibility="collapsed",
            width=420,
        )
        for step, way, icon in ((-1, "previous", "arrow_back"), (1, "next", "arrow_forward")):
            st.button(
                t(f"stories.{way}"),
                icon=f":material/{icon}:",
                key=f"story_{way}",
                on_click=keys.STORY.put,
                args=(offered[(offered.index(name) + step) % len(offered)],),
            )
        st.toggle(t("stories.all"), key=remembered(keys.SHOWS_ALL.key, False), persist_state="session")
    return str(name)


def _ask(told: Story) -> None:
    """Draw the choices, and after one of them which is true; nothing moves away under the keyboard."""
    prediction, guesses = told.prediction, keys.GUESSES.get()
    is_shown = told.name in guesses
    with st.container(horizontal=True, key="story_choices"):
        for place, choice in enumerate(prediction.choices):
            st.button(
                choice,
                key=f"story_choice_{place}",
                icon=_mark(prediction, place, guesses.get(told.name)) if is_shown else None,
                on_click=_guess,
                args=(told.name, place),
            )
        st.button(
            t("stories.again" if is_shown else "stories.show"),
            key="story_show",
            type="tertiary",
            on_click=_hide if is_shown else _guess,
            args=(told.name,) if is_shown else (told.name, None),
        )
    guess = guesses.get(told.name)
    if guess is not None:
        _answer(prediction, guess)


def _answer(prediction: Prediction, guess: int) -> None:
    truth = prediction.choices[prediction.right]
    if guess == prediction.right:
        st.success(t("stories.right", truth=truth), icon=":material/check_circle:")
    else:
        st.info(t("stories.wrong", guess=prediction.choices[guess], truth=truth), icon=":material/lightbulb:")


def _mark(prediction: Prediction, place: int, guess: int | None) -> str | None:
    if place == prediction.right:
        return ":material/check:"
    return ":material/close:" if place == guess else None


def _guess(name: str, place: int | None) -> None:
    keys.GUESSES.put({**keys.GUESSES.get(), name: place})


def _hide(name: str) -> None:
    keys.GUESSES.put({other: guess for other, guess in keys.GUESSES.get().items() if other != name})


def _reveal(told: Story) -> None:
    """Draw the texts in tokens, the sentence with its numbers, and the sentence to remember."""
    _each_part(told, _draw)
    with st.container(key="story_says"):
        st.markdown(told.says("says"))
    for lane in told.beside:
        st.markdown(t("stories.beside", name=as_name(lane.name), counts=_counts(told, lane)))
    if told.note:
        st.markdown(told.note)
    with st.container(key="story_remember"):
        st.caption(t("stories.remember"))
        st.markdown(told.says("remember"))
    st.caption(t("stories.live"))


def _counts(told: Story, lane: Lane) -> str:
    """Return the tokens of each part in a lane, counted now."""
    counts = [(part.label, token_count(lane, part.text)) for part in told.parts]
    return " · ".join(f"{label} **{count:,}**".strip() for label, count in counts)


def _offer(told: Story) -> None:
    """Draw how to present it, and what can be taken away: a worksheet, and the link."""
    with st.container(horizontal=True, vertical_alignment="center", key="story_offers"):
        for what, icon in (("story", "slideshow"), ("talk", "co_present")):
            st.button(
                t(f"talk.{what}"),
                icon=f":material/{icon}:",
                on_click=_present,
                args=(what,),
                key=f"present_{what}",
            )
        st.link_button(
            t("talk.notes_window"),
            f"?{urlencode({'lang': language(), 'present': 1, 'notes': 1})}",
            icon=":material/speaker_notes:",
            help=t("talk.notes_window_help"),
        )
        add_button(Entry(story=told.name), key="add_story")
        st.download_button(
            t("worksheet.save"),
            worksheet(told),
            f"worksheet-{told.name}-{language()}.html",
            "text/html",
            icon=":material/print:",
            help=t("worksheet.help"),
            on_click="ignore",
            key="story_worksheet",
        )
        st.page_link(
            page("stories"),
            label=t("stories.link"),
            icon=":material/link:",
            query_params={"lang": language(), "story": told.name},
        )


def _present(what: str) -> None:
    """Fill the screen with the chosen story, or with the talk."""
    keys.PRESENTS.put(what)
    presenting.begin()


def _each_part(told: Story, show: Callable[[Story, Part], None]) -> None:
    """Show every text, short ones side by side."""
    places = st.columns(len(told.parts)) if told.has_short_parts else [st.container() for _ in told.parts]
    for place, part in zip(places, told.parts, strict=True):
        with place:
            if part.label:
                st.subheader(part.label, anchor=False)
            show(told, part)


def _show_text(told: Story, part: Part) -> None:
    st.text(part.text)


def _draw(told: Story, part: Part) -> None:
    token_view(
        drawing(Text(part.text), told.drawn, language=language()),
        key=f"story_{told.name}_{part.key}",
        toolbar="none" if len(told.parts) > 1 else "short",
        ruler=False,
        large=True,
        largest=True,
        max_height=None,
        link=link_to_story(told.name),
    )
